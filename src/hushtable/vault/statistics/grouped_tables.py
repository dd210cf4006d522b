"""GroupedTables: contingency tables of chosen attribute sets, each attribute at a chosen grouping of its codes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.weighted_rows.grouped_sets import GroupedSet
from .base import Codes, Statistic

__all__ = ["GroupedTables"]


class GroupedTables(Statistic):
    """The cells of each table in C order, table after table; a row adds `times` to one cell of every table.

    sets        the tables; without them every pair of attributes, every code its own group
    noise_group which noise scale each table has; without it they share one
    times       lets a distance from a reference be told in units finer than a row
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
        self.starts = np.cumsum([0, *(one.cells for one in self.sets)])

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(int(self.starts[-1]), dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """Counts of all cells."""
        from .grouped_kernels import count_grouped

        out = self.zeros()
        count_grouped(codes, self.sizes, self.sets, self.starts, out)
        return out

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts times the unit."""
        return sums * self.times

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Any one table holds all rows."""
        return int(sums[: self.starts[1]].sum())

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell of a table."""
        index = np.repeat(np.array(self.noise_group, dtype=np.int32), np.diff(self.starts))
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Sum over tables: exact for add-remove.

        Under replace every table is taken to change, which some two rows reach unless the groupings of an
        attribute are so different that no two codes are apart in all of them: then an upper bound.
        """
        if power not in (1, 2):
            raise ValueError(f"power must be 1 (Laplace) or 2 (Gaussian), not {power}")
        moved = [0] * self.groups
        for one, group in zip(self.sets, self.noise_group, strict=True):
            moved[group] += self._moved(one, neighbours)
        change = self.times**power
        return sum((weight * count * change for weight, count in zip(weights, moved, strict=True)), Fraction(0))

    def block_starts(self) -> NDArray[np.int64]:
        """A block is a table."""
        return self.starts

    def block_change(self, neighbours: Neighbours) -> int:
        """One cell of a table changes by 1, or two do."""
        return self.times * max(self._moved(one, neighbours) for one in self.sets)

    def largest_change(self, neighbours: Neighbours) -> int:
        """A cell changes by 1, unless every table has one cell and a row is replaced."""
        return self.times * min(1, max(self._moved(one, neighbours) for one in self.sets))

    @staticmethod
    def _moved(one: GroupedSet, neighbours: Neighbours) -> int:
        """How many cells of a table one row changes by 1 at most."""
        return 1 if neighbours == "add-remove" else 2 * (one.cells > 1)


def _all_pairs(sizes: Sequence[int]) -> list[GroupedSet]:
    whole = [np.arange(size) for size in sizes]
    chosen: list[tuple[int, ...]] = [*combinations(range(len(sizes)), 2)] or [(0,)]
    return [GroupedSet(members, tuple(whole[m] for m in members)) for members in chosen]
