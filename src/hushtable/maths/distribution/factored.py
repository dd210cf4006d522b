"""Factored: a distribution over a domain as a product of tables over disjoint groups of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["Factored", "Group"]

Floats = NDArray[np.float64]
Places = NDArray[np.int32]


@dataclass(eq=False)
class Group:
    """The joint table of some attributes: flat, C order over its members."""

    members: tuple[int, ...]
    sizes: tuple[int, ...]
    table: Floats
    _places: dict[tuple[int, ...], tuple[Places, Places]] = field(default_factory=dict, repr=False)

    def places(self, positions: Sequence[int]) -> tuple[Places, Places]:
        """Where each cell falls in the table (C order) of those of `positions` that are members."""
        from .kernels import places

        own = tuple(p for p in positions if p in self.members)
        if own not in self._places:
            size = dict(zip(self.members, self.sizes, strict=True))
            step = {p: prod(size[q] for q in own[i + 1 :]) for i, p in enumerate(own)}
            self._places[own] = places(self.sizes, [step.get(p, 0) for p in self.members])
        return self._places[own]

    def marginal(self, positions: Sequence[int]) -> Floats:
        """The table of those of `positions` that are members, an axis each, in the order given."""
        from .kernels import tally

        size = dict(zip(self.members, self.sizes, strict=True))
        shape = [size[p] for p in positions if p in size]
        out = np.zeros(prod(shape))
        tally(self.table, *self.places(positions), out)
        return out.reshape(shape)

    def sub_tables(self, width: int) -> dict[tuple[int, ...], Floats]:
        """The tables of all sets of at most `width` members, members ascending."""
        order = np.argsort(self.members)
        table = np.ascontiguousarray(self.table.reshape(self.sizes).transpose(order))
        return dict(_summed(table, [self.members[i] for i in order], width))

    def parity_means(self, levels: Sequence[NDArray[np.integer]]) -> list[Floats]:
        """For sets of 0, 1, 2, ... attributes: the mean product of the signs of those that are members."""
        from .kernels import walsh

        values = self.table.copy()
        walsh(values)
        bits = np.zeros(max(*self.members, *(int(s.max(initial=0)) for s in levels)) + 1, dtype=np.int64)
        bits[list(self.members)] = 1 << np.arange(len(self.members) - 1, -1, -1)
        return [values[bits[level].sum(axis=1)] for level in levels]

    def codes_of(self, cells: NDArray[np.integer]) -> tuple[NDArray[np.integer], ...]:
        """The code of each member in these cells."""
        return np.unravel_index(cells, self.sizes)


def _summed(table: Floats, members: Sequence[int], width: int) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """All tables of at most `width` members; each sum over an attribute serves all sets below it."""
    sizes = table.shape

    def walk(
        kept: tuple[int, ...], shape: tuple[int, ...], at: int, rest: Floats
    ) -> Iterator[tuple[tuple[int, ...], Floats]]:
        """`rest` has the kept attributes first, then members[at:]."""
        if at == len(members):
            yield kept, rest.reshape(shape)
            return
        yield from walk(kept, shape, at + 1, rest.reshape(prod(shape), sizes[at], -1).sum(axis=1))
        if len(kept) < width:
            yield from walk((*kept, members[at]), (*shape, sizes[at]), at + 1, rest)

    yield from walk((), (), 0, table)


class Factored:
    """Starts as the uniform distribution, one group an attribute; groups are joined when something spans them.

    Joining (outer product) and updating inside a group are exact, so that the same updates give the same
    distribution whether the table is explicit (one group) or not. No group ever has more than `cap` cells.
    """

    def __init__(self, sizes: Sequence[int], *, cap: int = 1 << 24) -> None:
        self.sizes, self.cap = tuple(sizes), cap
        self.groups = [Group((i,), (size,), np.full(size, 1 / size)) for i, size in enumerate(self.sizes)]

    @classmethod
    def explicit(cls, sizes: Sequence[int], weights: NDArray[np.number], *, cap: int = 1 << 24) -> Factored:
        """One group of all attributes, with these weights (C order), which need not sum to 1."""
        distribution = cls(sizes, cap=cap)
        joint = distribution.join(range(len(distribution.sizes)))
        joint.table = np.asarray(weights, dtype=np.float64) / float(np.sum(weights))
        return distribution

    @cached_property
    def _owner(self) -> list[Group]:
        """The group of each attribute."""
        owner = {p: group for group in self.groups for p in group.members}
        return [owner[p] for p in range(len(self.sizes))]

    def spanned(self, positions: Sequence[int]) -> list[Group]:
        """The groups these attributes lie in."""
        groups: list[Group] = []
        for p in positions:
            if not any(self._owner[p] is group for group in groups):
                groups.append(self._owner[p])
        return groups

    def cells(self, positions: Sequence[int]) -> int:
        """How many cells the group would have that holds them all."""
        return prod(len(group.table) for group in self.spanned(positions))

    def fits(self, sets: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which rows of an array of attribute sets could be joined without passing the cap."""
        number = {id(group): g for g, group in enumerate(self.groups)}
        group_of = np.array([number[id(group)] for group in self._owner])
        logs = np.log2([max(len(group.table), 1) for group in self.groups])
        owners = np.sort(group_of[sets], axis=1)
        fresh = np.diff(owners, axis=1, prepend=-1) > 0
        sizes: NDArray[np.float64] = (logs[owners] * fresh).sum(axis=1)
        return np.asarray(sizes <= np.log2(self.cap) + 1e-9)

    def join(self, positions: Sequence[int]) -> Group:
        """The group that holds all these attributes, made by outer products if there is none."""
        parts = self.spanned(positions)
        if len(parts) == 1:
            return parts[0]
        if self.cells(positions) > self.cap:
            raise ValueError(f"a group of {self.cells(positions):,} cells is over the cap of {self.cap:,}")
        table = parts[0].table
        for part in parts[1:]:
            table = np.multiply.outer(table, part.table).ravel()
        members = tuple(p for part in parts for p in part.members)
        joined = Group(members, tuple(self.sizes[p] for p in members), table)
        kept = [group for group in self.groups if not any(group is part for part in parts)]
        self.groups = [*kept, joined]
        del self._owner
        return joined

    def table(self, positions: Sequence[int]) -> Floats:
        """The joint distribution of a few attributes, an axis each, in the order given."""
        out, axes = np.ones(()), []
        for group in self.spanned(positions):
            out = np.multiply.outer(out, group.marginal(positions))
            axes += [p for p in positions if p in group.members]
        return np.ascontiguousarray(out.transpose([axes.index(p) for p in positions]))

    def multiply(self, positions: Sequence[int], factors: Floats) -> None:
        """Multiplies every cell by a function of these attributes (flat, C order), and normalises by the sum."""
        from .kernels import scale

        group = self.join(positions)
        total = scale(group.table, *group.places(positions), factors)
        group.table /= total

    def one_ways(self) -> list[Floats]:
        """The distribution of every attribute."""
        return [group.marginal((p,)) for p, group in enumerate(self._owner)]

    def draw(self, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        """Codes of independent rows, one line an attribute."""
        out = np.empty((len(self.sizes), rows), dtype=np.uint16)
        for group in self.groups:
            cells = np.searchsorted(np.cumsum(group.table), random.random(rows) * group.table.sum(), side="right")
            codes = group.codes_of(np.minimum(cells, len(group.table) - 1))
            for p, own in zip(group.members, codes, strict=True):
                out[p] = own
        return out

    def together(self) -> Iterator[Group]:
        """The groups of more than one attribute."""
        return (group for group in self.groups if len(group.members) > 1)
