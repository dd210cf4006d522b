"""Chosen tables: the contingency tables of a given list of attribute sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...maths.linear import MOST_CELLS, cell_starts
from .base import Codes, Sums
from .part import Part
from .table_statistic import TableStatistic

__all__ = ["ChosenTables"]


class ChosenTables(TableStatistic):
    """The cells of the tables of `sets`, set after set, each in C order. Every set is a group.

    A set is the ascending positions of its attributes; sets may differ in width. At most `cap` cells.
    """

    name: ClassVar[str] = "chosen-tables"

    def __init__(
        self,
        sizes: Sequence[int],
        sets: Sequence[Sequence[int]],
        *,
        cap: int = MOST_CELLS,
        threads: int | None = None,
    ) -> None:
        self.sizes, self.sets = tuple(sizes), tuple(tuple(members) for members in sets)
        self._starts = cell_starts(self.sizes, self.sets, cap=cap)
        self.groups = len(self.sets)
        self.threads = threads

    @property
    def starts(self) -> Sums:
        return self._starts

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        return np.arange(self.groups, dtype=np.int32)

    def part(self, index: int) -> Part:
        """One of the tables."""
        return Part.table(self, int(self.starts[index]), int(self.starts[index + 1]))

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        from .chosen_kernel import chosen_tables

        return chosen_tables(codes, self.sizes, self.sets, self.starts, self.threads)
