"""MWEM: relative entropy of releases of real tables, and the time of a release and of one update."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from papers.hardt2012.methods import ours, relative_entropy
from papers.hardt2012.tables import CZECH, MILDEW, ROCHDALE, Counts, nltcs

PARITIES, PAIRS = "parities(order=3)", "marginals(width=2)"
PURE, DELTA = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-6")
# The most that the mean over releases may be, at the settings the library chooses by itself.
BARS = {
    "mwem-mildew": (MILDEW, PARITIES, PURE, 1.15),
    "mwem-czech": (CZECH, PARITIES, PURE, 0.052),
    "mwem-rochdale": (ROCHDALE, PARITIES, PURE, 0.72),
    "mwem-czech-pairs": (CZECH, PAIRS, DELTA, 0.030),
    "mwem-rochdale-pairs": (ROCHDALE, PAIRS, DELTA, 0.48),
}
NLTCS_BAR, SECONDS, UPDATE_MS = 0.65, 1.5, 25
FIGURES = (*BARS, "mwem-nltcs", "mwem-nltcs-time", "mwem-update", "mwem-update-vs-memory")
RELEASES, LARGE_RELEASES = 20, 5


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    """The mean of so many releases; of a fourth as many of the large table."""
    for name, (table, workload, budget, bar) in BARS.items():
        yield entropy(name, table, workload, budget, bar, releases)
    large = nltcs()
    if large is None:
        print(json.dumps({"name": "mwem-nltcs", "skipped": "no nltcs.csv.gz; set HUSHTABLE_DATA"}))
    else:
        yield entropy("mwem-nltcs", large, PARITIES, PURE, NLTCS_BAR, max(releases // 4, 1))
        seconds = release_time(large)
        unit = "s of one core for 30 rounds, 65,536 cells, 696 parities"
        yield figure("mwem-nltcs-time", seconds, unit, baseline=SECONDS, ratio=seconds / SECONDS,
                     bar=f"value <= {SECONDS}")  # fmt: skip
    yield from update_time()


def entropy(name: str, table: Counts, workload: str, budget: ht.Budget, bar: float, releases: int) -> dict[str, Any]:
    """Not private: compares with the true table."""
    seen = [relative_entropy(table, ours(table, workload, budget, seed)) for seed in range(releases)]
    mean, error = float(np.mean(seen)), np.std(seen) / np.sqrt(releases)
    unit = f"nats, mean of {releases} releases, standard error {error:.2g}"
    return figure(name, mean, unit, baseline=bar, ratio=mean / bar, bar=f"value <= {bar}")


def release_time(table: Counts) -> float:
    """Rows in memory to a model, through the vault, with simulated randomness."""
    plan = ht.plan(table.domain, rows=table.rows, workload=PARITIES, budget=PURE, mechanism="mwem(rounds=30)")
    table.vault.release(plan, randomness=ht.Simulated(0))  # compiles and caches the kernels
    return core_seconds(7, lambda: table.vault.release(plan, randomness=ht.Simulated(1)))


def core_seconds(times: int, work: Callable[[], object]) -> float:
    """Of the fastest run. Fits take one thread, so on an idle machine this is the time that passes."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def update_time(attributes: int = 20) -> Iterator[dict[str, Any]]:
    """One update of 2^20 cells by a parity of three attributes, and scaling as many numbers in place by numpy."""
    from hushtable.maths.distribution import Evidence, Factored, fit

    hypothesis = Factored.explicit((2,) * attributes, np.ones(1 << attributes))
    signs = np.array([1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
    sets = [(0, 9, 19), (3, 4, 5), (1, 10, 17)]
    evidence = [Evidence(own, np.array([0.1]), 1e-6, signs) for own in sets]
    fit(hypothesis, evidence, passes=1)
    ours_seconds = core_seconds(30, lambda: fit(hypothesis, evidence, passes=1)) / len(sets)
    numbers = np.ones(1 << attributes)
    # Three passes over memory: sums by cell, weights times factors, division by the total.
    memory = core_seconds(30, lambda: (numbers.sum(), np.multiply(numbers, 1.0000001, out=numbers), numbers.sum()))
    unit = "ms of one core for 2^20 cells"
    yield figure("mwem-update", 1000 * ours_seconds, unit, baseline=UPDATE_MS, ratio=1000 * ours_seconds / UPDATE_MS,
                 bar=f"value <= {UPDATE_MS}")  # fmt: skip
    yield figure("mwem-update-vs-memory", 1000 * ours_seconds, unit, baseline=1000 * memory,
                 ratio=ours_seconds / memory, bar="ratio <= 8")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=100)
    for line in run(parser.parse_args().releases):
        print(json.dumps(line), flush=True)
