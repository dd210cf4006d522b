"""GroupedTables: contingency tables of chosen attribute sets, each attribute at a chosen grouping of its codes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.tables import GroupedSet
from .base import Codes, Sums
from .table_statistic import TableStatistic

__all__ = ["GroupedTables"]


class GroupedTables(TableStatistic):
    """The cells of each table in C order, table after table; a row adds `times` to one cell of every table.

    sets        the tables; without them every pair of attributes, every code its own group
    noise_group which noise scale each table has; without it they share one

    Under replace every table is taken to change, which some two rows reach unless the groupings of an attribute are
    so different that no two codes are apart in all of them: then the sensitivity is an upper bound.
    """

    name: ClassVar[str] = "grouped-tables"

    def __init__(
        self,
        sizes: Sequence[int],
        sets: Sequence[GroupedSet] | None = None,
        noise_group: Sequence[int] | None = None,
        *,
        times: int = 1,
    ) -> None:
        self.sizes, self.times = tuple(sizes), times
        self.sets = list(_all_pairs(self.sizes) if sets is None else sets)
        self.noise_group = [0] * len(self.sets) if noise_group is None else list(noise_group)
        self.groups = max(self.noise_group) + 1
        self._starts = np.cumsum([0, *(grouped.cells for grouped in self.sets)])

    @property
    def starts(self) -> Sums:
        return self._starts

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        return np.array(self.noise_group, dtype=np.int32)

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        from .grouped_kernels import count_grouped

        counts = self.zeros()
        count_grouped(codes, self.sizes, self.sets, self.starts, counts)
        return counts


def _all_pairs(sizes: Sequence[int]) -> list[GroupedSet]:
    whole = [np.arange(size) for size in sizes]
    chosen: list[tuple[int, ...]] = [*combinations(range(len(sizes)), 2)] or [(0,)]
    return [GroupedSet(members, tuple(whole[m] for m in members)) for members in chosen]
