"""One-way tables: the counts of every value of every column, in groups of columns that share their noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...maths.geometry.bodies import ProductBody
from .base import Codes, Sums
from .joint import JointStatistic
from .table_statistic import TableStatistic

__all__ = ["OneWayTables"]


class OneWayTables(TableStatistic, JointStatistic):
    """The tables of single columns, group after group; `columns` are the positions of each group's columns.

    Where none are given all columns are one group.
    """

    name: ClassVar[str] = "one-way-tables"

    def __init__(
        self, sizes: Sequence[int], columns: Sequence[Sequence[int]] | None = None, *, threads: int | None = None
    ) -> None:
        self.sizes = tuple(sizes)
        self.grouped = tuple(tuple(group) for group in columns or [range(len(self.sizes))])
        if sorted(p for group in self.grouped for p in group) != list(range(len(self.sizes))):
            raise ValueError("every column is in one group")
        self.groups = len(self.grouped)
        self.threads = threads

    @property
    def _order(self) -> list[int]:
        return [p for group in self.grouped for p in group]

    @property
    def starts(self) -> Sums:
        return np.cumsum([0, *(self.sizes[p] for p in self._order)]).astype(np.int64)

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.groups, dtype=np.int32), [len(group) for group in self.grouped])

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        from .chosen_kernel import chosen_tables

        return chosen_tables(codes, self.sizes, [(p,) for p in self._order], self.starts, self.threads)

    def body(self, group: int, neighbours: Neighbours) -> ProductBody:
        """A row is in one cell of each table, whichever: `ProductBody` says why that is the body."""
        return ProductBody(tuple(self.sizes[p] for p in self.grouped[group]), neighbours == "add-remove")
