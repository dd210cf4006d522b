"""Splines: the sum over rows of products of B-splines, as whole units that a row splits among its cells."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.smooth.axes import Block
from ...maths.smooth.splines import spline_basis
from .reals import RealRows, RealStatistic

__all__ = ["SplineSums"]


class SplineSums(RealStatistic):
    """For each block of columns the units of every cell: combination of categories, then one function an axis.

    Every row owns `unit` units in every block and splits them exactly, so that its vector is non-negative with a
    known sum. A missing value is one more function of its axis, which then takes them all. One group a block.
    """

    name: ClassVar[str] = "splines"

    def __init__(self, blocks: Sequence[Block], *, size: Sequence[int], unit: int) -> None:
        super().__init__(blocks)
        self.sizes, self.unit = tuple(size), unit
        self.groups = len(self.blocks)
        self.lengths = tuple(b.cells * prod(b.shape(g)) for b, g in zip(self.blocks, self.sizes, strict=True))

    def zeros(self) -> NDArray[np.int64]:
        """The number of rows, then the blocks one after the other."""
        return np.zeros(1 + sum(self.lengths), dtype=np.int64)

    def accumulate(self, codes: RealRows) -> NDArray[np.int64]:
        """The number of rows, then the units of every cell."""
        from .spline_kernel import add_splines

        sums = self.zeros()
        sums[0] = len(codes.cells)
        start = 1
        for block, chosen, size, length in zip(self.blocks, self.chosen, self.sizes, self.lengths, strict=True):
            pieces, sizes = spline_basis(size).pieces, np.array(block.shape(size), dtype=np.int64)
            add_splines(codes.x[chosen], codes.cells, pieces, sizes, self.unit, sums[start : start + length])
            start += length
        return sums

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The units of every cell."""
        self.check_room(sums)
        return sums[1:]

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all cells of a block."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=self._block_of_each)

    @cached_property
    def _block_of_each(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.groups, dtype=np.int32), self.lengths)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: a row is non-negative with sum M, so that two differ by at most 2M in absolute value, sqrt(2) M in
        length; rows in opposite corners of the bounds do. One row alone, in a corner, has M and M.
        """
        return Fraction(sum(weights) * touched(neighbours) * self.unit**power)

    def largest_change(self, neighbours: Neighbours) -> int:
        """All units of a row in one cell."""
        return self.unit
