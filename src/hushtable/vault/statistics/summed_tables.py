"""SummedTables: contingency tables whose distances from public ones are added up to a single number."""

from __future__ import annotations

from typing import ClassVar

from ...budget import Neighbours
from .base import Sums
from .grouped_tables import GroupedTables

__all__ = ["SummedTables"]


class SummedTables(GroupedTables):
    """The cells of grouped tables, all of which are one block: one distance for all tables together.

    Added or removed, a row changes one cell of each table by `times`, so the sum of all absolute differences by at
    most the number of tables x `times`. Replaced, it changes two cells of each table that has several, or none.
    """

    name: ClassVar[str] = "summed-tables"

    def block_starts(self) -> Sums:
        """All cells are one block."""
        return self.starts[[0, -1]]

    def block_change(self, neighbours: Neighbours) -> int:
        """Every table's cell changes, or two do of each that has more than one."""
        return self.times * sum(self._cells(group, neighbours) for group in self.counted)
