"""Row spread: the most even way in which rows can lie along a column, if noisy sums over them are to come out."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .chebyshev import chebyshev_basis
from .splines import DEGREE, SplineBasis, spline_basis

__all__ = ["EVENNESS", "MOST_FUNCTIONS", "Refinement", "Spread", "fitted_masses", "refinements", "spread_rows"]

Floats = NDArray[np.float64]
# Above this the fit takes seconds, and what a release leaves open is narrow without it.
MOST_FUNCTIONS = 256
# Cells of the grid between two knots, or a degree.
FINE = {"knot": 16, "degree": 12}
MOST_CELLS = 4096
# How much a row of unevenness costs, against half a squared standard error of a sum.
EVENNESS = 0.1
# Local functions a degree: more than the polynomials tell apart would be copies of each other.
LOCAL = 0.7
LEAST_DEGREES = 4
NEWTON_STEPS, NEWTON_ENOUGH, LEAST_STEP = 60, 1e-7, 1e-6
# What keeps a matrix of nearly empty cells from being singular, as a part of its usual diagonal.
RIDGE = 1e-9
LARGEST_EXPONENT = 80.0


class Refinement(NamedTuple):
    """Some functions of a basis, each a line of coefficients: a coarser view of the same sums."""

    functions: Floats
    local: Floats
    """Functions of the same span that are each concentrated at a place."""


class Spread(NamedTuple):
    """Rows in cells along the column; the first and the last cell are single values, the two bounds."""

    edges: Floats
    """Ends of the cells between the bounds, from -1 to 1."""
    masses: Floats
    """Rows in each cell."""
    values: Floats
    """Matrix (cells, functions): the basis in the middle of each cell."""
    before: tuple[Floats, ...]
    """The masses before each refinement, which know of the coarser sums alone."""

    @property
    def below(self) -> Floats:
        """Rows up to each edge."""
        return np.cumsum(self.masses)[:-1]

    @property
    def rows(self) -> float:
        """All of them."""
        return float(self.masses.sum())


@lru_cache(maxsize=16)
def refinements(basis: Basis) -> tuple[Refinement, ...]:
    """Coarser to finer, each with about twice the functions; the last is the basis itself."""
    if isinstance(basis, SplineBasis):
        return _knots(basis)
    sizes = [basis.size]
    while sizes[-1] // 2 >= LEAST_DEGREES:
        sizes.append(sizes[-1] // 2)
    return tuple(Refinement(np.eye(basis.size)[:size], _bumps(basis, size)) for size in reversed(sizes))


def _knots(basis: SplineBasis) -> tuple[Refinement, ...]:
    """Splines on all knots, on every second one, and so on."""
    from scipy.interpolate import BSpline

    found = []
    inner = np.linspace(-1, 1, basis.spans + 1)[1:-1]
    while True:
        knots = np.concatenate([np.full(DEGREE + 1, -1.0), inner, np.full(DEGREE + 1, 1.0)])
        functions = (basis.project @ BSpline.design_matrix(basis.points, knots, DEGREE).toarray()).T
        found.append(Refinement(functions, functions))
        if not len(inner):
            return tuple(reversed(found))
        inner = inner[1::2]


def _bumps(basis: Basis, size: int) -> Floats:
    """Splines in the angle, as polynomials of the first degrees: polynomials tell angles apart evenly."""
    plain = chebyshev_basis(basis.size, 1)
    even = spline_basis(max(DEGREE + 1, int(LOCAL * size)))
    bumps: Floats = (plain.project @ even.at(1 - 2 * np.arccos(plain.points) / np.pi)).T
    bumps[:, size:] = 0.0
    return bumps


def spread_rows(basis: Basis, sums: Floats, covariance: Floats) -> Spread | None:
    """The masses m that minimise evenness x KL(m, m0) + (sums - sums of m)' covariance^-1 (same) / 2.

    One refinement after the other: m0 is even at first, and then the result of the coarser sums, so that what the noise
    hides stays as smooth as what is seen. A law of the form exp(sum of basis functions) is smooth where the sums allow
    it and has a narrow peak where they do not [Jay57]. None where the numbers are none that rows can have.
    """
    edges, middles, widths = _cells(basis)
    rows, values = float(basis.constant @ sums), basis.at(middles)
    if not 0 < rows < np.inf or not np.isfinite(covariance).all():
        return None
    even = rows * widths / widths.sum()
    masses, before = even, []
    for refinement in refinements(basis):
        before.append(masses)
        seen = refinement.functions
        found = fitted_masses(
            values @ seen.T, np.maximum(masses, RIDGE * even), seen @ sums, EVENNESS * seen @ covariance @ seen.T
        )
        if found is None:
            return None
        masses = found
    return Spread(edges, masses, values, tuple(before))


def _cells(basis: Basis) -> tuple[Floats, Floats, Floats]:
    """Edges, middles and widths. Values beyond the bounds count at the bounds, so that these are cells of their own."""
    if isinstance(basis, SplineBasis):
        edges = np.linspace(-1, 1, basis.spans * _count(FINE["knot"], basis.spans) + 1)
    else:
        count = basis.size * _count(FINE["degree"], basis.size)
        edges = -np.cos(np.arange(count + 1) * np.pi / count)
    low, high = np.concatenate([[-1.0], edges[:-1], [1.0]]), np.concatenate([[-1.0], edges[1:], [1.0]])
    widths = high - low
    widths[0] = widths[-1] = 2 / (len(edges) - 1)
    return edges, (low + high) / 2, widths


def _count(usual: int, parts: int) -> int:
    return max(1, min(usual, MOST_CELLS // parts))


def fitted_masses(values: Floats, start: Floats, sums: Floats, covariance: Floats) -> Floats | None:
    """start x exp(values @ c) for the c where the convex dual is least, by Newton's method with halved steps."""

    def dual(c: Floats) -> float:
        exponent = values @ c
        if not exponent.max() < LARGEST_EXPONENT:
            return np.inf
        return float(start @ np.exp(exponent) - c @ sums + c @ covariance @ c / 2)

    c = np.zeros(values.shape[1])
    masses = start
    for _ in range(NEWTON_STEPS):
        slope = masses @ values - sums + covariance @ c
        curve = (values * masses[:, None]).T @ values + covariance
        curve[np.diag_indices_from(curve)] += RIDGE * np.trace(curve) / len(curve)
        try:
            way = -np.linalg.solve(curve, slope)
        except np.linalg.LinAlgError:
            return None
        gain, step = float(-slope @ way), 1.0
        if not np.isfinite(gain):
            return None
        while gain > NEWTON_ENOUGH and step > LEAST_STEP and dual(c + step * way) > dual(c) - step * gain / 1e4:
            step /= 2
        if step <= LEAST_STEP:
            break
        # A last whole step where little is to be gained leaves no more than what floats round.
        c = c + step * way
        masses = start * np.exp(values @ c)
        if gain <= NEWTON_ENOUGH:
            break
    return masses
