"""What statistics of contingency tables share: a row is in one cell of each table, and that is the whole argument."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Statistic, Sums

__all__ = ["Counted", "OneTable", "TableStatistic"]


class Counted(NamedTuple):
    """How many tables of one group there are, and how many of them have more than one cell."""

    tables: int
    varied: int


class TableStatistic(Statistic):
    """The cells of contingency tables, table after table; a row adds `times` to one cell of every table.

    Added or removed, a row changes one cell of each table by `times`. Replaced, it leaves one cell and enters another:
    in each table two cells change by `times`, or none where both rows are in the same cell, as they always are in a
    table of one cell. Some two rows differ in every table that has several cells, because they can differ in every
    attribute; so the sum over tables is exact, for either power. (Where codes are grouped, see `GroupedTables`.)
    """

    times = 1
    """What a row counts: more than 1 tells distances from a reference in units finer than a row."""

    @property
    @abstractmethod
    def starts(self) -> Sums:
        """Where the cells of each table begin, then the end."""

    @property
    @abstractmethod
    def group_of_table(self) -> NDArray[np.int32]:
        """Which group, and so which noise, each table has."""

    @cached_property
    def counted(self) -> list[Counted]:
        """The tables of each group, counted."""
        groups, varied = self.group_of_table, np.diff(self.starts) > 1
        tables = np.bincount(groups, minlength=self.groups), np.bincount(groups[varied], minlength=self.groups)
        return [Counted(*pair) for pair in zip(*(count.tolist() for count in tables), strict=True)]

    def _cells(self, group: Counted, neighbours: Neighbours) -> int:
        """How many cells of a group's tables one row can change: one a table, or two of each that has several."""
        return group.tables if neighbours == "add-remove" else touched(neighbours) * group.varied

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Weight x cells that change x `times`^power, group by group."""
        total, change = Fraction(0), self.times**power
        for weight, group in zip(weights, self.counted, strict=True):
            total += weight * self._cells(group, neighbours) * change
        return total

    def largest_change(self, neighbours: Neighbours) -> int:
        """A cell changes by `times`, unless every table has one cell and a row is replaced."""
        return self.times * any(self._cells(group, neighbours) for group in self.counted)

    def block_starts(self) -> Sums | None:
        """A block is a table."""
        return self.starts

    def block_change(self, neighbours: Neighbours) -> int:
        """One cell of a table changes, or two do."""
        return self.largest_change(neighbours) * touched(neighbours)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell of a table."""
        index = np.repeat(self.group_of_table, np.diff(self.starts))
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def zeros(self) -> Sums:
        return np.zeros(int(self.starts[-1]), dtype=np.int64)

    def to_coordinates(self, sums: Sums) -> Sums:
        """The counts, times what a row counts."""
        return sums if self.times == 1 else sums * self.times

    def rows(self, sums: Sums) -> int:
        """Any one table holds all rows."""
        return int(sums[: self.starts[1]].sum())


class OneTable(TableStatistic):
    """A single table, whose cells are compared and selected one by one."""

    groups = 1
    cells: int
    """How many cells the table has."""

    @property
    def starts(self) -> Sums:
        return np.array([0, self.cells], dtype=np.int64)

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        return np.zeros(1, dtype=np.int32)

    def block_starts(self) -> None:
        """Every cell is a block of its own."""

    def block_change(self, neighbours: Neighbours) -> int:
        """A cell changes by `times`."""
        return self.largest_change(neighbours)
