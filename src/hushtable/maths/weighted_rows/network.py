"""Network: the fitted tables laid out for the kernels, over base groups (the finest grouping any table uses)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .fit_targets import FitTargets
from .grouped_sets import GroupedSet
from .repair import Repair
from .resolution import refined
from .row_lengths import NO_LENGTHS, RowLengths
from .rules import Rules

__all__ = ["Network", "base_groups", "build", "on_base"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]
# The variance c of a one-way's pull is this part of its noise: so small that the rows keep one-ways all but exactly.
FIRM_ONE_WAY = 1e-3


@dataclass(frozen=True, eq=False)
class Network:
    """Factors over base groups. `sets` are the tables in terms of base groups: pairs and triples first, then
    repairs, then one-ways."""

    base: list[Map]
    """Code to base group, for every attribute."""
    shares: list[Floats]
    """Share of each base group."""
    sets: list[GroupedSet]
    factors: NDArray[np.int64]
    maps: NDArray[np.int64]
    cells: NDArray[np.int64]
    target: Floats
    strength: Floats
    rows: float
    rules: Rules
    lengths: RowLengths = NO_LENGTHS
    repairs: tuple[Repair, ...] = ()
    """The last tables before the one-ways, which were not measured."""

    @property
    def sizes(self) -> list[int]:
        """Number of base groups of each attribute."""
        return [len(share) for share in self.shares]

    @property
    def alone(self) -> int:
        """The first factor of a single attribute: all after it are too."""
        return int((self.factors[:, 0] > 1).sum())

    def grown(self, smaller: Network, theta: Floats) -> Floats:
        """Theta of a network with more tables than one whose theta is known: theirs begins at 0."""
        end = smaller.cells[smaller.alone]
        return np.concatenate([theta[:end], np.zeros(len(self.target) - len(theta)), theta[end:]])

    @cached_property
    def of_one(self) -> list[tuple[int, tuple[int, int]]]:
        """Factors of single attributes of two base groups: the attribute, and the cells of its groups 1 and 0."""
        found = []
        for number, grouped in enumerate(self.sets):
            if len(grouped.members) == 1 and len(grouped.maps[0]) == 2:
                none, one = (self.cells[number] + grouped.maps[0]).tolist()
                found.append((grouped.members[0], (one, none)))
        return found

    @cached_property
    def of_two(self) -> tuple[Map, Map]:
        """Factors of two attributes of two base groups each: members, and the cells of the groups 00, 10, 01 and 11."""
        members, cells = [], []
        for number, grouped in enumerate(self.sets):
            if len(grouped.members) == 2 and [len(groups) for groups in grouped.maps] == [2, 2]:
                (a, b), (c, d) = (groups.tolist() for groups in grouped.maps)
                width, here = grouped.shape[1], int(self.cells[number])
                members.append(grouped.members)
                cells.append([here + first * width + second for first, second in ((a, c), (b, c), (a, d), (b, d))])
        return np.array(members, dtype=np.int64).reshape(-1, 2), np.array(cells, dtype=np.int64).reshape(-1, 4)


def base_groups(sizes: Sequence[int], sets: Sequence[GroupedSet], rules: Sequence[tuple[int, Map]]) -> list[Map]:
    """The common refinement of all groupings in use; one group where an attribute is in no table."""
    groupings: list[list[Map]] = [[np.zeros(size, dtype=np.int64)] for size in sizes]
    for grouped in sets:
        for member, groups in zip(grouped.members, grouped.maps, strict=True):
            groupings[member].append(groups)
    for member, classes in rules:
        groupings[member].append(classes)
    return [refined(maps) for maps in groupings]


def build(
    agreed: FitTargets, base: list[Map], rules: Rules, lengths: RowLengths = NO_LENGTHS, repairs: Sequence[Repair] = ()
) -> Network:
    """Lays the tables out; one-ways follow the pairs, so that each sweep ends with exact margins."""
    shares: list[Floats] = [
        np.asarray(np.bincount(groups, p), dtype=np.float64) for groups, p in zip(base, agreed.shares, strict=True)
    ]
    sets = [on_base(grouped, base) for grouped in (*agreed.sets, *(repair.set for repair in repairs))]
    target = [counts.ravel() for counts in (*agreed.counts, *(repair.counts for repair in repairs))]
    strength: list[Floats] = [
        np.full(grouped.cells, c) for grouped, c in zip(agreed.sets, agreed.strengths, strict=True)
    ]
    strength += [repair.strength.ravel() for repair in repairs]
    for j, groups in enumerate(base):
        if len(shares[j]) > 1:
            sets.append(GroupedSet((j,), (np.arange(len(shares[j])),)))
            target.append(agreed.rows * shares[j])
            strength.append(np.asarray(FIRM_ONE_WAY * agreed.variances[j] * np.bincount(groups)))
    factors = np.zeros((len(sets), 7), dtype=np.int64)
    maps, place = [np.zeros(1, dtype=np.int64)], 1
    for number, grouped in enumerate(sets):
        factors[number, 0] = len(grouped.members)
        stride = grouped.cells
        for slot, (member, groups, size) in enumerate(zip(grouped.members, grouped.maps, grouped.shape, strict=True)):
            stride //= size
            factors[number, 1 + slot], factors[number, 4 + slot] = member, place
            maps.append(groups * stride)
            place += len(groups)
    cells = np.cumsum([0, *(grouped.cells for grouped in sets)])
    return Network(base, shares, sets, factors, np.concatenate(maps), cells,
                   np.concatenate([*target, np.zeros(0)]), np.concatenate([*strength, np.zeros(0)]),
                   agreed.rows, rules, lengths, tuple(repairs))  # fmt: skip


def on_base(grouped: GroupedSet, base: Sequence[Map]) -> GroupedSet:
    """The same table with maps from base group to group."""
    maps = []
    for member, groups in zip(grouped.members, grouped.maps, strict=True):
        _, first = np.unique(base[member], return_index=True)
        maps.append(groups[first])
    return GroupedSet(grouped.members, tuple(maps))
