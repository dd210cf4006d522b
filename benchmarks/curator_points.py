"""A curator on points: a universe of 2^40, 500 questions about smooth rows, within what is stated, memory flat."""

import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.questions.parse import Question, parse

FIGURES = (
    "curator-points-within",
    "curator-points-bars",
    "curator-points-lasting",
    "curator-points-memory",
    "curator-points-error",
)
COLUMNS, ROWS, QUESTIONS, POINTS = 40, 50_000, 500, 1 << 16
PAIRS, COPIED = 3, 0.3
BUDGET = ht.Budget(epsilon=1, delta="1e-6")
RUNS = 3
NAMES = [f"x{i}" for i in range(COLUMNS)]


def run() -> Iterator[dict[str, Any]]:
    within, inside, unverified, errors, grown, seconds = 0, 0, 0, list[float](), list[float](), list[float]()
    for seed in range(RUNS):
        rows, smoothness = smooth_rows(seed)
        shape, vault = vault_of(rows)
        curator = vault.curate(
            budget=BUDGET, questions=QUESTIONS, updates=100, points=POINTS, smoothness=round(smoothness, 3),
            randomness=ht.Simulated(seed),
        )  # fmt: skip
        before, begun = 0, time.process_time()
        for number, question in enumerate(questions(shape, seed)):
            assert question.where is not None
            answer, truth = curator.answer(question), float(question.where.on_rows(rows)[0].mean())
            low, high = answer.interval(0.95, simultaneous=True) if answer.source == "free" else answer.interval(0.9999)
            within += low <= truth <= high
            inside += answer.interval(0.95)[0] <= truth <= answer.interval(0.95)[1]
            unverified += answer.source == "unverified"
            errors.append(abs(answer.value - truth))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if number == QUESTIONS // 10 else before
        seconds.append((time.process_time() - begun) / QUESTIONS)
        grown.append((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    many = RUNS * QUESTIONS
    yield figure("curator-points-within", within / many, f"of {many:,} answers within what was stated", baseline=1.0,
                 ratio=within / many, bar="value >= 1")  # fmt: skip
    yield figure("curator-points-bars", inside / many, "inside 95% bars", baseline=0.93, ratio=inside / many / 0.93,
                 bar="value >= 0.93")  # fmt: skip
    yield figure("curator-points-lasting", unverified, "answers after the last paid one", baseline=0, ratio=unverified,
                 bar="value <= 0")  # fmt: skip
    yield figure("curator-points-memory", max(grown), "MiB more after 500 questions than after 50", baseline=20,
                 ratio=max(grown) / 20, bar="ratio <= 1")  # fmt: skip
    forecast = curator.plan.forecast / ROWS
    error = float(np.sqrt(np.mean(np.square(errors))))
    yield figure("curator-points-error", error, f"root mean square error, {1e3 * np.mean(seconds):.2g} ms of one core "
                 "a question; baseline: the forecast", baseline=forecast, ratio=error / forecast,
                 bar="ratio <= 1.5")  # fmt: skip


def smooth_rows(seed: int) -> tuple[np.ndarray, float]:
    """Codes, a line a column, and how many times as frequent as among points a combination of values is at most.

    Columns of chance 0.4 to 0.6, and pairs of which a third are copies. Points are half from independent columns, so
    that their law is at least half of that.
    """
    g = np.random.default_rng(seed)
    chances = g.uniform(0.4, 0.6, COLUMNS)
    bits, most = g.random((COLUMNS, ROWS)) < chances[:, None], 2.0
    for first in range(0, 2 * PAIRS, 2):
        copied = g.random(ROWS) < COPIED
        bits[first + 1, copied] = bits[first, copied]
        one, other = (np.array([1 - chance, chance]) for chance in chances[first : first + 2])
        joint = np.outer(one, (1 - COPIED) * other) + COPIED * np.diag(one)
        most *= float((joint / np.outer(one, joint.sum(axis=0))).max())
    return bits.astype(np.uint8), most


def vault_of(rows: np.ndarray) -> tuple[ht.Domain, ht.Vault]:
    kind = {"kind": "boolean", "missing": "error"}
    shape = ht.Domain.from_dict({"table": "t", "attributes": dict.fromkeys(NAMES, kind)})
    return shape, ht.Vault(pa.table(dict(zip(NAMES, rows.astype(bool), strict=True))), shape)


def questions(shape: ht.Domain, seed: int) -> Iterator[Question]:
    """Conditions on two to four columns; a third of them about a pair that goes together. Fixed beforehand."""
    g = np.random.default_rng(1000 + seed)
    for number in range(QUESTIONS):
        columns = [int(c) for c in g.choice(COLUMNS, g.integers(2, 5), replace=False)]
        if number % 3 == 0:
            first = 2 * int(g.integers(PAIRS))
            columns = [first, first + 1, *(c for c in columns[2:] if c not in (first, first + 1))]
        yield parse(" AND ".join(NAMES[c] if g.random() < 0.5 else f"NOT {NAMES[c]}" for c in columns), shape)
