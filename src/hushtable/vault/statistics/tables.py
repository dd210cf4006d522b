"""Tables: the contingency table of every set of a given number of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise, InteractionLayout
from .base import Codes, Statistic
from .part import Part

__all__ = ["Tables"]


class Tables(Statistic):
    """The cells of all tables of exactly `order` attributes, set after set in colex order.

    One row adds 1 to one cell of every table; replacing it moves at most 1 from one cell to another in each.
    Tables of the same kind (sorted sizes) form a group.
    """

    name: ClassVar[str] = "tables"

    def __init__(self, interactions: InteractionLayout, *, threads: int | None = None) -> None:
        self.interactions = InteractionLayout(interactions.sizes, min(interactions.order, len(interactions.sizes)))
        keys = self.interactions.groups
        self._top = [g for g, key in enumerate(keys) if len(key) == self.interactions.order]
        self.groups = len(self._top)
        self.threads = threads

    def part(self, index: int) -> Part:
        """One of the tables, by its number in colex order."""
        starts = self.interactions.table_starts
        return Part.table(self, int(starts[index]), int(starts[index + 1]))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(int(self.interactions.table_starts[-1]), dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """Counts of all cells."""
        from .kernels import contingency_tables

        whole = self.interactions
        return contingency_tables(codes, whole.sizes, whole.order, whole.table_starts, self.threads)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Any one table holds all rows."""
        return int(sums[: self.interactions.table_starts[1]].sum())

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell of a table."""
        last = self.interactions.group_of_set[-len(self.interactions.sets[-1]) :] - self._top[0]
        index = np.repeat(last, np.diff(self.interactions.table_starts)).astype(np.int32)
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact, and the same for either power: a row can differ from another in every attribute at once."""
        if power not in (1, 2):
            raise ValueError(f"power must be 1 (Laplace) or 2 (Gaussian), not {power}")
        total = Fraction(0)
        for weight, group in zip(weights, self._top, strict=True):
            # A table with one cell looks the same whichever row is replaced.
            moved = 1 if neighbours == "add-remove" else 2 * (max(self.interactions.groups[group]) > 1)
            total += weight * self.interactions.sets_in(group) * moved
        return total

    def block_starts(self) -> NDArray[np.int64]:
        """A block is a table."""
        return self.interactions.table_starts

    def block_change(self, neighbours: Neighbours) -> int:
        """One cell of a table changes by 1, or two do."""
        return 1 if neighbours == "add-remove" else 2 * (max(self.interactions.sizes) > 1)

    def largest_change(self, neighbours: Neighbours) -> int:
        """A cell changes by 1, unless every table has one cell and a row is replaced."""
        return int(neighbours == "add-remove" or max(self.interactions.sizes) > 1)
