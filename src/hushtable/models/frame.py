"""Frame: the released numbers that decide the table of a few attributes, and what any linear question gets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame", "Moments"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Estimates of linear questions with the variance and fourth cumulant of their noise."""

    value: Floats
    variance: Floats
    fourth: Floats

    @property
    def stderr(self) -> Floats:
        """Standard error."""
        return np.sqrt(np.maximum(self.variance, 0.0))

    @property
    def kurtosis(self) -> Floats:
        """Excess kurtosis; 0 where there is no noise."""
        squares = self.variance**2
        return np.divide(self.fourth, squares, out=np.zeros_like(self.fourth), where=squares > 0)


@dataclass(frozen=True, eq=False)
class Frame:
    """Independent noisy numbers in one tensor, an axis an attribute; counts = `inverses` applied axis by axis."""

    numbers: Floats
    variances: Floats
    fourths: Floats
    """Fourth cumulants of the noise: 0 for Gaussian, 12 b^4 for Laplace."""
    inverses: tuple[Floats | None, ...]
    """None where the numbers are the counts themselves."""
    rows: int | None = None
    """The number of rows where it is public and not among the numbers."""

    def moments(self, coefficients: Floats) -> Moments:
        """The question that weighs each number by a coefficient (leading axes: several questions at once)."""
        axes = tuple(range(coefficients.ndim - self.numbers.ndim, coefficients.ndim))
        return Moments(
            value=(coefficients * self.numbers).sum(axis=axes),
            variance=(coefficients**2 * self.variances).sum(axis=axes),
            fourth=(coefficients**4 * self.fourths).sum(axis=axes),
        )

    def coefficients(self, function: Floats) -> Floats:
        """Weights of the numbers in the sum over rows of a function of the codes (one axis an attribute)."""
        out = function
        for axis, inverse in enumerate(self.inverses):
            out = _along(out, None if inverse is None else inverse.T, axis)
        return out

    @cached_property
    def ones(self) -> Floats:
        """Coefficients of the number of rows."""
        return self.coefficients(np.ones(self.numbers.shape))

    def table(self, axes: int, rest: Floats, *, relative: bool) -> Moments:
        """The sums over rows of `rest`, one for every cell of the first `axes` attributes.

        `relative`: as shares of the noisy number of rows, whose noise partly cancels (first-order, delta method).
        """
        last = tuple(range(axes, self.numbers.ndim))
        weights = rest
        for axis, inverse in enumerate(self.inverses[axes:]):
            weights = _along(weights, None if inverse is None else inverse.T, axis)

        def spread(numbers: Floats, power: int) -> Floats:
            out: Floats = (numbers * weights**power).sum(axis=last)
            for axis, inverse in enumerate(self.inverses[:axes]):
                out = _along(out, None if inverse is None else inverse**power, axis)
            return out

        value, variance, fourth = (spread(x, p) for x, p in ((self.numbers, 1), (self.variances, 2), (self.fourths, 4)))
        if not relative:
            return Moments(value, variance, fourth)
        if self.rows is not None:
            return Moments(value / self.rows, variance / self.rows**2, fourth / self.rows**4)
        total = self.moments(self.ones)
        # A noisy number of rows below 1 carries no information; dividing by 1 keeps the answer finite.
        rows = max(float(total.value), 1.0)
        share = value / rows
        mixed = spread(self.variances * self.ones, 1)
        variance = variance - 2 * share * mixed + share**2 * total.variance
        return Moments(share, variance / rows**2, fourth / rows**4)


def _along(tensor: Floats, matrix: Floats | None, axis: int) -> Floats:
    """The matrix applied to one axis."""
    if matrix is None:
        return tensor
    applied: Floats = np.tensordot(matrix, tensor, axes=(1, axis))
    return np.moveaxis(applied, 0, axis)
