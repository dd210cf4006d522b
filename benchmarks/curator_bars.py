"""Error bars of curators: how many free and unverified answers they hold, and how wide they are.

A question: one to three random columns, of each a random set of its values that has 15 to 80% of the rows.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._predicates import some_values, splits
from benchmarks._tables import domain_of, load
from hushtable.domain.predicate import Count, Event
from hushtable.questions.parse import Question

DELTA = "1e-6"
# Table, rows, epsilon, delta, updates and questions asked.
CASES: tuple[tuple[str, int, int, str | None, int, int], ...] = (
    ("nltcs", 21_574, 1, DELTA, 200, 3_000), ("nltcs", 21_574, 1, None, 200, 2_000),
    ("nltcs", 2_000, 4, DELTA, 40, 800), ("nltcs", 200, 8, DELTA, 10, 200),
    ("adult8", 20_000, 1, DELTA, 100, 1_500), ("adult8", 20_000, 4, DELTA, 100, 1_500),
    ("adult8", 2_000, 8, DELTA, 30, 800), ("czech", 1_841, 2, DELTA, 10, 800),
    ("rochdale", 665, 4, DELTA, 10, 800), ("mildew", 70, 8, None, 5, 200),
    ("titanic", 1_304, 2, None, 30, 800), ("titanic", 1_304, 8, DELTA, 30, 800),
)  # fmt: skip
SOURCES = ("free", "unverified", "frozen")
FIGURES = tuple(f"curator-bars-{source}-{what}" for source in SOURCES for what in ("covered", "third", "width"))
WIDTHS, RELEASES, FROZEN = 3, 2, 200
LEAST, THIRD, WIDE = 0.93, 0.85, 6.0
Told = dict[str, list[tuple[float, ...]]]


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    everything: Told = {source: [] for source in SOURCES}
    wide: dict[str, list[float]] = {source: [] for source in SOURCES}
    for case in CASES:
        found: Told = {source: [] for source in SOURCES}
        for number in range(releases):
            for source, answers in curated(case, number).items():
                found[source] += answers
        for source, answers in found.items():
            everything[source] += answers
            if len(answers) > 20:
                wide[source].append(line(f"curator-bars-{source}-{case[0]}-{case[1]}-{case[2]}-{case[3]}", answers)[2])
    for source, answers in everything.items():
        if answers:
            covered, third, _ = line(f"curator-bars-{source}", answers)
            times = float(np.median(wide[source]))
            name = f"curator-bars-{source}"
            yield figure(f"{name}-covered", covered, f"inside 95% bars, {len(answers):,} questions", baseline=LEAST,
                         ratio=covered / LEAST, bar=f"value >= {LEAST}")  # fmt: skip
            yield figure(f"{name}-third", third, "inside, worst third by size", baseline=THIRD, ratio=third / THIRD,
                         bar=f"value >= {THIRD}")  # fmt: skip
            yield figure(f"{name}-width", times, "half-width over median error, median of cases", baseline=WIDE,
                         ratio=times / WIDE, bar="ratio <= 1")  # fmt: skip


def line(name: str, answers: list[tuple[float, ...]]) -> tuple[float, float, float]:
    """Covered, worst third by size, and median half-width over median error; printed."""
    truth, value, low, high = np.array(answers).T
    inside, half = (low - 1e-12 <= truth) & (truth <= high + 1e-12), (high - low) / 2
    thirds = [float(inside[part].mean()) for part in np.array_split(np.argsort(value, kind="stable"), 3)]
    covered, wide = float(inside.mean()), float(np.median(half) / np.median(np.abs(value - truth)))
    said = {"covered": covered, "third": min(thirds), "half_width_over_error": wide}
    print(json.dumps({"name": name, "questions": len(answers)} | {k: round(v, 3) for k, v in said.items()}), flush=True)
    return covered, min(thirds), wide


def curated(case: tuple[str, int, int, str | None, int, int], number: int) -> Told:
    """Answers of one curator that were not paid for, and of what it is frozen to."""
    name, rows, epsilon, delta, updates, questions = case
    told: Told = {source: [] for source in SOURCES}
    loaded = load(name)
    if loaded is None:
        print(json.dumps({"name": f"curator-bars-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
        return told
    frame, sizes = loaded
    random = np.random.default_rng([number, rows])
    some = frame.iloc[random.permutation(len(frame))[:rows]]
    codes = np.array([some[c] for c in sizes], dtype=np.uint16)
    shares = [np.bincount(c, minlength=s) / rows for c, s in zip(codes, sizes.values(), strict=True)]
    vault = ht.Vault(some, ht.Domain.from_dict(domain_of(sizes)))
    budget = ht.Budget(epsilon=epsilon) if delta is None else ht.Budget(epsilon=epsilon, delta=delta)
    with vault.curate(budget=budget, way="hypothesis", updates=updates, questions=20_000,
                      randomness=ht.Simulated(number)) as curator:  # fmt: skip
        for question, truth in asked(codes, shares, questions, random):
            answer = curator.answer(question)
            if answer.source in told and np.isfinite(answer.stderr):
                told[answer.source].append((truth, answer.value, *answer.interval(0.95)))
        model: Any = curator.freeze().model
    for question, truth in asked(codes, shares, FROZEN, random):
        answer = model.answer(question)
        if answer.estimator == "calibrated":
            told["frozen"].append((truth, answer.value, *answer.interval(0.95)))
    return told


def asked(
    codes: np.ndarray, shares: list[np.ndarray], many: int, random: np.random.Generator
) -> Iterator[tuple[Question, float]]:
    """Random questions, and the true shares."""
    able = [j for j, share in enumerate(shares) if splits(share)]
    for _ in range(many):
        members = sorted(random.choice(able, int(random.integers(1, WIDTHS + 1)), replace=False).tolist())
        sets = [some_values(shares[j], random) for j in members]
        events = tuple(
            Event(j, tuple(kept.tolist()), tuple((~kept).tolist())) for j, kept in zip(members, sets, strict=True)
        )
        truth = np.all([kept[codes[j]] for j, kept in zip(members, sets, strict=True)], axis=0).mean()
        yield Question(text="", where=Count(len(events), len(events), events)), float(truth)


if __name__ == "__main__":
    for _ in run():
        pass
