"""Table 1's other columns: how the time of the summary and of a query grow with n, and what sparse grids reach."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import product
from math import ceil, log2

import numpy as np

from hushtable.maths.smooth.chebyshev import ChebyshevBasis, jackson
from hushtable.maths.smooth.sparse_grid import SparseGrid
from papers._paper import Row

__all__ = ["lemma", "times"]

KINK = 0.3
# Columns, K, and the degrees whose times are taken; n is t^(2d + K), as in Algorithm 1.
CASES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "d=1, K=1": (1, 1, (32, 64, 128, 256, 512)),
    "d=1, K=2": (1, 2, (32, 64, 128, 256, 512)),
    "d=2, K=1": (2, 1, (16, 24, 32, 48, 64)),
    "d=2, K=4": (2, 4, (16, 24, 32, 48, 64)),
    "d=1, K=8": (1, 8, (32, 64, 128, 256, 512)),
}
# The classes whose query times are compared with the source's: columns, K, and a function with K bounded derivatives.
SMOOTH: dict[str, tuple[int, int, Callable[[np.ndarray], np.ndarray]]] = {
    "d=1, K=1": (1, 1, lambda x: np.abs(x - KINK)),
    "d=1, K=2": (1, 2, lambda x: (x - KINK) * np.abs(x - KINK)),
    "d=2, K=4": (2, 4, lambda x: (x - KINK) ** 3 * np.abs(x - KINK)),
}
ROWS = 4_000


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


def _query(grid: SparseGrid, function: Callable[[np.ndarray], np.ndarray] = SMOOTH["d=2, K=4"][2]) -> np.ndarray:
    """All coefficients of a product of functions of one column each."""
    return grid.coefficients(np.prod(function(grid.points), axis=1))


def lemma() -> Iterator[Row]:
    """Lemma 4.4: the operator by the sparse grids whose times are taken, of about t log t points, and the exact one."""
    for name, (d, k, function) in SMOOTH.items():
        for t in (16, 32, 64, 128):
            grid, basis = SparseGrid(d, ceil(log2(t)) + 1), ChebyshevBasis(16 * t if d == 1 else t, 1)
            alone = (basis.project @ function(basis.points))[:t]
            found, inside = np.zeros((t,) * d), (grid.indices < t).all(axis=1)
            found[tuple(grid.indices[inside].T)] = _query(grid, function)[inside]
            exact, damped = (reduce(np.multiply.outer, [one] * d) for one in (alone, jackson(t, k)))
            far = float(np.abs((found - exact) * damped).sum()) * t**k
            place = {"whose": "theirs", "method": name, "d": d, "k": k, "t": t}
            yield Row(figure="lemma", quantity="distance x t^K", value=far, **place)
