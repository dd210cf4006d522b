"""Chebyshev: the sum over rows of products of Chebyshev polynomials, in whole numbers, with a weight each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.smooth.axes import Block
from ...maths.smooth.chebyshev import WEIGHT_UNIT
from ...maths.smooth.row_pairs import Change, changes
from .reals import RealRows, RealStatistic

__all__ = ["BATCH", "ChebyshevSums", "polynomials", "with_missing"]

Floats = NDArray[np.float64]
# Whole numbers of 2 x 20 bits, summed 2^12 at a time, stay below 2^53: float64 products and sums are exact.
MOST_BITS, BATCH = 20, 4096


class ChebyshevSums(RealStatistic):
    """For each block the sums of prod T_m(x), as products of two whole numbers of `bits` bits: unit = 4^bits.

    The two are the polynomials of the first and of the second half of the axes, rounded. Coordinates are in C order,
    a cell after the other. A missing value has T_0 = 1, no other polynomial, and one more function of its axis, which
    is 0 for all others. Where neither rows nor cells are private, the constant (the number of rows) is left out.
    One group a block; a coordinate's own scale is WEIGHT_UNIT / its squared weight.
    """

    name: ClassVar[str] = "chebyshev"
    batch: int = BATCH
    """Rows that are summed at once."""

    def __init__(
        self,
        blocks: Sequence[Block],
        *,
        weights: Sequence[NDArray[np.int64]],
        bits: int,
        neighbours: Neighbours,
    ) -> None:
        super().__init__(blocks)
        self.bits, self.unit, self.neighbours = min(bits, MOST_BITS), 4 ** min(bits, MOST_BITS), neighbours
        self.weights = tuple(weights)
        self.groups = len(self.blocks)
        self.lengths = tuple(b.cells * w.size for b, w in zip(self.blocks, self.weights, strict=True))

    def public_total(self, block: Block) -> bool:
        """Whether the constant is public, and so no coordinate."""
        return self.neighbours == "replace" and block.cells == 1

    def zeros(self) -> NDArray[np.int64]:
        """The number of rows, then the blocks one after the other."""
        return np.zeros(1 + sum(self.lengths), dtype=np.int64)

    def accumulate(self, codes: RealRows) -> NDArray[np.int64]:
        """The number of rows, then the sums."""
        sums = self.zeros()
        sums[0] = len(codes.cells)
        order = np.argsort(codes.cells, kind="stable") if codes.cells.any() else np.arange(len(codes.cells))
        cells = codes.cells[order]
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        for first, last in pairwise([*starts, len(cells)]):
            for begin in range(first, last, self.batch):
                x = codes.x[:, order[begin : min(begin + self.batch, last)]]
                self._add(sums, x, int(cells[first]))
        return sums

    def _add(self, sums: NDArray[np.int64], x: Floats, cell: int) -> None:
        start = 1
        for group, (weights, length) in enumerate(zip(self.weights, self.lengths, strict=True)):
            place = start + cell * weights.size
            sums[place : place + weights.size] += self._summed(x, group)
            start += length

    def _summed(self, x: Floats, group: int) -> NDArray[np.int64]:
        """The sums of a block over a few rows of one cell."""
        chosen, weights = self.chosen[group], self.weights[group]
        half = (len(chosen) + 1) // 2
        left, right = (self._whole(x, part, sizes) for part, sizes in (
            (chosen[:half], weights.shape[:half]), (chosen[half:], weights.shape[half:])
        ))  # fmt: skip
        return (left @ right.T).astype(np.int64).ravel()

    def _whole(self, x: Floats, chosen: Sequence[int], sizes: Sequence[int]) -> Floats:
        """Products of the functions of some axes, rounded to multiples of 2^-bits: shape (product of sizes, rows)."""
        out = np.full((1, x.shape[1]), float(2**self.bits))
        for i, size in zip(chosen, sizes, strict=True):
            functions = with_missing(x[i], size) if self.axes[i].optional else polynomials(x[i], size)
            out = (out[:, None, :] * functions).reshape(-1, x.shape[1])
        return np.asarray(np.rint(out))

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Without the number of rows, and without the constant where it is public."""
        self.check_room(sums)
        return sums[1:][self._released]

    @cached_property
    def _released(self) -> NDArray[np.bool_]:
        parts = []
        for block, weights, length in zip(self.blocks, self.weights, self.lengths, strict=True):
            part = np.ones(length, dtype=bool)
            part[:: weights.size] = not self.public_total(block)
            parts.append(part)
        return np.concatenate(parts)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """More noise where the weight is small."""
        seen: dict[tuple[int, int], int] = {}
        index = []
        for group, (block, weights) in enumerate(zip(self.blocks, self.weights, strict=True)):
            numbers = [seen.setdefault((group, int(w)), len(seen)) for w in weights.ravel()]
            index += numbers * block.cells
        table = tuple(per_group[group] * Fraction(WEIGHT_UNIT, weight) for group, weight in seen)
        return CoordinateNoise(law=law, table=table, index=np.array(index, dtype=np.int32)[self._released])

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """An upper bound, a little above the largest change.

        The sum of |change| with the same weights is by Cauchy and Schwarz at most the root of the sum of squares times
        the sum of the weights of what changes.
        """
        total = Fraction(0)
        for group, weight in enumerate(weights):
            total += weight * Fraction(self._reach(group, power, neighbours) * (1 + 1e-9)) * self.unit**power
        return total

    def reach_squared(self, group: int, neighbours: Neighbours) -> float:
        """A bound on the sum of squared weight x change^2 in units of 4^bits, rounding included."""
        return self._reach(group, 2, neighbours)

    def _reach(self, group: int, power: int, neighbours: Neighbours) -> float:
        """The largest over all pairs of rows, by what is missing in them: see `changes`.

        Rounding moves a coordinate by less than 1.01 x 2^-bits a row.
        """
        if (group, power, neighbours) not in self._known:
            first = float(self.weights[group].flat[0]) / WEIGHT_UNIT
            dropped = first if self.public_total(self.blocks[group]) else 0.0
            reached = []
            for change in self._changes(group, neighbours):
                squared = (math.sqrt(max(change.squared, 0.0)) + 1.01 * 2.0**-self.bits * change.lengths) ** 2
                reached.append(squared if power == 2 else math.sqrt(squared * max(change.touched - dropped, 0.0)))
            self._known[group, power, neighbours] = max(reached)
        return self._known[group, power, neighbours]

    def _changes(self, group: int, neighbours: Neighbours) -> list[Change]:
        block, squares = self.blocks[group], self.weights[group] / WEIGHT_UNIT
        optional = [axis.optional for axis in block.axes]
        return changes(squares, optional, neighbours=neighbours, cells=block.cells)

    @cached_property
    def _known(self) -> dict[tuple[int, int, Neighbours], float]:
        return {}

    def largest_change(self, neighbours: Neighbours) -> int:
        """A coordinate lies between -unit and unit."""
        return self.unit * touched(neighbours)


def polynomials(x: Floats, size: int) -> Floats:
    """T_0, ..., T_(size-1) at some points, by T_m = 2 x T_(m-1) - T_(m-2): within size^2 x 2^-51."""
    out = np.empty((size, len(x)))
    out[0] = 1.0
    if size > 1:
        out[1] = x
    double = 2 * x
    for m in range(2, size):
        np.multiply(double, out[m - 1], out=out[m])
        out[m] -= out[m - 2]
    np.clip(out, -1.0, 1.0, out=out)
    return out


def with_missing(x: Floats, size: int) -> Floats:
    """The first size - 1 polynomials and whether the value is missing; then only that and T_0 are not 0."""
    missing = np.isnan(x)
    out = np.empty((size, len(x)))
    out[:-1] = polynomials(np.where(missing, 0.0, x), size - 1)
    out[1:-1, missing] = 0.0
    out[-1] = missing
    return out
