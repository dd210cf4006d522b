"""Released sums of smooth functions: the noisy numbers of one block of columns, and of fewer of its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..interactions import Law
from ..smooth.axes import Axis, Block
from ..smooth.basis import Basis
from ..smooth.chebyshev import WEIGHT_UNIT, chebyshev_basis
from ..smooth.splines import NODES, spline_basis

__all__ = ["SURELY", "BasisName", "Estimate", "Margin", "Released", "basis_for"]

Floats = NDArray[np.float64]
BasisName = Literal["spline", "chebyshev"]
# A mean needs a group that is surely there: fewer released rows than this many standard errors is no group.
SURELY = 3.0


def basis_for(name: BasisName, size: int, d: int, smoothness: int | None = None) -> Basis:
    """The basis of a release, with the grid that questions about d of its columns use."""
    if name == "spline":
        return spline_basis(size, NODES if d <= 3 else NODES - 1)
    return chebyshev_basis(size, d, smoothness)


@dataclass(frozen=True)
class Estimate:
    """A mean with the variance and the fourth cumulant of its noise."""

    value: float
    variance: float
    fourth: float


@dataclass(frozen=True, eq=False)
class Margin:
    """The sums of a few columns: one number a cell and combination of basis functions, with independent noise."""

    axes: tuple[Axis, ...]
    basis: Basis
    numbers: Floats
    """Shape (cells, size, ..., size), in units of one row."""
    variances: Floats
    fourths: Floats
    rows: int | None
    """The number of rows where it is public, else None."""

    @cached_property
    def constant(self) -> Floats:
        """Coefficients of the function 1."""
        out = np.ones(())
        for _ in self.axes:
            out = np.multiply.outer(out, self.basis.constant)
        return out

    @cached_property
    def _total(self) -> Floats:
        """The sums over all cells."""
        return np.asarray(self.numbers.sum(axis=0))

    @cached_property
    def _shifts(self) -> Floats:
        """Weights that find, in some coefficients, the constant whose removal leaves the least noise."""
        noise = float((self.variances * self.constant**2).sum())
        return self.variances * self.constant / noise if noise else np.zeros_like(self.constant)

    def mean(self, coefficients: Floats, kept: Floats) -> Estimate | None:
        """The mean, over the rows of the kept cells, of a function with these coefficients; None for too few rows."""
        if self.rows is not None and kept.all():
            # The sum of the whole table is known, so any constant may be taken out of the function.
            shift = float(np.vdot(self._shifts, coefficients))
            weights = (coefficients - shift * self.constant) / self.rows
            return self._weighed(weights, kept, shift)
        count = self._weighed(self.constant, kept, 0.0)
        if not count.value > SURELY * math.sqrt(count.variance):
            return None
        mean = self._weighed(coefficients, kept, 0.0).value / count.value
        return self._weighed((coefficients - mean * self.constant) / count.value, kept, mean)

    def share(self, kept: Floats) -> Estimate:
        """The number of rows in the kept cells."""
        if self.rows is not None and kept.all():
            return Estimate(float(self.rows), 0.0, 0.0)
        return self._weighed(self.constant, kept, 0.0)

    def _weighed(self, weights: Floats, kept: Floats, shift: float) -> Estimate:
        """shift + sum over kept cells of weights x numbers."""
        count = int(np.count_nonzero(kept))
        summed = self._total if count == len(kept) else self.numbers[kept > 0].sum(axis=0)
        squares = weights * weights
        return Estimate(
            shift + float(np.vdot(weights, summed)),
            count * float(np.vdot(squares, self.variances)),
            count * float(np.vdot(squares * squares, self.fourths)),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Released:
    """What was released of one block: whole numbers, and everything public about them."""

    block: Block
    basis: BasisName
    size: int
    unit: int
    """What the function 1 of one row is in these whole numbers."""
    law: Law
    scale: Fraction
    """Noise of a coordinate of weight 1: the variance (Gaussian) or the scale b (Laplace)."""
    rows: int | None
    sums: NDArray[np.int64]
    weights: NDArray[np.int64] | None = None
    """Squared weights of the coordinates of one cell; none for splines, where all are 1."""
    smoothness: int | None = None

    @property
    def exact_total(self) -> bool:
        """Whether the coordinate of the constant was left without noise, because it is public."""
        return self.basis == "chebyshev" and self.rows is not None and self.block.cells == 1

    def margin(self, names: Sequence[str]) -> Margin:
        """The sums of these of its columns, in its own order; kept, because questions are many and margins few."""
        kept = tuple(i for i, axis in enumerate(self.block.axes) if axis.name in names)
        if kept not in self._margins:
            self._margins[kept] = self._made(kept)
        return self._margins[kept]

    @cached_property
    def _margins(self) -> dict[tuple[int, ...], Margin]:
        return {}

    def _made(self, kept: tuple[int, ...]) -> Margin:
        d = len(self.block.axes)
        shape = (self.size,) * d
        numbers = self.sums.reshape(self.block.cells, *shape).astype(np.float64) / self.unit
        variances, fourths = self._noise(shape)
        for i in range(d - 1, -1, -1):
            if i not in kept:
                if self.basis == "spline":
                    numbers, variances, fourths = numbers.sum(i + 1), variances.sum(i), fourths.sum(i)
                else:
                    numbers, variances, fourths = (
                        np.take(part, 0, axis) for part, axis in ((numbers, i + 1), (variances, i), (fourths, i))
                    )
        basis = basis_for(self.basis, self.size, len(kept), self.smoothness)
        axes = tuple(self.block.axes[i] for i in kept)
        return Margin(axes, basis, numbers, variances, fourths, self.rows)

    def _noise(self, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of each coordinate of one cell, in units of one row."""
        each = np.full(shape, float(self.scale))
        if self.weights is not None:
            each = each * WEIGHT_UNIT / self.weights.reshape(shape)
        if self.exact_total:
            each[(0,) * len(shape)] = 0.0
        unit = float(self.unit)
        if self.law == "gaussian":
            return each / unit**2, np.zeros(shape)
        return 2 * (each / unit) ** 2, 12 * (each / unit) ** 4

    def rounding(self, coefficients: Floats) -> float:
        """How far the whole numbers of a row may be from its real ones, weighed by these coefficients."""
        if self.basis == "spline":
            parts = float(2 * 4 ** len(self.block.axes)) / self.unit
            return parts * float(coefficients.max() - coefficients.min())
        return 1.01 * float(np.abs(coefficients).sum()) / math.sqrt(self.unit)

    def resolution(self, axis: Axis, at: float) -> float:
        """The width, in the column's own units, of the narrowest feature that is resolved at a value of it."""
        scale = 2 / (0.8 * (self.size - 3)) if self.basis == "spline" else 4 / self.size
        x = float(axis.scaled(np.array([at]))[0])
        ends = axis.original(np.clip(np.array([x - scale / 2, x + scale / 2]), -1, 1))
        return float(ends[1] - ends[0]) * (scale / (min(1.0, x + scale / 2) - max(-1.0, x - scale / 2)))
