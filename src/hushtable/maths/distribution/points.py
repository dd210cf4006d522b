"""Points: a distribution on listed rows only, for domains reduced to a random part of their cells."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .factored import Factored, Floats, Group, Places

__all__ = ["hashed_points", "on_points", "random_points"]

# Sets of attributes of which a group remembers where its rows fall: a number for each row and set.
MOST_PLACES = 64


class PointGroup(Group):
    """All attributes, but only some of their cells: `table` holds one weight a listed row."""

    codes: NDArray[np.integer]

    def places(self, positions: Sequence[int]) -> tuple[Places, Places]:
        """The place of each listed row, as one inner run."""
        own = tuple(p for p in positions if p in self.members)
        if own not in self._places:
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            at = np.zeros(self.codes.shape[1], dtype=np.int32)
            for p in own:
                at = at * np.int32(self.sizes[p]) + self.codes[p].astype(np.int32)
            self._places[own] = (np.zeros(1, dtype=np.int32), at)
        return self._places[own]

    def sub_tables(self, width: int) -> dict[tuple[int, ...], Floats]:
        """Each counted from the listed rows."""
        sets = (own for size in range(width + 1) for own in combinations(sorted(self.members), size))
        return {own: self.marginal(own) for own in sets}

    def parity_means(self, levels: Sequence[NDArray[np.integer]]) -> list[Floats]:
        """Each summed over the listed rows."""
        signs = 1.0 - 2.0 * self.codes
        return [np.array([float(signs[own].prod(axis=0) @ self.table) for own in level]) for level in levels]

    def codes_of(self, cells: NDArray[np.integer]) -> tuple[NDArray[np.integer], ...]:
        """The listed rows themselves."""
        return tuple(self.codes[:, cells])


def on_points(sizes: Sequence[int], codes: NDArray[np.integer]) -> Factored:
    """The even distribution on the listed rows, one a column. All attributes are one group, whatever is measured."""
    many = codes.shape[1]
    distribution = Factored(sizes, cap=many)
    group = PointGroup(tuple(range(len(sizes))), tuple(sizes), np.full(many, 1 / many))
    group.codes = codes
    distribution.groups = [group]
    return distribution


def random_points(
    sizes: Sequence[int], one_ways: Sequence[Floats], many: int, random: np.random.Generator
) -> NDArray[np.uint16]:
    """Half the rows from the product of the given one-ways, half even: public, since the one-ways are released.

    Even rows alone miss what real tables are made of, few cells with many rows each (docs/mwem.md).
    """
    drawn = (many + 1) // 2
    return np.array(
        [
            np.concatenate([random.choice(size, drawn, p=own), random.integers(0, size, many - drawn)])
            for size, own in zip(sizes, one_ways, strict=True)
        ],
        dtype=np.uint16,
    )


def hashed_points(tables: Sequence[NDArray[np.int64]], many: int) -> NDArray[np.uint16]:
    """The same, from released tables of single attributes, whose digest is the chance: they follow from the tables on
    every machine, so that what remembers the tables need not remember the rows."""
    drawn = (many + 1) // 2
    seed = hashlib.sha256(b"".join(own.astype("<i8").tobytes() for own in tables)).digest()
    codes = np.empty((len(tables), many), dtype=np.uint16)
    for p, own in enumerate(tables):
        chance = np.frombuffer(hashlib.shake_256(seed + p.to_bytes(8, "little")).digest(8 * many), dtype="<u8")
        likely = np.cumsum(np.maximum(own, 0) if own.max() > 0 else np.ones_like(own)).astype(np.uint64)
        # The remainder of 64 bits by a number of rows is as good as even.
        codes[p, :drawn] = np.searchsorted(likely, chance[:drawn] % likely[-1], side="right")
        codes[p, drawn:] = chance[drawn:] % np.uint64(len(own))
    return codes
