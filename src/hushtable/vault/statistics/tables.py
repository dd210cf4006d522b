"""Tables: the contingency table of every set of a given number of attributes."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...maths.interactions.layout import InteractionLayout
from .base import Codes, Sums
from .part import Part
from .table_statistic import Counted, TableStatistic

__all__ = ["Tables"]


class Tables(TableStatistic):
    """The cells of all tables of exactly `order` attributes, set after set in colex order.

    Tables of the same kind (sorted sizes) form a group.
    """

    name: ClassVar[str] = "tables"

    def __init__(self, interactions: InteractionLayout, *, threads: int | None = None) -> None:
        self.interactions = InteractionLayout(interactions.sizes, min(interactions.order, len(interactions.sizes)))
        keys = self.interactions.groups
        self._top = [g for g, key in enumerate(keys) if len(key) == self.interactions.order]
        self.groups = len(self._top)
        self.threads = threads

    @property
    def starts(self) -> Sums:
        return self.interactions.table_starts

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        tables = len(self.interactions.sets[-1])
        return self.interactions.group_of_set[-tables:] - np.int32(self._top[0])

    @cached_property
    def counted(self) -> list[Counted]:
        """By binomials, so that a plan need not write all sets down: the tables of a group have as many cells each."""
        sets, kinds = self.interactions.sets_in, self.interactions.groups
        return [Counted(sets(group), sets(group) if max(kinds[group], default=1) > 1 else 0) for group in self._top]

    def part(self, index: int) -> Part:
        """One of the tables, by its number in colex order."""
        return Part.table(self, int(self.starts[index]), int(self.starts[index + 1]))

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        from .kernels import contingency_tables

        layout = self.interactions
        return contingency_tables(codes, layout.sizes, layout.order, self.starts, self.threads)
