"""Error bars of mwem: how many of many random questions that were not measured they hold, and how wide they are.

A question: one to five random columns, of each a random set of its values that has 15 to 80% of the rows.
"""

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._predicates import some_values, splits
from benchmarks._tables import domain_of, load
from hushtable.domain.predicate import Count, Event
from hushtable.models.weighted.calibrated_bars import CalibratedBars
from hushtable.models.weighted.weighted import WeightedModel
from hushtable.questions.parse import Question

TABLES = ("nltcs", "czech", "mildew", "rochdale", "adult8", "titanic")
ROWS = (200, 2_000, 20_000)
PURE, DELTA = "pure", "delta"
BUDGETS = {PURE: ht.Budget(epsilon=1), DELTA: ht.Budget(epsilon=1, delta="1e-6")}
WIDTHS = range(1, 6)
RELEASES, QUESTIONS = 1, 60
LEAST, MOST, THIRD, WIDE = 0.93, 0.99, 0.85, 6.0
FIGURES = tuple(
    f"mwem-bars-{basis}-{what}" for basis in ("measured", "usual") for what in ("covered", "third", "width")
)
Line = dict[str, Any]


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    seen = [line for name in TABLES for line in measure(name, releases)]
    for basis in ("measured", "usual"):
        yield from figures(basis, [line for line in seen if line["basis"] == basis])


def measure(name: str, releases: int) -> Iterator[Line]:
    """Answers to random questions, one line a release and width; tables of fewer rows are taken whole."""
    loaded = load(name)
    if loaded is None:
        print(json.dumps({"name": f"mwem-bars-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
        return
    frame, sizes = loaded
    domain = ht.Domain.from_dict(domain_of(sizes))
    workloads = ["marginals(width=2)"] + (["parities(order=3)"] if set(sizes.values()) == {2} else [])
    for rows in sorted({min(rows, len(frame)) for rows in ROWS}):
        for currency, budget in BUDGETS.items():
            for workload in workloads:
                plan = ht.plan(domain, rows=rows, workload=workload, mechanism="mwem", budget=budget)
                for number in range(releases):
                    random = np.random.default_rng([number, rows])
                    some = frame.iloc[random.permutation(len(frame))[:rows]]
                    model: Any = ht.Vault(some, domain).release(plan, randomness=ht.Simulated(number)).model
                    codes = np.array([some[c] for c in sizes], dtype=np.uint16)
                    about = {"table": name, "rows": rows, "currency": currency, "workload": workload}
                    yield from (about | line for line in asked(model, codes, random))


def asked(model: WeightedModel, codes: np.ndarray, random: np.random.Generator) -> Iterator[Line]:
    """Of each width: what random questions that were not measured showed."""
    rows = codes.shape[1]
    shares = [np.bincount(c, minlength=s) / rows for c, s in zip(codes, model.domain.sizes, strict=True)]
    able = [j for j, share in enumerate(shares) if splits(share)]
    for width in WIDTHS:
        found, basis, ratio = [], "", 1.0
        for _ in range(QUESTIONS if width <= len(able) else 0):
            members = sorted(random.choice(able, width, replace=False).tolist())
            sets = [some_values(shares[j], random) for j in members]
            events = tuple(
                Event(j, tuple(kept.tolist()), tuple((~kept).tolist())) for j, kept in zip(members, sets, strict=True)
            )
            question = Question(text="", where=Count(len(events), len(events), events))
            answer: Any = model.answer(question)
            if answer.estimator == "calibrated":
                true = np.all([kept[codes[j]] for j, kept in zip(members, sets, strict=True)], axis=0).mean()
                found.append((true, answer.value, answer.stderr, *answer.interval(0.95)))
                assert model.calibration is not None
                ratio, basis = CalibratedBars(model, model.calibration, question).ratio
        if found:
            truth, value, stderr, low, high = np.array(found).T
            yield {"width": width, "basis": basis, "ratio": float(ratio), "truth": truth, "value": value,
                   "stderr": stderr, "low": low, "high": high}  # fmt: skip


def figures(basis: str, lines: list[Line]) -> Iterator[dict[str, Any]]:
    """Every setting by a line of its own, and the mean, the worst third by size and the width of all."""
    covered, thirds, wide = [], [], []
    kinds: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        kinds.setdefault((line["table"], line["rows"], line["currency"], line["width"] <= 2), []).append(line)
    for (table, rows, currency, narrow), some in kinds.items():
        inside, value, half, error = columns(some)
        parts = np.array_split(np.argsort(value, kind="stable"), 3)
        covered.append(inside.mean())
        thirds.append(min(inside[part].mean() for part in parts))
        wide.append(np.median(half) / np.median(error))
        name = f"mwem-bars-{basis}-{table}-{rows}-{currency}-{'narrow' if narrow else 'wide'}"
        said = {"covered": covered[-1], "third": thirds[-1], "half_width_over_error": wide[-1]}
        print(json.dumps({"name": name, "questions": len(value)} | {k: round(float(v), 3) for k, v in said.items()}))
    if not covered:
        return
    inside, value, half, error = columns(lines)
    parts = np.array_split(np.argsort(value, kind="stable"), 3)
    whole, third = float(inside.mean()), float(min(inside[part].mean() for part in parts))
    unit = f"inside 95% bars, lowest setting {min(covered):.2f}, of {len(value):,} questions"
    yield figure(
        f"mwem-bars-{basis}-covered", whole, unit, baseline=LEAST, ratio=whole / LEAST, bar=f"value >= {LEAST}"
    )
    yield figure(f"mwem-bars-{basis}-third", third, "inside, worst third by size", baseline=THIRD, ratio=third / THIRD,
                 bar=f"value >= {THIRD}")  # fmt: skip
    times = float(np.median(wide))
    yield figure(f"mwem-bars-{basis}-width", times, "half-width over median error, median of settings", baseline=WIDE,
                 ratio=times / WIDE, bar="ratio <= 1")  # fmt: skip


def columns(lines: list[Line]) -> tuple[np.ndarray, ...]:
    """Which are inside, values, half-widths and errors."""
    truth, value, low, high = (np.concatenate([line[n] for line in lines]) for n in ("truth", "value", "low", "high"))
    slack = 1e-12
    return (low - slack <= truth) & (truth <= high + slack), value, (high - low) / 2, np.abs(value - truth)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=RELEASES)
    for _ in run(parser.parse_args().releases):
        pass
