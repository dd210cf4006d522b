"""Released sums of smooth functions: the noisy numbers of one block of columns, and of fewer of its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ...maths.smooth.axes import MOST_DENSE_AXES, Axis, Block
from ...maths.smooth.basis import Basis
from ...maths.smooth.chebyshev import WEIGHT_UNIT, chebyshev_basis
from ...maths.smooth.sparse_basis import SparseBasis, index_list, sparse_basis
from ...maths.smooth.splines import NODES, spline_basis
from .ratios import NoisyNumber, Ratio

__all__ = ["BasisName", "Released", "SmoothSums", "basis_for"]

Floats = NDArray[np.float64]
BasisName = Literal["spline", "chebyshev"]
# Of a sparse release so many columns have a grid of all combinations, on which a bias is proven.
MOST_PROVEN_AXES = 2


def basis_for(name: BasisName, size: int, d: int, smoothness: int | None = None, level: int | None = None) -> Basis:
    """The basis of a release, with the grid that questions about d of its columns use."""
    if name == "spline":
        return spline_basis(size, NODES if d <= 3 else NODES - 1)
    if d > (MOST_DENSE_AXES if level is None else MOST_PROVEN_AXES):
        return sparse_basis(size, d, smoothness, level)
    return chebyshev_basis(size, d, smoothness, level)


@dataclass(frozen=True, eq=False)
class SmoothSums:
    """The sums of a few columns: one number a cell and combination of functions, with independent noise."""

    axes: tuple[Axis, ...]
    basis: Basis
    numbers: Floats
    """Shape (cells, functions of the first axis, ...), or (cells, combinations of functions), in units of one row."""
    variances: Floats
    fourths: Floats
    rows: int | None
    """The number of rows where it is public, else None."""

    @cached_property
    def everyone(self) -> Floats:
        """Coefficients of the function that is 1 for every row."""
        return self.basis.everyone(self.axes)

    @cached_property
    def present(self) -> Floats:
        """Coefficients of the function that is 1 where no column is missing, else 0."""
        return self.basis.lift(self.basis.one(len(self.axes)), self.axes)

    @cached_property
    def _total(self) -> Floats:
        """The sums over all cells."""
        return np.asarray(self.numbers.sum(axis=0))

    @cached_property
    def _of_everyone(self) -> Floats:
        """Weights that find, in some coefficients, how much of the noise of the number of all rows is in them."""
        noise = float((self.variances * self.everyone**2).sum())
        return self.variances * self.everyone / noise if noise else np.zeros_like(self.everyone)

    def mean(self, coefficients: Floats, kept: Floats) -> Ratio:
        """The mean of a function with these coefficients over the rows of the kept cells that have its columns."""
        zero = np.zeros_like(self.present)
        return self._ratio((self.basis.lift(coefficients, self.axes), zero), (self.present, zero), kept)

    def share(self, kept: Floats) -> Ratio:
        """The share of all rows that are in the kept cells."""
        return self.portion(self.everyone, np.zeros_like(self.everyone), kept)

    def portion(self, inside: Floats, outside: Floats, kept: Floats) -> Ratio:
        """The mean over all rows of one function in the kept cells and another in the others."""
        return self._ratio((inside, outside), (self.everyone, self.everyone), kept)

    def sum(self, inside: Floats, outside: Floats, kept: Floats) -> NoisyNumber:
        """The sum over rows of a function with these coefficients in the kept cells, and others outside.

        Where the number of all rows is public, it corrects the sum by what the noise of that number foretells.
        """
        return self._measured(self._corrected(inside, outside, kept), kept)

    def sums(self, coefficients: Floats, kept: Floats) -> tuple[Floats, Floats, Floats]:
        """The sums of many functions of one column over the kept cells, a row each: value, variance, kurtosis.

        The same as `sum` of each with 0 outside.
        """
        inside, cells = self.basis.lift(coefficients.T, self.axes).T, int(np.count_nonzero(kept))
        summed, others = self.numbers[kept > 0].sum(axis=0), len(kept) - cells
        shift = inside @ self._of_everyone * (cells / len(kept)) if self.rows is not None else np.zeros(len(inside))
        inside = inside - shift[:, None] * self.everyone
        value = inside @ summed - shift * float(np.vdot(self.everyone, self._total - summed)) + shift * (self.rows or 0)
        outside = others * float(np.vdot(self.everyone**2, self.variances)) * shift**2
        variance = cells * inside**2 @ self.variances + outside
        fourth = cells * inside**4 @ self.fourths
        fourth += others * float(np.vdot(self.everyone**4, self.fourths)) * shift**4
        return value, variance, np.divide(fourth, variance**2, out=np.zeros_like(value), where=variance > 0)

    def joint(self, kept: Floats) -> tuple[Floats, Floats]:
        """The sums of all functions of one column over the kept cells, and the covariance of their noise."""
        inside, cells = self.basis.lift(np.eye(self.basis.size), self.axes).T, int(np.count_nonzero(kept))
        shift = inside @ self._of_everyone * (cells / len(kept)) if self.rows is not None else np.zeros(len(inside))
        inside_noise = inside - np.outer(shift, self.everyone)
        outside = (len(kept) - cells) * float(np.vdot(self.everyone**2, self.variances))
        covariance = cells * (inside_noise * self.variances) @ inside_noise.T + outside * np.outer(shift, shift)
        return self.sums(np.eye(self.basis.size), kept)[0], covariance

    def _ratio(self, top: tuple[Floats, Floats], bottom: tuple[Floats, Floats], kept: Floats) -> Ratio:
        """The sum of `top` over that of `bottom`, each in the kept cells and in the others."""
        below, above = self._corrected(*bottom, kept), self._corrected(*top, kept)
        count = self._measured(below, kept)
        # A number of rows that is none gives no ratio, as its caller will see; dividing by 1 keeps it finite.
        value = self._measured(above, kept).value / (count.value if count.value > 0 else 1.0)
        rest = _Weights(above.inside - value * below.inside, above.outside - value * below.outside, 0.0)
        cells = int(np.count_nonzero(kept))
        shared = cells * (rest.inside * below.inside) + (len(kept) - cells) * (rest.outside * below.outside)
        return Ratio(value, count, self._measured(rest, kept), float(np.vdot(shared, self.variances)))

    def _corrected(self, inside: Floats, outside: Floats, kept: Floats) -> _Weights:
        """Weights of the sums, minus the multiple of the number of all rows that leaves the least noise."""
        if self.rows is None:
            return _Weights(inside, outside, 0.0)
        cells, everyone = int(np.count_nonzero(kept)), self.everyone
        others = len(kept) - cells
        if np.array_equal(inside, everyone) and (not others or np.array_equal(outside, everyone)):
            # Known exactly, which sums of floats are not.
            return _Weights(np.zeros_like(inside), np.zeros_like(outside), float(self.rows))
        shift = float(np.vdot(self._of_everyone, (cells * inside + others * outside) / len(kept)))
        return _Weights(inside - shift * everyone, outside - shift * everyone, shift * self.rows)

    def _measured(self, weights: _Weights, kept: Floats) -> NoisyNumber:
        cells = int(np.count_nonzero(kept))
        others = len(kept) - cells
        summed = self._total if not others else self.numbers[kept > 0].sum(axis=0)
        value = weights.known + float(np.vdot(weights.inside, summed))
        squares = cells * weights.inside**2
        fourths = cells * weights.inside**4
        if others:
            value += float(np.vdot(weights.outside, self._total - summed))
            squares, fourths = squares + others * weights.outside**2, fourths + others * weights.outside**4
        return NoisyNumber(value, float(np.vdot(squares, self.variances)), float(np.vdot(fourths, self.fourths)))


class _Weights(NamedTuple):
    """Weights of the numbers of kept cells and of the others, and what is added to their sum."""

    inside: Floats
    outside: Floats
    known: float


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
    level: int | None = None
    """Of the sparse grid whose combinations of functions were released; None where all were."""

    @property
    def exact_total(self) -> bool:
        """Whether the coordinate of the constant was left without noise, because it is public."""
        return self.basis == "chebyshev" and self.rows is not None and self.block.cells == 1

    def margin(self, names: Sequence[str]) -> SmoothSums:
        """The sums of these of its columns, in its own order; kept, because questions are many and margins few."""
        kept = tuple(i for i, axis in enumerate(self.block.axes) if axis.name in names)
        if kept not in self._margins:
            self._margins[kept] = self._made(kept)
        return self._margins[kept]

    @cached_property
    def _margins(self) -> dict[tuple[int, ...], SmoothSums]:
        return {}

    def _made(self, kept: tuple[int, ...]) -> SmoothSums:
        axes = tuple(self.block.axes[i] for i in kept)
        basis = basis_for(self.basis, self.size, len(kept), self.smoothness, self.level)
        listed = isinstance(basis, SparseBasis)
        if listed or self.level is not None:
            parts = self._listed(kept) if listed else self._spread(kept)
        else:
            parts = self._dense(kept)
        return SmoothSums(axes, basis, *parts, self.rows)

    def _listed(self, kept: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Numbers, variances and fourth cumulants of the combinations that have the constant in all other columns."""
        of_kept = self._of(kept)
        variances, fourths = self._noise(of_kept.shape)
        numbers = self.sums.reshape(self.block.cells, -1)[:, of_kept].astype(np.float64) / self.unit
        return numbers, variances[of_kept], fourths[of_kept]

    def _spread(self, kept: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """The same on the grid of all combinations: those that were not released are 0 and have no noise."""
        places = (slice(None), *self._indices[self._of(kept)][:, list(kept)].T)
        shape = tuple(self.size + self.block.axes[i].optional for i in kept)
        spread = []
        for part in self._listed(kept):
            lines = part.reshape(-1, part.shape[-1])
            out = np.zeros((len(lines), *shape))
            out[places] = lines
            spread.append(out if part.ndim == 2 else out[0])
        return spread[0], spread[1], spread[2]

    def _of(self, kept: Sequence[int]) -> NDArray[np.bool_]:
        """Which combinations have the constant in all other columns."""
        return np.asarray(~np.delete(self._indices, list(kept), axis=1).any(axis=1))

    @cached_property
    def _indices(self) -> NDArray[np.int64]:
        return index_list(self.size, [axis.optional for axis in self.block.axes], self.level)

    def _dense(self, kept: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        d = len(self.block.axes)
        shape = self.block.shape(self.size)
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
        return numbers, variances, fourths

    def _noise(self, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of each coordinate of one cell, in units of one row."""
        each = np.full(shape, float(self.scale))
        if self.weights is not None:
            each = each * WEIGHT_UNIT / self.weights.reshape(shape)
        if self.exact_total:
            each[(0,) * len(shape)] = 0.0
        each = each / float(self.unit) ** self.law.power
        return self.law.variances(each), self.law.fourths(each)

    def rounding(self, coefficients: Floats) -> float:
        """How far the whole numbers of a row may be from its real ones, weighed by these coefficients."""
        return float(self.roundings(coefficients.reshape(1, -1))[0])

    def roundings(self, coefficients: Floats) -> Floats:
        """The same for many functions, a line each."""
        if self.basis == "spline":
            parts = float(2 * 4 ** len(self.block.axes)) / self.unit
            return np.asarray(parts * (coefficients.max(axis=1) - coefficients.min(axis=1)))
        return np.asarray(1.01 * np.abs(coefficients).sum(axis=1) / math.sqrt(self.unit))

    def resolution(self, axis: Axis, at: float) -> float:
        """The width, in the column's own units, of the narrowest feature that is resolved at a value of it."""
        scale = 2 / (0.8 * (self.size - 3)) if self.basis == "spline" else 4 / self.size
        x = float(axis.scaled(np.array([at]))[0])
        ends = axis.original(np.clip(np.array([x - scale / 2, x + scale / 2]), -1, 1))
        return float(ends[1] - ends[0]) * (scale / (min(1.0, x + scale / 2) - max(-1.0, x - scale / 2)))
