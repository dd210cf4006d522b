"""Bounded tables: how much of every row lies at the upper end of a function's range, how much at its lower end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.geometry.bodies import ProductBody
from ...maths.interactions.layout import CoordinateNoise
from ...maths.smooth.axes import Block
from ...maths.smooth.expressions import Expression
from .functions import FunctionStatistic
from .joint import JointStatistic
from .reals import RealRows

__all__ = ["BoundedTables"]


class BoundedTables(FunctionStatistic, JointStatistic):
    """A table for each function, group after group: every row has a whole `unit` in each table.

    A value is a mixture of the ends of its range: of the unit so much is counted at the upper end, and the rest at the
    lower. Where a column may be missing there is a third cell, which has the whole unit of a row that lacks it. So a
    row is a point of the product of simplices whose corners are the rows of one-way tables of two or three cells,
    `unit` times as large, and changes are `unit` times as long as theirs: the body is the same (see `ProductBody`).
    """

    name: ClassVar[str] = "bounded-tables"

    def __init__(
        self,
        block: Block,
        functions: Sequence[Expression],
        ranges: Sequence[tuple[float, float]],
        unit: int,
        grouped: Sequence[Sequence[int]] | None = None,
    ) -> None:
        super().__init__(block, functions, ranges, unit)
        self.sizes = tuple(2 + bool(needed) for needed in self.needs)
        self.grouped = tuple(tuple(group) for group in grouped or [range(len(self.sizes))])
        if sorted(p for group in self.grouped for p in group) != list(range(len(self.sizes))):
            raise ValueError("every function is in one group")
        self.groups = len(self.grouped)

    @property
    def largest_gauge(self) -> int:
        """A row added has the whole unit in every table, and a row replaced moves at most that."""
        return self.unit

    @cached_property
    def _order(self) -> list[int]:
        return [p for group in self.grouped for p in group]

    def zeros(self) -> NDArray[np.int64]:
        """No rows, and their cells."""
        return np.zeros(1 + sum(self.sizes), dtype=np.int64)

    def accumulate(self, codes: RealRows) -> NDArray[np.int64]:
        """The number of rows, then upper end, lower end and missing of each table."""
        rows, absent = codes.x.shape[1], self.absent(codes)
        found = []
        for scaled, needed in zip(self.scaled(codes), self.needs, strict=True):
            upper = np.rint((scaled + 1) / 2 * self.unit).astype(np.int64)
            there = ~absent[needed]
            top, left = int(upper[there].sum()), int(np.count_nonzero(there))
            found.append([top, left * self.unit - top] + ([(rows - left) * self.unit] if needed else []))
        return np.array([rows, *(cell for p in self._order for cell in found[p])], dtype=np.int64)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """All cells."""
        self.check_room(sums)
        return sums[1:]

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell of a group."""
        cells = [sum(self.sizes[p] for p in group) for group in self.grouped]
        index = np.repeat(np.arange(self.groups, dtype=np.int32), cells)
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """The corners of a simplex are its longest vectors, and two of them its farthest points, for either power.

        Functions of the same columns need not reach their corners together; then this is from above.
        """
        pairs = zip(weights, self.grouped, strict=True)
        tables = sum((weight * len(group) for weight, group in pairs), Fraction(0))
        return Fraction(tables * touched(neighbours) * self.unit**power)

    def largest_change(self, neighbours: Neighbours) -> int:
        """From one corner to another."""
        return self.unit

    def body(self, group: int, neighbours: Neighbours) -> ProductBody:
        """That of the one-way tables."""
        return ProductBody(tuple(self.sizes[p] for p in self.grouped[group]), neighbours == "add-remove")
