"""Layout: where the number of each attribute set and contrast stands in one flat array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .contrasts import MONOMIALS, Contrasts, contrasts

__all__ = ["Basis", "CoordinateNoise", "InteractionLayout"]

Basis = Literal["contrast", "monomial"]


@dataclass(frozen=True, eq=False)
class CoordinateNoise:
    """The noise of a vector: coordinate c has scale `table[index[c]]`.

    Gaussian: the scale is the variance sigma^2. Laplace: it is the scale b. 0 means no noise.
    """

    law: Law
    table: tuple[Fraction, ...]
    index: NDArray[np.int32]

    def variances(self) -> NDArray[np.float64]:
        """Variance of the noise on each coordinate (of the discrete law's continuous twin, a hair above it)."""
        return np.array([self.law.variance(scale) for scale in self.table], dtype=np.float64)[self.index]


@dataclass(frozen=True)
class InteractionLayout:
    """All interactions of at most `order` attributes of a table with attributes of `sizes`.

    The interaction of a set A has prod(m_j - 1) coordinates, one for each choice of a contrast per member; a
    coordinate is the sum over rows of the product of these contrasts. With two values each that is one parity
    per set. Sets are ordered by size, then colexicographically (by largest member first), so that the sets
    below a given member are a prefix; the coordinates of a set are in C order. The empty set, coordinate 0, is
    the number of rows. Sets whose members have the same sizes form a `group` and share one noise scale.

    `basis="monomial"` is the published one for two values each: products of bits instead of signs.
    """

    sizes: tuple[int, ...]
    order: int
    basis: Basis = "contrast"

    def functions(self, size: int) -> Contrasts:
        """The functions of one attribute that coordinates are products of."""
        return contrasts(size) if self.basis == "contrast" else MONOMIALS

    @staticmethod
    def count(sizes: Sequence[int], order: int) -> int:
        """How many coordinates there are, without building anything."""
        totals = [1] + [0] * order
        for size in sizes:
            for i in range(order, 0, -1):
                totals[i] += totals[i - 1] * (size - 1)
        return sum(totals)

    @staticmethod
    def cells(sizes: Sequence[int], order: int) -> int:
        """How many cells all tables of exactly `order` attributes have together."""
        totals = [1] + [0] * order
        for size in sizes:
            for i in range(order, 0, -1):
                totals[i] += totals[i - 1] * size
        return totals[order]

    @property
    def binary(self) -> bool:
        """Whether every attribute has two values, so that each set has one coordinate."""
        return all(size == 2 for size in self.sizes)

    @cached_property
    def sets(self) -> tuple[NDArray[np.int32], ...]:
        """Sets of size 0, 1, ..., order: one array each, a row a set, members ascending, colex order."""
        d, levels = len(self.sizes), [np.zeros((1, 0), dtype=np.int32)]
        for i in range(1, self.order + 1):
            below = levels[-1]
            parts = [
                np.column_stack([below[: comb(top, i - 1)], np.full(comb(top, i - 1), top, np.int32)])
                for top in range(d)
            ]
            levels.append(np.concatenate(parts).astype(np.int32).reshape(-1, i))
        return tuple(levels)

    @cached_property
    def _first(self) -> tuple[int, ...]:
        """Index of the first set of each size."""
        d = len(self.sizes)
        return tuple(sum(comb(d, j) for j in range(i)) for i in range(self.order + 2))

    def rank(self, members: Sequence[int]) -> int:
        """Index of a set (ascending members) among all sets."""
        return self._first[len(members)] + sum(comb(member, j + 1) for j, member in enumerate(members))

    def ranks(self, members: NDArray[np.integer]) -> NDArray[np.int64]:
        """`rank` of every row of an array of sets of one size, members ascending."""
        size, d = members.shape[1], len(self.sizes)
        out = np.full(len(members), self._first[size], dtype=np.int64)
        for j in range(size):
            out += np.array([comb(m, j + 1) for m in range(d)], dtype=np.int64)[members[:, j]]
        return out

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """offsets[r] is the first coordinate of set r; one more entry marks the end."""
        widths = np.array(self.sizes, dtype=np.int64) - 1
        counts = np.concatenate([widths[level].prod(axis=1) for level in self.sets])
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @property
    def length(self) -> int:
        """How many coordinates there are."""
        return self.count(self.sizes, self.order)

    def place(self, members: Sequence[int]) -> slice:
        """Where the coordinates of a set stand."""
        r = self.rank(members)
        if self.binary:
            return slice(r, r + 1)
        return slice(int(self.offsets[r]), int(self.offsets[r + 1]))

    def shape(self, members: Sequence[int]) -> tuple[int, ...]:
        """Number of contrasts of each member."""
        return tuple(self.sizes[j] - 1 for j in members)

    def subsets(self, members: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """All subsets of a set, the empty one first."""
        for i in range(len(members) + 1):
            yield from combinations(members, i)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The kinds of sets: sorted sizes of their members, the empty set first."""
        kinds: set[tuple[int, ...]] = {()}
        level: set[tuple[int, ...]] = {()}
        available = Counter(self.sizes)
        for _ in range(self.order):
            level = {tuple(sorted((*key, s))) for key in level for s in available if key.count(s) < available[s]}
            kinds |= level
        return tuple(sorted(kinds, key=lambda key: (len(key), key)))

    @cached_property
    def group_of_set(self) -> NDArray[np.int32]:
        """Group of each set."""
        if self.binary:
            return np.repeat(np.arange(self.order + 1, dtype=np.int32), [len(level) for level in self.sets])
        number = {key: g for g, key in enumerate(self.groups)}
        kinds = sorted(set(self.sizes))
        kind = np.array([kinds.index(s) for s in self.sizes], dtype=np.int64)
        parts = []
        for level in self.sets:
            codes = np.sort(kind[level], axis=1) @ (len(kinds) ** np.arange(level.shape[1], dtype=np.int64))
            unique, where = np.unique(codes, return_inverse=True)
            first = [int(np.argmax(where == u)) for u in range(len(unique))]
            named = [number[tuple(sorted(self.sizes[j] for j in level[f]))] for f in first]
            parts.append(np.array(named, dtype=np.int32)[where])
        return np.concatenate(parts)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The noise of every coordinate, from one scale a group.

        Gaussian: variance = group's variance x squared length of the contrast product, which is iid noise in
        an orthonormal basis. Laplace: scale = group's scale x the contrasts' steps.
        """
        if self.binary:
            plain = law == Law.LAPLACE or self.basis == "monomial"
            factors = [1 if plain else 2 ** len(key) for key in self.groups]
            table = tuple(s * f for s, f in zip(per_group, factors, strict=True))
            return CoordinateNoise(law=law, table=table, index=self.group_of_set)
        seen: dict[tuple[int, int], int] = {}
        patterns: dict[tuple[int, ...], NDArray[np.int32]] = {}
        index = np.empty(self.length, dtype=np.int32)
        start = 0
        for level in self.sets:
            for members in level:
                key = tuple(self.sizes[j] for j in members)
                if key not in patterns:
                    patterns[key] = self._pattern(law, key, seen)
                index[start : start + len(patterns[key])] = patterns[key]
                start += len(patterns[key])
        table = tuple(per_group[group] * factor for group, factor in seen)
        return CoordinateNoise(law=law, table=table, index=index)

    def _pattern(self, law: Law, key: tuple[int, ...], seen: dict[tuple[int, int], int]) -> NDArray[np.int32]:
        """Scale numbers of one set's coordinates, extending `seen` = (group, factor) -> number."""
        group = self.groups.index(tuple(sorted(key)))
        factors = np.ones(1, dtype=object)
        for size in key:
            along_axis = self.functions(size).norms[1:] if law.power == 2 else self.functions(size).steps[1:]
            factors = np.multiply.outer(factors, np.array(along_axis, dtype=object)).ravel()
        return np.array([seen.setdefault((group, int(f)), len(seen)) for f in factors], dtype=np.int32)

    @cached_property
    def table_starts(self) -> NDArray[np.int64]:
        """Where the cells of each set of exactly `order` attributes start, table after table; then the end."""
        cells = np.array(self.sizes, dtype=np.int64)[self.sets[-1]].prod(axis=1)
        return np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)

    def sets_in(self, group: int) -> int:
        """How many sets a group has."""
        have, want = Counter(self.sizes), Counter(self.groups[group])
        return prod(comb(have[size], copies) for size, copies in want.items())
