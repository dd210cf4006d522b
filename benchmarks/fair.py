"""Fair rules: cuts against the whole program in one run, and the largest sizes within their times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._figure import figure
from hushtable import fair
from hushtable.fair.cuts import every_cut
from hushtable.fair.metric import Floats
from hushtable.fair.pairs import compared, merged_types
from hushtable.fair.rule import FairRule

FIGURES = ("fair-cuts", "fair-same-optimum", "fair-dense", "fair-graph", "fair-pairs")


def run() -> Iterator[dict[str, Any]]:
    """Times of one core as ratios against the whole program, optima to 1e-6, every pair to 1e-9."""
    points, loss = scored(100, 5)
    metric = fair.metric_from_points(points, 4.0)
    cuts = solved(loss, metric)
    ours = core_seconds(5, lambda: solved(loss, metric))
    whole, optimum = whole_program(loss, metric)
    yield figure("fair-cuts", ours, "seconds", baseline=whole, ratio=whole / ours, bar="ratio >= 8")
    apart = abs(cuts.loss - optimum)
    yield figure("fair-same-optimum", apart, "loss", baseline=optimum, ratio=apart / 1e-6, bar="ratio <= 1")
    points, loss = scored(1000, 3)
    dense: list[FairRule] = []
    metric = fair.metric_from_points(points, 4.0)
    seconds = core_seconds(1, lambda: dense.append(fair.solve(loss, metric, public=True)))
    yield figure("fair-dense", seconds, "seconds", baseline=15.0, ratio=seconds / 15, bar="value <= 15")
    points, loss = scored(5000, 2)
    graph: list[FairRule] = []
    seconds = core_seconds(1, lambda: graph.append(fair.solve(loss, fair.knn_metric(points, 8, 4.0), public=True)))
    yield figure("fair-graph", seconds, "seconds", baseline=20.0, ratio=seconds / 20, bar="value <= 20")
    worst = max(cuts.solution.excess, dense[0].solution.excess, graph[0].solution.excess, some_paths(graph[0]))
    yield figure("fair-pairs", worst, "excess", baseline=None, ratio=worst / 1e-9, bar="ratio <= 1")


def core_seconds(times: int, work: Callable[[], object]) -> float:
    """Seconds of one core in the fastest run: what others do on the machine does not count."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def scored(types: int, actions: int) -> tuple[Floats, Floats]:
    """Points in four dimensions, and losses that grow with the distance between a score and the place of an action."""
    g = np.random.default_rng(1)
    points = g.normal(size=(types, 4))
    score = points @ g.normal(size=4) / 2
    return points, np.abs(score[:, None] - np.linspace(-1, 1, actions)[None, :])


def solved(loss: Floats, metric: fair.Metric) -> FairRule:
    """By cuts, to the tolerance at which optima are compared."""
    return fair.solve(loss, metric, public=True, tol=1e-6)


def whole_program(loss: Floats, metric: fair.Metric) -> tuple[float, float]:
    """Seconds and optimum of the program with every row of every pair, by the faster of two ways to give it to HiGHS.

    Rows in both directions to `linprog`, or half as many with two bounds each to `milp`; both with presolve, as they
    come. Building the rows is not counted.
    """
    from scipy import optimize
    from scipy.sparse import csr_array, vstack

    # The stubs of scipy know no sparse rows.
    solver: Any = optimize
    types, actions = loss.shape
    pairs = compared(metric, *merged_types(metric, np.zeros(types, dtype=np.intp)), "tv")
    cuts = every_cut(next(iter(pairs.blocks())), actions, "tv")
    half = cuts.take(np.arange(len(cuts) // 2))
    row, action = np.nonzero(half.outcomes)
    values = np.concatenate([np.ones(len(row)), -np.ones(len(row))])
    columns = np.concatenate([half.first[row] * actions + action, half.second[row] * actions + action])
    matrix = csr_array((values, (np.concatenate([row, row]), columns)), shape=(len(half), loss.size))
    starts = np.arange(0, loss.size + 1, actions)
    sums = csr_array((np.ones(loss.size), np.arange(loss.size), starts), shape=(types, loss.size))
    cost = loss.ravel() / types
    both, bounds = vstack([matrix, -matrix]), np.concatenate([half.bound, half.bound])
    ranged = [solver.LinearConstraint(matrix, -half.bound, half.bound), solver.LinearConstraint(sums, 1, 1)]
    found: list[Any] = []
    rows = {"A_ub": both, "b_ub": bounds, "A_eq": sums, "b_eq": np.ones(types), "bounds": (0, 1)}
    one = core_seconds(2, lambda: found.append(solver.linprog(cost, **rows, method="highs-ds")))
    two = core_seconds(2, lambda: solver.milp(cost, constraints=ranged, bounds=solver.Bounds(0, 1)))
    return min(one, two), float(found[0].fun)


def some_paths(rule: FairRule) -> float:
    """The largest D - d from some types to all, along shortest paths; the edges themselves were all looked at."""
    rows = np.arange(0, len(rule.odds), 50)
    apart = np.abs(rule.odds[rows, None, 1] - rule.odds[None, :, 1])
    return float((apart - rule.metric.block(rows)).max())


if __name__ == "__main__":
    for found in run():
        print(found)
