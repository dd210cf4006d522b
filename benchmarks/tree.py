"""Trees over questions: errors on simulated tables of 100 columns against pairs alone, bars, time, answers a second."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure

FIGURES = ("tree-error", "tree-gain", "tree-held", "tree-leaves", "tree-chance", "tree-release", "tree-answers")
ROWS, COLUMNS, ASKED, SEEDS = 50_000, 100, 1000, (1, 2, 3)
# Mean absolute error at most, by width.
BARS = {3: 0.0110, 5: 0.0092, 8: 0.0070}
Bits = np.ndarray


def run() -> Iterator[dict[str, Any]]:
    """Not private: the tables are simulated, and answers are compared with them."""
    seen = [measured(factor, seed) for seed in SEEDS]
    for width, most in BARS.items():
        error, alone, held = (float(np.mean([one[width][i] for one in seen])) for i in range(3))
        yield figure(f"tree-error-{width}", error, "mean absolute error of three tables", baseline=most,
                     ratio=error / most, bar="ratio <= 1")  # fmt: skip
        yield figure(f"tree-gain-{width}", alone / error, "times below pairs alone", baseline=2, ratio=alone / error,
                     bar="ratio >= 2")  # fmt: skip
        yield figure(f"tree-held-{width}", held, "share inside 95% intervals", baseline=0.95, ratio=held / 0.95,
                     bar="value >= 0.93")  # fmt: skip
    least = min(one["leaves"] for one in seen)
    yield figure("tree-leaves-factor", least, "leaves bought at least", baseline=64, ratio=least / 64, bar="ratio >= 1")
    most = max(measured(basket, seed)["leaves"] for seed in SEEDS)
    yield figure("tree-leaves-basket", most, "leaves bought at most", baseline=1, ratio=most, bar="ratio <= 1")
    yield from by_chance()
    yield from speed()


def by_chance() -> Iterator[dict[str, Any]]:
    """Sets that have each column by a chance of 0.05, and 3 to 10 columns; means over sets drawn so."""
    seen = []
    for seed in SEEDS:
        bits, source = factor(np.random.default_rng(seed), ROWS), np.random.default_rng(98)
        synopsis, drawn = released(bits, seed, "all_of(width=10, p=0.05)"), source.random((2 * ASKED, COLUMNS)) < 0.05
        sets = drawn[(drawn.sum(axis=1) >= 3) & (drawn.sum(axis=1) <= 10)][:ASKED]
        truth = np.array([bits[:, one].all(axis=1).mean() for one in sets])
        seen.append((*errors_of(synopsis, sets, truth), held_of(synopsis, sets, truth)))
    error, alone, held = (float(np.mean([one[i] for one in seen])) for i in range(3))
    yield figure("tree-chance-error", error, "mean absolute error of sets that have each column by a chance of 0.05",
                 baseline=alone, ratio=alone / error, bar="ratio >= 2")  # fmt: skip
    yield figure("tree-chance-held", held, "share of these inside 95% intervals", baseline=0.95, ratio=held / 0.95,
                 bar="value >= 0.9")  # fmt: skip


def factor(source: np.random.Generator, rows: int) -> Bits:
    """Four groups of columns that lean on a number of their own and on a common one."""
    group, common, own = source.integers(0, 4, COLUMNS), source.normal(size=rows), source.normal(size=(rows, 4))
    hidden = 0.7 * common[:, None] + 0.71 * own
    least = source.normal(0.5, 0.7, COLUMNS)
    return np.array(hidden[:, group] + 0.35 * source.normal(size=(rows, COLUMNS)) > least)


def basket(source: np.random.Generator, rows: int) -> Bits:
    """Things that are bought on twelve occasions, each of which is rare."""
    base, active = source.normal(-2.2, 1, COLUMNS), source.random((rows, 12)) < 0.15
    loads = source.normal(2.2, 0.5, (12, COLUMNS)) * (source.random((12, COLUMNS)) < 0.12)
    return np.array(source.random((rows, COLUMNS)) < 1 / (1 + np.exp(-(base + active @ loads))))


def released(bits: Bits, seed: int, workload: str = "all_of(width=8)") -> ht.Synopsis:
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(COLUMNS)}
    domain = ht.Domain.from_dict({"table": "t", "attributes": named})
    plan = ht.plan(domain, rows=len(bits), workload=workload, mechanism="tree",
                   budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
    table = pa.table({f"c{i}": bits[:, i] for i in range(COLUMNS)})
    return ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed))


def measured(make: Callable[[np.random.Generator, int], Bits], seed: int) -> dict[Any, Any]:
    """By width: the error, that of pairs alone, and the share of intervals that hold; and the number of leaves."""
    bits = make(np.random.default_rng(seed), ROWS)
    synopsis, source = released(bits, seed), np.random.default_rng(99)
    found: dict[Any, Any] = {"leaves": len(synopsis.model.tree.leaves)}  # type: ignore[attr-defined]
    for width in BARS:
        sets = random_sets(source, ASKED, width)
        truth = np.array([bits[:, one].all(axis=1).mean() for one in sets])
        found[width] = (*errors_of(synopsis, sets, truth), held_of(synopsis, sets, truth))
    return found


def errors_of(synopsis: ht.Synopsis, sets: Bits, truth: np.ndarray) -> tuple[float, float]:
    """Mean absolute errors: of the answers, and of pairs alone."""
    pairs = synopsis.model.chow_liu.chance(np.where(sets, 1, -1).astype(np.int8))  # type: ignore[attr-defined]
    return float(np.abs(synopsis.evaluate(sets).value - truth).mean()), float(np.abs(pairs - truth).mean())


def held_of(synopsis: ht.Synopsis, sets: Bits, truth: np.ndarray) -> float:
    low, high = synopsis.evaluate(sets).interval()
    return float(((low <= truth) & (truth <= high)).mean())


def random_sets(source: np.random.Generator, count: int, width: int) -> Bits:
    sets = np.zeros((count, COLUMNS), dtype=bool)
    for line in sets:
        line[source.choice(COLUMNS, width, replace=False)] = True
    return sets


def speed() -> Iterator[dict[str, Any]]:
    bits = factor(np.random.default_rng(1), 1_000_000)
    start = time.process_time()
    synopsis = released(bits, 1)
    seconds = time.process_time() - start
    yield figure("tree-release", seconds, "CPU s: 10^6 rows of 100 columns, 64 leaves", baseline=10, ratio=seconds / 10,
                 bar="ratio <= 1")  # fmt: skip
    sets = random_sets(np.random.default_rng(2), 100_000, 5)
    synopsis.evaluate(sets[:10])
    start = time.process_time()
    synopsis.evaluate(sets)
    rate = len(sets) / (time.process_time() - start)
    yield figure("tree-answers", rate, "answers a CPU second, asked together", baseline=100_000, ratio=rate / 100_000,
                 bar="ratio >= 1")  # fmt: skip
