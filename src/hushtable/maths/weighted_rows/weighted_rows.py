"""Weighted rows of a whole table, as they are published and packed; tables, predicates and draws from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "WeightedRows",
    "drawn_rows",
    "inside_groups",
    "pack_rows",
    "shares_inside",
    "unpack_rows",
    "word_spans",
]

Codes = NDArray[np.uint16]
Floats = NDArray[np.float64]
Map = NDArray[np.int64]

WORD = 2**62


def word_spans(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Which attributes, in order, share a word: as many as fit."""
    spans, begin, filled = [], 0, 1
    for j, size in enumerate(sizes):
        if filled * size > WORD:
            spans.append((begin, j))
            begin, filled = j, 1
        filled *= size
    return [*spans, (begin, len(sizes))]


def pack_rows(codes: Codes, sizes: Sequence[int]) -> NDArray[np.int64]:
    """Words of all rows, shape (words, rows): mixed-radix numbers of the attributes in order."""
    words = []
    for begin, end in word_spans(sizes):
        word = np.zeros(codes.shape[1], dtype=np.int64)
        for j in range(begin, end):
            word = word * sizes[j] + codes[j]
        words.append(word)
    return np.array(words)


def unpack_rows(words: NDArray[np.int64], sizes: Sequence[int]) -> Codes:
    """The inverse of `pack_rows`."""
    codes = np.empty((len(sizes), words.shape[1]), dtype=np.uint16)
    for number, (begin, end) in enumerate(word_spans(sizes)):
        rest = words[number]
        for j in reversed(range(begin, end)):
            rest, codes[j] = np.divmod(rest, sizes[j])
    return codes


# Shares and weights are kept as whole numbers, so that a loaded model is bit by bit the released one.
SHARE_UNIT, WEIGHT_UNIT = 2**40, 2**12
# Tables up to this size are made exactly; beyond, rows with values drawn inside their groups are counted.
MOST_CELLS = 2**23
# Tables that are kept, and how large they may be.
MOST_TABLES, MOST_KEPT = 64, 2**16
VALUES_SEED = 20
# Rows that are offered in exchange for drawn ones.
EXCHANGED = 200_000


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Rows of base groups with weights; inside a base group values follow the attribute's shares."""

    base: tuple[Map, ...]
    """Code to base group, for every attribute."""
    fixed_shares: tuple[NDArray[np.int64], ...]
    """Share of every code, in units of 2^-40."""
    order: tuple[int, ...]
    """The attributes by falling total dependence: rows are sorted by these."""
    words: NDArray[np.int64]
    fixed_weights: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        base: Sequence[Map],
        shares: Sequence[Floats],
        codes: Codes,
        weights: Floats,
        order: Sequence[int],
        count: int | None = None,
    ) -> WeightedRows:
        """Sorts, merges equal rows and rounds. `count` is how many rows there are, where equal ones stand once."""
        sizes = [int(base[j].max()) + 1 for j in order]
        words = pack_rows(codes[list(order)], sizes)
        place = np.lexsort(words[::-1])
        words, weights = words[:, place], weights[place]
        new = np.ones(words.shape[1], dtype=bool)
        new[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
        summed = np.add.reduceat(weights, np.flatnonzero(new))
        scale = WEIGHT_UNIT * (len(weights) if count is None else count) / weights.sum()
        fixed = np.rint(summed * scale).astype(np.int64)
        fixed_shares = tuple(np.rint(p * SHARE_UNIT).astype(np.int64) for p in shares)
        return cls(tuple(base), fixed_shares, tuple(order), words[:, new][:, fixed > 0], fixed[fixed > 0])

    @cached_property
    def base_sizes(self) -> list[int]:
        """Number of base groups of each attribute."""
        return [int(groups.max()) + 1 for groups in self.base]

    @cached_property
    def shares(self) -> list[Floats]:
        """Share of every code."""
        return [p / p.sum() for p in self.fixed_shares]

    @cached_property
    def weights(self) -> Floats:
        """Share of every row."""
        return np.asarray(self.fixed_weights / self.fixed_weights.sum())

    @cached_property
    def codes(self) -> Codes:
        """Base groups of every row, shape (attributes, rows)."""
        sorted_codes = unpack_rows(self.words, [self.base_sizes[j] for j in self.order])
        out = np.empty_like(sorted_codes)
        out[list(self.order)] = sorted_codes
        return out

    @cached_property
    def inside(self) -> list[Floats]:
        """Share of each code inside its base group; even where the group has no share."""
        return [shares_inside(groups, p) for groups, p in zip(self.base, self.shares, strict=True)]

    def fits(self, positions: Sequence[int]) -> bool:
        """Whether the table of these attributes is made exactly."""
        return prod(len(self.base[j]) for j in positions) <= MOST_CELLS

    def table(self, positions: Sequence[int]) -> Floats:
        """Shares of all cells of a table, at full resolution; kept, because people ask about the same columns again."""
        own = tuple(positions)
        if own not in self._tables:
            made = self._table(own)
            made.flags.writeable = False
            if made.size > MOST_KEPT:
                return made
            if len(self._tables) >= MOST_TABLES:
                self._tables.clear()
            self._tables[own] = made
        return self._tables[own]

    @cached_property
    def _tables(self) -> dict[tuple[int, ...], Floats]:
        return {}

    def _table(self, positions: tuple[int, ...]) -> Floats:
        sizes = [self.base_sizes[j] for j in positions]
        key = np.zeros(self.words.shape[1], dtype=np.int64)
        for j, size in zip(positions, sizes, strict=True):
            key = key * size + self.codes[j]
        table = np.asarray(np.bincount(key, self.weights, minlength=prod(sizes)), dtype=np.float64).reshape(sizes)
        for axis, j in enumerate(positions):
            shape = [1] * len(positions)
            shape[axis] = -1
            table = np.take(table, self.base[j], axis=axis) * self.inside[j].reshape(shape)
        return table

    @cached_property
    def _values(self) -> dict[int, Codes]:
        return {}

    def values(self, position: int) -> Codes:
        """A code for every row, drawn inside its base group; always the same ones."""
        if position not in self._values:
            random = np.random.default_rng([VALUES_SEED, position])
            drawn = inside_groups(self.codes[position], self.base[position], self.inside[position], random)
            self._values[position] = drawn
        return self._values[position]

    def draw(self, rows: int, random: np.random.Generator) -> Codes:
        """Synthetic rows: a systematic draw by weight along the sorted rows, values by quota inside base groups.

        Columns that come last in the order would stray by chance, so some rows are exchanged for others that are drawn
        in the same way, wherever this brings single columns nearer to the model's.
        """
        from .kernels import exchanged

        chosen = drawn_rows(self.weights, rows, random)
        offered = drawn_rows(self.weights, min(rows, EXCHANGED), random)
        excess = [np.bincount(own[chosen], minlength=size) - rows * np.bincount(own, self.weights, minlength=size)
                  for own, size in zip(self.codes, self.base_sizes, strict=True)]  # fmt: skip
        exchanged(self.codes, chosen, offered, np.concatenate(excess), np.cumsum([0, *self.base_sizes]))
        out = np.empty((len(self.base), rows), dtype=np.uint16)
        for j in range(len(self.base)):
            out[j] = inside_groups(self.codes[j, chosen], self.base[j], self.inside[j], random)
        return out


def shares_inside(groups: Map, shares: Floats) -> Floats:
    """Share of each code inside its group; even where the group has no share."""
    whole = np.bincount(groups, shares)[groups]
    return np.where(whole > 0, shares / np.where(whole > 0, whole, 1.0), 1 / np.bincount(groups)[groups])


def drawn_rows(weights: Floats, rows: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Places of so many rows, by a systematic draw along their weights, in random order."""
    edges = np.cumsum(weights)
    points = (np.arange(rows) + random.random()) * (edges[-1] / max(rows, 1))
    return random.permutation(np.minimum(np.searchsorted(edges, points, side="right"), len(edges) - 1))


def inside_groups(groups: Codes, base: Map, inside: Floats, random: np.random.Generator) -> Codes:
    """A code for every row of a base group: within each group the numbers differ from their quota by less than 1."""
    count = len(groups)
    if count == 0 or len(base) == int(base.max()) + 1:
        only = np.empty(int(base.max()) + 1, dtype=np.uint16)
        only[base] = np.arange(len(base))
        return only[groups]
    by_group = np.argsort(base, kind="stable")
    edges = np.cumsum(inside[by_group])  # group g ends at g + 1, up to rounding
    shuffled = random.permutation(count)
    ranked = shuffled[np.argsort(groups[shuffled], kind="stable")]
    group = groups[ranked].astype(np.int64)
    sizes = np.bincount(group, minlength=int(base.max()) + 1)
    rank = np.arange(count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    start = random.random(len(sizes))[group]
    points = group + (rank + start) / sizes[group]
    chosen = np.searchsorted(edges, points, side="right")
    # Rounding must not carry a row into the next group.
    ends = np.cumsum(np.bincount(base))
    chosen = np.clip(chosen, (ends - np.bincount(base))[group], ends[group] - 1)
    out = np.empty(count, dtype=np.uint16)
    out[ranked] = by_group[chosen]
    return out
