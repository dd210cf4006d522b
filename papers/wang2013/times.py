"""Table 1's other columns: how the time of the summary and of a query grow with n, and what sparse grids reach."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import ceil, log2

import numpy as np

from hushtable.maths.smooth.chebyshev import ChebyshevBasis, jackson
from hushtable.maths.smooth.sparse_grid import SparseGrid
from papers._paper import Row

__all__ = ["lemma", "times"]

# Columns, K, and the degrees whose times are taken; n is t^(2d + K), as in Algorithm 1.
CASES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "d=1, K=1": (1, 1, (32, 64, 128, 256, 512)),
    "d=1, K=2": (1, 2, (32, 64, 128, 256, 512)),
    "d=2, K=1": (2, 1, (16, 24, 32, 48, 64)),
    "d=2, K=4": (2, 4, (16, 24, 32, 48, 64)),
}
ROWS = 4_000
KINK = 0.3


def times(*, fast: bool) -> Iterator[Row]:
    """Seconds of Algorithm 1 for n rows, and of the coefficients of one query on a sparse grid."""
    repeats = 3 if fast else 9
    for name, (d, k, degrees) in CASES.items():
        angles = np.pi * np.random.default_rng(d).random((d, ROWS))
        for t in degrees:
            grid, n = SparseGrid(d, ceil(log2(t)) + 1), t ** (2 * d + k)
            spent = {
                "summary": _least(partial(_summary, angles, t), repeats) / ROWS * n,
                "query": _least(partial(_query, grid), repeats),
            }
            for method, value in spent.items():
                place = {"d": d, "k": k, "t": t, "n": n}
                yield Row(figure=name, whose="theirs", method=method, quantity="seconds", value=value, **place)


def _least(what: Callable[[], object], repeats: int) -> float:
    """CPU seconds of the fastest of some runs, which other programs disturb least."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        what()
        found.append(time.process_time() - start)
    return max(min(found), 1e-6)


def _summary(angles: np.ndarray, t: int) -> np.ndarray:
    """The sums of all t^d products of cosines, one after the other, as Algorithm 1 prints it."""
    cosines = [[np.cos(m * column) for m in range(t)] for column in angles]
    if len(cosines) == 1:
        return np.array([one.sum() for one in cosines[0]])
    return np.array([first @ second for first, second in product(*cosines)])


def _query(grid: SparseGrid) -> np.ndarray:
    """All coefficients of a product of functions with four bounded derivatives."""
    return grid.coefficients(np.prod(_function(grid.points), axis=1))


def _function(x: np.ndarray) -> np.ndarray:
    return np.asarray((x - KINK) ** 3 * np.abs(x - KINK))


def lemma() -> Iterator[Row]:
    """Lemma 4.4 for d = 2, K = 4: the operator by a sparse grid of about t log t points, and the exact one."""
    for t in (16, 32, 64, 128):
        grid, basis = SparseGrid(2, ceil(log2(t)) + 1), ChebyshevBasis(t, 1)
        alone = basis.project @ _function(basis.points)
        found, inside = np.zeros((t, t)), (grid.indices < t).all(axis=1)
        found[tuple(grid.indices[inside].T)] = _query(grid)[inside]
        damped = np.outer(*[jackson(t, 4)] * 2)
        far = float(np.abs((found - np.outer(alone, alone)) * damped).sum()) * t**4
        yield Row(figure="lemma", whose="theirs", method="sparse grid", quantity="distance x t^K", value=far, t=t)
