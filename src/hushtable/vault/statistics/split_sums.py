"""Split sums: for a column of numbers, units that every row splits between the two ends of its range."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...domain import Domain
from ...domain.attributes import Attribute, Binned
from ...errors import BadData
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Statistic, Sums
from .reals import ROOM

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SplitSums", "SplitTable"]

SplitTable = tuple[str, str | None]
"""A column of numbers, and the column in whose cells its sums are taken; None for all rows."""


class SplitSums(Statistic):
    """Tables of two numbers a cell: how many units the rows there have at the lower and at the upper end.

    A row with the value v, cut to [low, high], has round(unit (v - low) / (high - low)) units at the upper end and the
    rest of `unit` at the lower one; a row without a number has none. The mean of a cell is low plus the range times
    the share of its units at the upper end, and their sum over `unit` is its number of rows. One group a table.
    """

    name: ClassVar[str] = "split-sums"

    def __init__(self, domain: Domain, tables: Sequence[SplitTable], *, unit: int) -> None:
        self.tables, self.unit, self.groups = tuple(tables), unit, len(tables)
        closed = {attribute.name: attribute for attribute in domain.closed}
        self._numbers = {name: cast(Binned, closed[name]) for name, _ in self.tables}
        self._by: dict[str, Attribute] = {by: closed[by] for _, by in self.tables if by is not None}
        self.lengths = tuple(2 * (1 if by is None else closed[by].size) for _, by in self.tables)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of numbers and of cells, each once."""
        return tuple(dict.fromkeys([*self._numbers, *self._by]))

    def read(self, batch: pa.RecordBatch, domain: Domain) -> tuple[dict[str, Sums], dict[str, Sums]]:
        """Units at the upper end of every column of numbers, -1 where there is no number; and codes of the cells."""
        from ..coding import encode, real_numbers

        place = {name: i for i, name in enumerate(self.columns(domain))}
        numbers = {n: self._units(a, real_numbers(a, batch.column(place[n]))) for n, a in self._numbers.items()}
        return numbers, {n: encode(a, batch.column(place[n])).astype(np.int64) for n, a in self._by.items()}

    def _units(self, attribute: Binned, numbers: NDArray[np.float64]) -> Sums:
        low, high = float(attribute.low), float(attribute.high)
        part = (np.clip(numbers, low, high) - low) / (high - low)
        return np.where(np.isfinite(numbers), np.rint(np.nan_to_num(part) * self.unit), -1).astype(np.int64)

    def zeros(self) -> Sums:
        """The number of rows, then the tables one after the other, cell by cell."""
        return np.zeros(1 + sum(self.lengths), dtype=np.int64)

    def accumulate(self, codes: tuple[dict[str, Sums], dict[str, Sums]]) -> Sums:
        """The number of rows, then the units of every cell at its lower and upper end."""
        numbers, cells = codes
        sums, start = self.zeros(), 1
        sums[0] = len(next(iter(numbers.values())))
        for (name, by), length in zip(self.tables, self.lengths, strict=True):
            units = numbers[name]
            there = units >= 0
            at = np.zeros(len(units), dtype=np.int64) if by is None else cells[by]
            own = sums[start : start + length].reshape(-1, 2)
            np.add.at(own[:, 0], at[there], self.unit - units[there])
            np.add.at(own[:, 1], at[there], units[there])
            start += length
        return sums

    def rows(self, sums: Sums) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def to_coordinates(self, sums: Sums) -> Sums:
        """The units of every cell."""
        if int(sums[0]) * self.unit >= ROOM:
            raise BadData("the table has far more rows than sums of them have room for; nothing was spent")
        return sums[1:]

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all numbers of a table."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=self._table_of_each)

    @cached_property
    def _table_of_each(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.groups, dtype=np.int32), self.lengths)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: in every table a row is non-negative with sum M = `unit`, or nothing, so that two rows differ by at
        most 2M in absolute value and 2 M^2 in squares (squares of a row sum to at most M^2, and products of two are
        not below 0). A row with all its numbers at their lower ends and one with all at their upper ends do, in all
        tables at once; one row alone, at an end, has M and M^2.
        """
        return Fraction(sum(weights) * touched(neighbours) * self.unit**power)

    def largest_change(self, neighbours: Neighbours) -> int:
        """All units of a row at one end."""
        return self.unit
