"""Trees over questions: errors on simulated tables of 100 columns against pairs alone, bars, time, answers a second."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure

FIGURES = ("tree-error", "tree-gain", "tree-held", "tree-leaves", "tree-release", "tree-answers")
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
    yield from speed()


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


def released(bits: Bits, seed: int) -> ht.Synopsis:
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(COLUMNS)}
    domain = ht.Domain.from_dict({"table": "t", "attributes": named})
    plan = ht.plan(domain, rows=len(bits), workload="all_of(width=8)", mechanism="tree",
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
        answers = synopsis.evaluate(sets)
        low, high = answers.interval()
        pairs = synopsis.model.chow_liu.chance(np.where(sets, 1, -1).astype(np.int8))  # type: ignore[attr-defined]
        errors = (float(np.abs(said - truth).mean()) for said in (answers.value, pairs))
        found[width] = (*errors, float(((low <= truth) & (truth <= high)).mean()))
    return found


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
