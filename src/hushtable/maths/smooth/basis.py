"""Basis: the functions of one column whose products a release sums up, and how a question is written in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .axes import Axis

__all__ = ["RAISED", "Basis", "along", "largest", "product"]

Floats = NDArray[np.float64]
# What was only looked at on a grid is raised by this.
RAISED = 1.05


class Basis(ABC):
    """`size` functions on [-1, 1], with a grid of points on which functions are projected and compared."""

    size: int
    points: Floats
    """The grid of one column, ascending or not, without the ends; or points of all columns together, a row each."""
    project: Floats
    """Matrix (size, points): from the values of a function on the grid to its coefficients."""
    values: Floats
    """Matrix (points, size): the functions on the grid."""
    constant: Floats
    """Coefficients of the function 1."""
    absent: Floats
    """A missing row has the function `size`, and maybe others: minus what a combination of those gives it."""

    lost: NDArray[np.bool_] | None = None
    """Which combinations of functions of two columns are not there; none where all are."""

    def fit(self, function: Floats) -> Floats:
        """Coefficients of a function on the tensor grid, an axis a column."""
        return along([self.project] * function.ndim, function)

    def rebuilt(self, coefficients: Floats) -> Floats:
        """The combination of basis functions on the tensor grid."""
        return along([self.values] * coefficients.ndim, coefficients)

    def one(self, d: int) -> Floats:
        """Coefficients of the function 1 of d columns."""
        return product([self.constant] * d)

    def lift(self, coefficients: Floats, axes: Sequence[Axis]) -> Floats:
        """Coefficients of the function that is 0 where a column is missing, on axes some of which may be."""
        out = coefficients
        for i, axis in enumerate(axes):
            if axis.optional:
                out = np.concatenate([out, np.expand_dims(np.tensordot(self.absent, out, axes=(0, i)), i)], axis=i)
        return out

    def everyone(self, axes: Sequence[Axis]) -> Floats:
        """Coefficients of the function that is 1 for every row, whatever is missing."""
        missing = 1.0 + float(self.absent @ self.constant)
        return product([np.append(self.constant, [missing] * axis.optional) for axis in axes])

    @abstractmethod
    def at(self, x: Floats) -> Floats:
        """Matrix (points, size): every function at some points."""

    def error(self, function: Floats, coefficients: Floats) -> Floats:
        """Distance, on the grid, between a function and its combination of basis functions."""
        rebuilt = self.rebuilt(coefficients)
        return np.subtract(function, rebuilt, out=rebuilt)  # fresh memory of this size costs as much as the arithmetic

    def sampled(self, error: Floats) -> float:
        """The largest distance on the grid and a twentieth more: near the truth where no spike hides between points."""
        return RAISED * largest(error)

    @abstractmethod
    def between(self, function: Floats, error: Floats, *, top: float, negligible: float = 0.0) -> float:
        """A bound on the distance everywhere, if the function is as its values on the grid say: see `remainder`.

        `top` is the largest distance on the grid. A bound that is below `negligible` is not made tighter.
        """

    @abstractmethod
    def remainder(self, derivatives: Sequence[float]) -> float:
        """How far a function may be from its interpolation on the grid; added to `between`, a proven bound.

        `derivatives` has one number an axis: a bound on |d^k f / dx^k| / k! with k = `order`.
        """

    @property
    @abstractmethod
    def order(self) -> int:
        """Which derivative of a function `remainder` needs a bound on."""


def product(vectors: Sequence[Floats]) -> Floats:
    """The products of an entry of each, one axis a vector; the number 1 of none."""
    return reduce(np.multiply.outer, vectors, np.ones(()))


def largest(values: Floats) -> float:
    """The largest absolute value."""
    return max(float(values.max()), -float(values.min()))


def along(matrices: Sequence[Floats], tensor: Floats) -> Floats:
    """Each matrix applied to its axis."""
    if tensor.ndim == 2:
        return matrices[0] @ tensor @ matrices[1].T
    out = tensor
    for axis, matrix in enumerate(matrices):
        out = np.moveaxis(np.tensordot(matrix, out, axes=(1, axis)), 0, axis)
    return out
