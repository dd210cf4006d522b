"""GroupedInteractions: of grouped tables only what their margins do not say, which costs less than the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...errors import BadPlan
from ...laws import Law
from ...maths.interactions.contrasts import contrasts
from ...maths.interactions.layout import CoordinateNoise
from ...maths.weighted_rows.grouped_sets import GroupedSet
from .base import Codes, Statistic
from .grouped_tables import GroupedTables

__all__ = ["GroupedInteractions"]

# More combinations of differences than this are not searched: each table is then taken at its own worst.
MOST_COMBINATIONS = 256
Pattern = tuple[bool, ...]


class GroupedInteractions(Statistic):
    """Products of contrasts of the groups, table after table: prod (g - 1) coordinates a table, no margins.

    In orthonormal units one row has squared length prod (1 - 1/g), for two groups each a quarter of the table's,
    so the same noise costs that much less [XiaHZK23].
    """

    name: ClassVar[str] = "grouped-interactions"

    def __init__(
        self, sizes: Sequence[int], sets: Sequence[GroupedSet] | None = None, noise_group: Sequence[int] | None = None
    ) -> None:
        self.tables = GroupedTables(sizes, sets, noise_group)
        self.sets, self.noise_group, self.groups = self.tables.sets, self.tables.noise_group, self.tables.groups
        self.starts = np.cumsum([0, *(grouped.interactions for grouped in self.sets)])
        if self.starts[-1] == 0:
            raise BadPlan("an interaction needs a table whose attributes all have two groups or more")

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return self.tables.zeros()

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """Counts of all cells."""
        return self.tables.accumulate(codes)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Contrasts along every axis of every table."""
        parts = np.split(sums, self.tables.starts[1:-1])
        return np.concatenate([self._changed(grouped, part) for grouped, part in zip(self.sets, parts, strict=True)])

    @staticmethod
    def _changed(grouped: GroupedSet, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        table = counts.reshape(grouped.shape)
        for axis, size in enumerate(grouped.shape):
            table = np.moveaxis(np.tensordot(contrasts(size).matrix[1:], table, axes=(1, axis)), 0, axis)
        return table.ravel()

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Any one table holds all rows."""
        return self.tables.rows(sums)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """Variance in proportion to the squared length of a product of contrasts; Laplace scale to its step."""
        scale_numbers: dict[Fraction, int] = {}
        index = []
        for table, group in zip(self.sets, self.noise_group, strict=True):
            units = np.ones((), dtype=np.int64)
            for size in table.shape:
                whole = contrasts(size).norms if law.power == 2 else contrasts(size).steps
                units = np.multiply.outer(units, np.array(whole[1:], dtype=np.int64))
            distinct, which = np.unique(units.ravel(), return_inverse=True)
            numbers = [scale_numbers.setdefault(per_group[group] * int(unit), len(scale_numbers)) for unit in distinct]
            index.append(np.array(numbers, dtype=np.int32)[which])
        return CoordinateNoise(law=law, table=tuple(scale_numbers), index=np.concatenate(index).astype(np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact for add-remove: every row has the same length in every table.

        Under replace the worst pair of rows is searched among all combinations of groups that differ, where there
        are few; else each table is taken at its own worst, an upper bound.
        """
        live = [
            (table, weights[group]) for table, group in zip(self.sets, self.noise_group, strict=True) if weights[group]
        ]
        if neighbours == "add-remove":
            return sum((weight * _one_row(table.shape, power) for table, weight in live), Fraction(0))
        if self._combinations is None:
            worst = {table.shape: _worst_change(table.shape, power) for table, _ in live}
            return sum((weight * worst[table.shape] for table, weight in live), Fraction(0))
        places = {(table, axis): place for place, table, axis in self._axes}
        values = []
        for differs in self._combinations:
            parts = (
                weight
                * _change(table.shape, tuple(differs[places[table, a]] for a in range(len(table.members))), power)
                for table, weight in live
            )
            values.append(sum(parts, Fraction(0)))
        return max(values)

    @cached_property
    def _axes(self) -> list[tuple[int, GroupedSet, int]]:
        """Every axis of every table, with the number of its grouping; equal groupings of an attribute share one."""
        numbers: dict[tuple[int, bytes], int] = {}
        axes = []
        for table in self.sets:
            for axis, (member, groups) in enumerate(zip(table.members, table.maps, strict=True)):
                axes.append((numbers.setdefault((member, groups.tobytes()), len(numbers)), table, axis))
        return axes

    @cached_property
    def _combinations(self) -> list[Pattern] | None:
        """Which groupings can differ at once between two rows; None when there are too many ways."""
        by_attribute: dict[int, dict[int, NDArray[np.int64]]] = {}
        for place, table, axis in self._axes:
            by_attribute.setdefault(table.members[axis], {})[place] = table.maps[axis]
        if 2 ** len(by_attribute) > MOST_COMBINATIONS:
            return None
        choices, order = [], []
        for groupings in by_attribute.values():
            keys = np.unique(np.array(list(groupings.values())).T, axis=0)
            choices.append(sorted({tuple(bool(d) for d in a != b) for a in keys for b in keys}))
            order += list(groupings)
            if prod(len(c) for c in choices) > MOST_COMBINATIONS:
                return None
        return [_in_order(order, chosen) for chosen in product(*choices)]

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate: exact."""
        return max(_widest(table.shape, neighbours) for table in self.sets if table.interactions)


def _in_order(order: Sequence[int], chosen: Sequence[Pattern]) -> Pattern:
    flat = [differs for pattern in chosen for differs in pattern]
    return tuple(differs for _, differs in sorted(zip(order, flat, strict=True)))


def _one_row(shape: Sequence[int], power: int) -> Fraction:
    """Sum over coordinates of |value|^power / unit, for any row."""
    if power == 2:
        return prod((Fraction(g - 1, g) for g in shape), start=Fraction(1))
    return prod((contrasts(g).largest_l1() if g > 1 else Fraction(0) for g in shape), start=Fraction(1))


def _change(shape: Sequence[int], differs: Pattern, power: int) -> Fraction:
    """The same for the difference of two rows, by which groups differ.

    2 (prod (1 - 1/g) - prod over equal (1 - 1/g) x prod over different (-1/g)); with Laplace noise exact for two
    groups each, whose one coordinate changes by 2 if an odd number differ, and otherwise twice that of one row.
    """
    if not any(differs):
        return Fraction(0)
    if power == 2:
        alike = (Fraction(-1 if d else g - 1, g) for g, d in zip(shape, differs, strict=True))
        return 2 * (_one_row(shape, 2) - prod(alike, start=Fraction(1)))
    if all(g == 2 for g in shape):
        return Fraction(2 * (sum(differs) % 2))
    return 2 * _one_row(shape, 1)


def _worst_change(shape: Sequence[int], power: int) -> Fraction:
    return max(_change(shape, pattern, power) for pattern in product((False, True), repeat=len(shape)))


def _widest(shape: Sequence[int], neighbours: Neighbours) -> int:
    """Largest |product of contrasts|, or the largest difference between two values of one product."""
    ends = [[(int(row.min()), int(row.max())) for row in contrasts(size).matrix[1:]] for size in shape]
    return max(_range(chosen, neighbours) for chosen in product(*ends))


def _range(chosen: Sequence[tuple[int, int]], neighbours: Neighbours) -> int:
    low = high = 1
    for a, b in chosen:
        corners = list(_corners((low, high), (a, b)))
        low, high = min(corners), max(corners)
    return max(abs(low), abs(high)) if neighbours == "add-remove" else high - low


def _corners(first: tuple[int, int], second: tuple[int, int]) -> Iterator[int]:
    return (x * y for x in first for y in second)
