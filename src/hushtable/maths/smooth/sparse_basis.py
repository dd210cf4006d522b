"""Sparse basis: products of Chebyshev polynomials of many columns, of which only some combinations are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .axes import Axis
from .basis import Basis
from .chebyshev import jackson
from .sparse_grid import SparseGrid, degrees_at, places_in, sparse_grid, sparse_indices, sparse_size

__all__ = ["SparseBasis", "index_list", "sparse_basis"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# The finest grid on which a function is written in the basis: the largest level with at most this many points.
MOST_POINTS = 20_000
# Points of each half of the columns on whose combinations a function is compared with what it became.
LOOKS = 96


def index_list(size: int, optional: Sequence[bool], level: int | None) -> Integers:
    """The combinations that a release has: those of a sparse grid, or all; see `sparse_indices`."""
    if level is not None:
        return sparse_indices(level, optional)
    grid = np.indices([size + o for o in optional], dtype=np.int64)
    return grid.reshape(len(optional), -1).T


@cache
def sparse_basis(size: int, d: int, smoothness: int | None, level: int | None) -> SparseBasis:
    """Kept, because its lists take longer to make than a question to answer."""
    return SparseBasis(size, d, smoothness, level)


class SparseBasis(Basis):
    """Polynomials T_m of degrees below `size`; coefficients are a list, one for each combination.

    A function is interpolated on a sparse grid, which is finer than the combinations are where its points stay few
    [GerG98; WanFZW13, Lemma 4.4], and what it has beyond them is left out. With a `smoothness` K the rest is damped
    into the Jackson operator. How far the result is from the function is seen on the grid and on pairs of points of
    either half of the columns, corners among them; nothing is proven.
    """

    def __init__(self, size: int, d: int, smoothness: int | None, level: int | None) -> None:
        self.size, self.d, self.smoothness, self.level = size, d, smoothness, level
        self.constant = np.zeros(size)
        self.constant[0] = 1.0
        self.absent = -self.constant
        self.indices = index_list(size, [False] * d, level)
        self.grid = _grid(d, level if level is not None else 1)
        self._places = places_in(self.grid.indices, self.indices, degrees_at(self.grid.level) + size)
        damped = np.ones(size) if smoothness is None else jackson(size, smoothness)
        self._damped = np.where(self._places < 0, 0.0, np.prod(damped[self.indices], axis=1))
        self._halves = _half_points(d)
        left, right = self._halves
        pairs = [np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))]
        self.points = np.concatenate([self.grid.points, np.hstack(pairs)])

    def at(self, x: Floats) -> Floats:
        """Matrix (points, size): every function of one column at some points."""
        return np.cos(np.arccos(np.clip(x, -1, 1))[:, None] * np.arange(self.size))

    def one(self, d: int) -> Floats:
        """Coefficients of the function 1."""
        return _first_of(len(self.indices))

    def fit(self, function: Floats) -> Floats:
        """Coefficients of a function from its values at the points."""
        coefficients = self.grid.coefficients(function[: len(self.grid.points)])
        return coefficients[self._places] * self._damped

    def rebuilt(self, coefficients: Floats) -> Floats:
        """What became of the function, at the points."""
        known = np.zeros(len(self.grid.points))
        inside = self._places >= 0
        known[self._places[inside]] = coefficients[inside]
        # Coefficients as a sparse matrix, of the left half's combinations by the right half's.
        (first, rows), (second, columns) = self._parts
        starts = np.searchsorted(rows, np.arange(len(first) + 1))
        matrix = csr_array((coefficients, columns, starts), shape=(len(first), len(second)))
        left, right = self._seen
        product = np.asarray(left @ np.asarray(matrix @ right.T), dtype=np.float64)
        return np.concatenate([self.grid.values(known), product.ravel()])

    @cached_property
    def _parts(self) -> list[tuple[Integers, Integers]]:
        """For either half of the columns its distinct combinations, and which of them each combination has."""
        half = self.d // 2
        sides = (self.indices[:, :half], self.indices[:, half:])
        found = (np.unique(side, axis=0, return_inverse=True) for side in sides)
        return [(distinct, which.ravel()) for distinct, which in found]

    @cached_property
    def _seen(self) -> list[Floats]:
        """The combinations of either half at its points."""
        return [
            np.prod([self.at(x)[:, m] for x, m in zip(points.T, found.T, strict=True)], axis=0)
            for points, (found, _) in zip(self._halves, self._parts, strict=True)
        ]

    def lift(self, coefficients: Floats, axes: Sequence[Axis]) -> Floats:
        """Coefficients of the function that is 0 where a column is missing: 1 - missing takes the place of 1."""
        places, signs = self._lifted(tuple(axis.optional for axis in axes))
        return coefficients[places] * signs

    def everyone(self, axes: Sequence[Axis]) -> Floats:
        """Coefficients of the function that is 1 for every row, whatever is missing: T_0 is."""
        return _first_of(len(self._lifted(tuple(axis.optional for axis in axes))[0]))

    @cached_property
    def _known(self) -> dict[tuple[bool, ...], tuple[Integers, Floats]]:
        return {}

    def _lifted(self, optional: tuple[bool, ...]) -> tuple[Integers, Floats]:
        """For each combination with missing values: that with constants in their places, and its sign."""
        if optional not in self._known:
            indices = index_list(self.size, optional, self.level)
            missing = indices == self.size
            places = places_in(self.indices, np.where(missing, 0, indices), self.size + 1)
            self._known[optional] = places, (-1.0) ** missing.sum(axis=1)
        return self._known[optional]

    def between(self, function: Floats, error: Floats, *, top: float, negligible: float = 0.0) -> float:
        return math.inf

    def remainder(self, derivatives: Sequence[float]) -> float:
        return math.inf

    @property
    def order(self) -> int:
        return 1


def _first_of(count: int) -> Floats:
    """1, then zeros: the constant is the first combination of any list."""
    first = np.zeros(count)
    first[0] = 1.0
    return first


def _grid(d: int, level: int) -> SparseGrid:
    """The grid of this level, or a finer one while its points are few."""
    finer = level + 1
    while sparse_size(finer + 1, [False] * d) <= MOST_POINTS:
        finer += 1
    return sparse_grid(d, finer)


def _half_points(d: int) -> tuple[Floats, Floats]:
    """Points of either half of the columns: the corners, and others as dense near the bounds as errors are large."""
    source = np.random.default_rng(d)
    halves = []
    for columns in (d // 2, d - d // 2):
        corners = 1.0 - 2 * np.indices((2,) * columns).reshape(columns, -1).T
        inside = np.cos(np.pi * source.random((LOOKS - len(corners), columns)))
        halves.append(np.concatenate([corners, inside]))
    return halves[0], halves[1]
