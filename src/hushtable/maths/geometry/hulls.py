"""Hulls: the body of all changes of a list of linear queries, from what a row of each kind counts in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .lower_bounds import LeastError, pure_bound

__all__ = ["Hull", "hull_bound", "spanned"]

Floats = NDArray[np.float64]
# Up to so many dimensions all facets are found; beyond, directions are drawn.
MOST_EXACT = 7
DIRECTIONS, CONFIDENCE = 240, 0.999
# Of lines (queries) and points in one linear program; beyond, a determinant must do.
MOST_PROGRAM = 60_000
RANK = 1e-9


@dataclass(frozen=True, eq=False)
class Hull:
    """The hull of all differences of `points` (rows are replaced), or of all points and their negatives (`added`).

    points  one column a kind of row, one line a coordinate; of full rank
    """

    points: Floats
    added: bool

    @property
    def dimension(self) -> int:
        """How many coordinates there are."""
        return len(self.points)

    def support(self, normals: Floats) -> Floats:
        """The most that each normal (one a line) reaches within the body."""
        at = normals @ self.points
        return np.asarray(np.abs(at).max(axis=1) if self.added else at.max(axis=1) - at.min(axis=1))

    def gauge(self, vector: Floats) -> tuple[float, Floats]:
        """The least r with the vector in r times the body, and the normal of a facet there, of support 1.

        A linear program: the least weight of rows that come or go and change the answers by the vector.
        """
        from scipy.optimize import linprog

        count = self.points.shape[1]
        columns = np.hstack([self.points, -self.points])
        cost, wanted = np.ones(2 * count), vector
        if not self.added:
            columns = np.vstack([columns, np.concatenate([np.ones(count), -np.ones(count)])])
            wanted, cost = np.append(vector, 0.0), np.full(2 * count, 0.5)
        found = linprog(cost, A_eq=columns, b_eq=wanted, bounds=(0, None), method="highs")
        if not found.success or found.fun is None:
            raise ArithmeticError("the linear program of a gauge has no solution")
        normal = np.asarray(found.eqlin.marginals)[: len(vector)]
        return float(found.fun), normal / float(self.support(normal[None])[0])

    @cached_property
    def differences(self) -> Floats:
        """The corners, one a column, each with its negative."""
        if self.added:
            return np.hstack([self.points, -self.points])
        first, second = np.nonzero(~np.eye(self.points.shape[1], dtype=bool))
        return np.asarray(self.points[:, first] - self.points[:, second])


def spanned(queries: Floats, *, added: bool) -> Hull:
    """The body of a list of queries in orthonormal coordinates of what they can change by: lengths are kept."""
    moved = queries if added else queries - queries.mean(axis=1, keepdims=True)
    _, values, right = np.linalg.svd(moved, full_matrices=False)
    keep = values > RANK * max(values.max(initial=0.0), 1e-300)
    return Hull(np.unique(np.round((values[keep, None] * right[keep]), 12), axis=1), added)


def hull_bound(hull: Hull, *, seed: int = 0) -> LeastError:
    """A lower bound on the error of all answers: from all facets, from drawn directions, or from a determinant."""
    k = hull.dimension
    if k == 0:
        return LeastError(0.0, 0, "facets")
    if k <= MOST_EXACT and (exact := _exact_log_volume(hull)) is not None:
        return LeastError(pure_bound(exact, k), k, "facets")
    least = LeastError(pure_bound(_determinant(hull), k), k, "determinant")
    if hull.points.size > MOST_PROGRAM:
        return least
    drawn = LeastError(pure_bound(_by_directions(hull, seed), k), k, "directions", CONFIDENCE)
    return max(least, drawn, key=lambda bound: bound.rms)


def _exact_log_volume(hull: Hull) -> float | None:
    """By Qhull; None where it gives up on a thin body."""
    from scipy.spatial import ConvexHull, QhullError

    if hull.dimension == 1:
        return math.log(2 * float(np.abs(hull.differences).max()))
    if hull.differences.shape[1] > 20_000:
        return None
    turn = _round(hull)
    try:
        volume = ConvexHull((np.linalg.inv(turn) @ hull.differences).T).volume
    except QhullError:
        return None
    return math.log(volume) + float(np.linalg.slogdet(turn)[1])


def _round(hull: Hull) -> Floats:
    """A matrix that makes a round body of a ball: any will do for a bound, a good one loses less."""
    spread = hull.points if hull.added else hull.points - hull.points.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(spread @ spread.T / spread.shape[1])
    return np.asarray((vectors * np.sqrt(np.maximum(values, 1e-12 * values.max()))) @ vectors.T)


def _determinant(hull: Hull) -> float:
    """The body holds the cross-polytope of any k changes: 2^k |det| / k!, of columns chosen by pivoting."""
    from scipy.linalg import qr

    k = hull.dimension
    columns = hull.points if hull.added else hull.points[:, 1:] - hull.points[:, :1]
    diagonal = np.abs(np.diag(qr(np.linalg.solve(_round(hull), columns), mode="r", pivoting=True)[0])[:k])
    logs = np.log(np.maximum(diagonal, 1e-300)).sum() + np.linalg.slogdet(_round(hull))[1]
    return float(k * math.log(2) - gammaln(k + 1) + logs)


def _by_directions(hull: Hull, seed: int) -> float:
    """vr(K) >= |det T|^(1/k) E rho(T theta) for even directions theta, rho = 1 / gauge: Jensen's inequality.

    The mean is taken at its lower limit of confidence, by its variance and its range     [Maurer and Pontil 2009].
    """
    k, source, turn = hull.dimension, np.random.default_rng(seed), _round(hull)
    directions = source.standard_normal((DIRECTIONS, k))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = np.array([1 / hull.gauge(turn @ direction)[0] for direction in directions])
    corners = np.asarray(np.linalg.solve(turn, hull.points), dtype=np.float64)
    far = np.linalg.norm(corners, axis=0).max()
    # No point of the body is farther than its farthest corner.
    most = far if hull.added else min(2 * far, _widest(corners))
    log = math.log(2 / (1 - CONFIDENCE))
    low = reach.mean() - math.sqrt(2 * reach.var(ddof=1) * log / DIRECTIONS) - 7 * most * log / (3 * (DIRECTIONS - 1))
    log_ball = k / 2 * math.log(math.pi) - gammaln(k / 2 + 1)
    return float(k * math.log(max(low, 1e-300)) + np.linalg.slogdet(turn)[1] + log_ball)


def _widest(corners: Floats) -> float:
    """The largest distance of two corners."""
    squares = (corners**2).sum(axis=0)
    apart = (float((squares + squares[i] - 2 * corners[:, i] @ corners).max()) for i in range(len(squares)))
    return math.sqrt(max(apart))
