"""Network: the fitted tables laid out for the kernels, over base groups (the finest grouping any table uses)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .fit_targets import FitTargets
from .grouped_sets import GroupedSet
from .resolution import refined
from .row_lengths import NO_LENGTHS, RowLengths
from .rules import Rules

__all__ = ["Network", "base_groups", "build"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]
# The variance c of a one-way's pull is this part of its noise: so small that the rows keep one-ways all but exactly.
FIRM_ONE_WAY = 1e-3
# Larger factors are cut here, so that no product of single-precision numbers leaves its range.
FACTOR_REACH = 60.0


@dataclass(frozen=True, eq=False)
class Network:
    """Factors over base groups. `sets` are the tables in terms of base groups: pairs first, then one-ways."""

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

    @property
    def sizes(self) -> list[int]:
        """Number of base groups of each attribute."""
        return [len(share) for share in self.shares]

    @property
    def alone(self) -> int:
        """The first factor of a single attribute: all after it are too."""
        return int((self.factors[:, 0] > 1).sum())

    def links(self, theta: Floats) -> tuple[Map, Map, Map, NDArray[np.float32]]:
        """What a Gibbs pass needs: each attribute's links, their starts, the maps and the factor tables."""
        lines: list[list[tuple[int, ...]]] = [[] for _ in self.shares]
        # A map of zeros stands in for a second other attribute where there is none.
        maps, place = [np.zeros(max(self.sizes), dtype=np.int64)], max(self.sizes)
        tables: list[NDArray[np.float32]] = []
        filled = 0
        for number, grouped in enumerate(self.sets):
            whole = theta[self.cells[number] : self.cells[number + 1]].reshape(grouped.shape)
            for axis, member in enumerate(grouped.members):
                # Rows: cells of the others, columns: base groups of this member.
                part = np.moveaxis(whole, axis, -1)[..., grouped.maps[axis]].reshape(-1, self.sizes[member])
                part = part - part.max(axis=1, keepdims=True)
                line = [0, 0, 0, 0]
                stride = 1
                for slot, other in enumerate([a for a in range(len(grouped.members)) if a != axis][::-1]):
                    maps.append(grouped.maps[other] * stride)
                    line[2 * slot : 2 * slot + 2] = [grouped.members[other], place]
                    place += len(grouped.maps[other])
                    stride *= grouped.shape[other]
                lines[member].append((*line, filled))
                tables.append(np.exp(np.maximum(part, -FACTOR_REACH)).astype(np.float32).ravel())
                filled += part.size
        starts = np.cumsum([0, *(len(mine) for mine in lines)])
        flat = np.array([line for mine in lines for line in mine], dtype=np.int64).reshape(-1, 5)
        return flat, starts, np.concatenate(maps), np.concatenate([*tables, np.zeros(1, np.float32)])


def base_groups(sizes: Sequence[int], sets: Sequence[GroupedSet], rules: Sequence[tuple[int, Map]]) -> list[Map]:
    """The common refinement of all groupings in use; one group where an attribute is in no table."""
    groupings: list[list[Map]] = [[np.zeros(size, dtype=np.int64)] for size in sizes]
    for grouped in sets:
        for member, groups in zip(grouped.members, grouped.maps, strict=True):
            groupings[member].append(groups)
    for member, classes in rules:
        groupings[member].append(classes)
    return [refined(maps) for maps in groupings]


def build(agreed: FitTargets, base: list[Map], rules: Rules, lengths: RowLengths = NO_LENGTHS) -> Network:
    """Lays the tables out; one-ways follow the pairs, so that each sweep ends with exact margins."""
    shares: list[Floats] = [
        np.asarray(np.bincount(groups, p), dtype=np.float64) for groups, p in zip(base, agreed.shares, strict=True)
    ]
    sets = [_on_base(grouped, base) for grouped in agreed.sets]
    target = [counts.ravel() for counts in agreed.counts]
    strength: list[Floats] = [np.full(grouped.cells, c) for grouped, c in zip(sets, agreed.strengths, strict=True)]
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
                   agreed.rows, rules, lengths)  # fmt: skip


def _on_base(grouped: GroupedSet, base: Sequence[Map]) -> GroupedSet:
    """The same table with maps from base group to group."""
    maps = []
    for member, groups in zip(grouped.members, grouped.maps, strict=True):
        _, first = np.unique(base[member], return_index=True)
        maps.append(groups[first])
    return GroupedSet(grouped.members, tuple(maps))
