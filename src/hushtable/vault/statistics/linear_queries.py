"""Linear queries: for each query of a class, the sum over rows of its weight."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.linear import LinearClass
from .base import Codes, Statistic
from .chosen_tables import ChosenTables
from .part import Part

__all__ = ["LinearQueries", "statistic_of"]

Sums = NDArray[np.int64]

# Work up to which the worst row, or pair of rows, of a whole class is searched for instead of bounded.
MOST_ROWS, MOST_WORK = 1 << 20, 1 << 26


def statistic_of(linear_class: LinearClass, *, threads: int | None = None) -> ChosenTables | LinearQueries:
    """The statistic whose coordinates are those of a class; its `part(c)` is candidate c."""
    if linear_class.single:
        return LinearQueries(linear_class, threads=threads)
    return ChosenTables(linear_class.sizes, linear_class.sets, threads=threads)


class LinearQueries(Statistic):
    """The sums of all queries of a class, in one group. What is accumulated are the cells of the class's sets."""

    name: ClassVar[str] = "linear-queries"

    def __init__(self, linear_class: LinearClass, *, threads: int | None = None) -> None:
        if not linear_class.single:
            raise ValueError("every candidate must be one query; the statistic of whole tables is ChosenTables")
        self.linear_class = linear_class
        self._cells = ChosenTables(linear_class.sizes, linear_class.sets, threads=threads)
        self.groups = 1

    def part(self, candidate: int) -> Part:
        """One query, at its own exact sensitivity: its largest value, or the width of its range."""
        function = self.linear_class.functions(candidate)
        low, high = int(function.min()), int(function.max())
        return Part(self, candidate, candidate + 1, added=(high,), replaced=(high - low,))

    def zeros(self) -> Sums:
        """The sum over no rows."""
        return self._cells.zeros()

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells of the sets."""
        return self._cells.accumulate(codes)

    def to_coordinates(self, sums: Sums) -> Sums:
        """The queries' weighted sums of cells."""
        return np.asarray(self.linear_class.apply(sums), dtype=np.int64)

    def rows(self, sums: Sums) -> int:
        """Any one table holds all rows."""
        return self._cells.rows(sums)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every query."""
        (scale,) = per_group
        return CoordinateNoise(law=law, table=(scale,), index=np.zeros(len(self.linear_class), dtype=np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Weight x max over rows (or pairs of rows) of the sum over queries of |change|^power.

        Exact where all rows of the attributes involved can be tried: up to 2^20 rows and 2^26 steps. Beyond, an
        upper bound: each table's (add-remove) worst cell, and for replace the lesser of the sum over queries of
        (largest - smallest weight)^power and twice the add-remove value, as no weight is negative.
        """
        (weight,) = weights
        return weight * self._search(power, neighbours)

    def _search(self, power: int, neighbours: Neighbours) -> int:
        added = self._worst_row(power)
        if neighbours == "add-remove":
            return added
        given = self.linear_class
        if self._possible_rows() ** 2 * len(given) <= MOST_WORK:
            return self._worst_pair(power)
        low, high = given.ranges()
        return min(2 * added, int(((high - low) ** power).sum()))

    def _involved(self) -> list[int]:
        return sorted({j for members in self.linear_class.sets for j in members})

    def _possible_rows(self) -> int:
        """How many rows differ in the attributes involved."""
        return prod(self.linear_class.sizes[j] for j in self._involved())

    def _worst_row(self, power: int) -> int:
        """Max over rows of the sum over tables of the norm at the row's cell, or the sum of each table's maximum."""
        given, involved = self.linear_class, self._involved()
        norms = given.norms(power)
        if self._possible_rows() > MOST_ROWS or self._possible_rows() * len(given.sets) > MOST_WORK:
            return int(np.maximum.reduceat(norms, given.cell_starts[:-1]).sum())
        total = np.zeros([given.sizes[j] for j in involved], dtype=np.int64)
        for s, members in enumerate(given.sets):
            shape = [given.sizes[j] if j in members else 1 for j in involved]
            total += norms[given.cell_starts[s] : given.cell_starts[s + 1]].reshape(shape)
        return int(total.max())

    def _worst_pair(self, power: int) -> int:
        """Max over pairs of rows, each row written as its weights in all queries."""
        given, involved = self.linear_class, self._involved()
        shape = [given.sizes[j] for j in involved]
        weights = np.empty((prod(shape), len(given)), dtype=np.int64)
        for c in range(len(given)):
            members = given.sets[given.set_of(c)]
            function = given.functions(c).reshape([given.sizes[j] if j in members else 1 for j in involved])
            weights[:, c] = np.broadcast_to(function, shape).ravel()
        distinct = np.unique(weights, axis=0)
        return max(int((abs(distinct - row) ** power).sum(axis=1).max()) for row in distinct)

    def largest_change(self, neighbours: Neighbours) -> int:
        """The largest weight, or the widest range of one query's weights."""
        low, high = self.linear_class.ranges()
        return int((high if neighbours == "add-remove" else high - low).max())
