"""Chosen tables: the contingency tables of a given list of attribute sets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.linear import MOST_CELLS, cell_starts
from .base import Codes, Statistic
from .part import Part

__all__ = ["ChosenTables"]


class ChosenTables(Statistic):
    """The cells of the tables of `sets`, set after set, each in C order. Every set is a group.

    One row adds 1 to one cell of every table; replacing it moves at most 1 from one cell to another in each.
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
        self.cell_starts = cell_starts(self.sizes, self.sets, cap=cap)
        self.groups = len(self.sets)
        self.threads = threads

    def part(self, index: int) -> Part:
        """One of the tables."""
        return Part.table(self, int(self.cell_starts[index]), int(self.cell_starts[index + 1]))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(int(self.cell_starts[-1]), dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """Counts of all cells."""
        from .chosen_kernel import chosen_tables

        return chosen_tables(codes, self.sizes, self.sets, self.cell_starts, self.threads)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Any one table holds all rows."""
        return int(sums[: self.cell_starts[1]].sum())

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell of a table."""
        index = np.repeat(np.arange(self.groups, dtype=np.int32), np.diff(self.cell_starts))
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact, and the same for either power: a row can differ from another in every attribute at once."""
        if power not in (1, 2):
            raise ValueError(f"power must be 1 (Laplace) or 2 (Gaussian), not {power}")
        total = Fraction(0)
        for weight, cells in zip(weights, np.diff(self.cell_starts), strict=True):
            # A table with one cell looks the same whichever row is replaced.
            total += weight * (1 if neighbours == "add-remove" else 2 * int(cells > 1))
        return total

    def block_starts(self) -> NDArray[np.int64]:
        """A block is a table."""
        return self.cell_starts

    def block_change(self, neighbours: Neighbours) -> int:
        """One cell of a table changes by 1, or two do."""
        return self.largest_change(neighbours) * (1 if neighbours == "add-remove" else 2)

    def largest_change(self, neighbours: Neighbours) -> int:
        """A cell changes by 1, unless every table has one cell and a row is replaced."""
        return int(neighbours == "add-remove" or bool(np.diff(self.cell_starts).max() > 1))
