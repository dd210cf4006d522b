"""Chow-Liu: the law of many bits that agrees with their pairs along a tree of those that tell most of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChowLiu", "frechet"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# Questions that are answered at once.
BLOCK = 4096


def frechet(singles: Floats, pairs: Floats, least: float) -> tuple[Floats, Floats]:
    """Shares of bits and of pairs, moved to where shares of any table can be; no bit is surer than `least`."""
    chances = np.clip(singles, least, 1 - least)
    low = np.maximum(0.0, chances[:, None] + chances[None] - 1)
    return chances, np.clip(pairs, low, np.minimum(chances[:, None], chances[None]))


@dataclass(frozen=True, eq=False)
class ChowLiu:
    """A tree of bits: bit 0 is its root, and each other bit depends on its parent [ChoL68]."""

    parents: Whole
    """Of every bit; -1 for the root."""
    chances: Floats
    pairs: Floats

    @classmethod
    def fit(cls, chances: Floats, pairs: Floats) -> ChowLiu:
        """The tree of most mutual information."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

        told = _information(chances, pairs)
        # An edge of weight 0 would count as none.
        weights = np.triu(1 + told.max() - told, 1)
        joined = minimum_spanning_tree(csr_array(weights))
        _, before = breadth_first_order(joined, 0, directed=False)
        return cls(np.where(before < 0, -1, before).astype(np.int64), chances, pairs)

    @cached_property
    def _upward(self) -> list[int]:
        """All bits but the root, each before its parent."""
        depth = np.zeros(len(self.parents), dtype=np.int64)
        for _ in range(len(self.parents)):
            deeper = np.where(self.parents >= 0, depth[self.parents] + 1, 0)
            if (deeper == depth).all():
                break
            depth = deeper
        return [int(bit) for bit in np.argsort(-depth, kind="stable") if self.parents[bit] >= 0]

    @cached_property
    def _given(self) -> Floats:
        """The chance of every bit where its parent is 0, and where it is 1."""
        given = np.stack([self.chances, self.chances])
        for bit in self._upward:
            parent = int(self.parents[bit])
            both, above = self.pairs[bit, parent], self.chances[parent]
            given[:, bit] = (self.chances[bit] - both) / (1 - above), both / above
        return np.asarray(np.clip(given, 0.0, 1.0))

    def chance(self, fixed: NDArray[np.int8]) -> Floats:
        """The chance that bits are as given, a line a question: 0, 1, or -1 for a bit that may be either."""
        return np.concatenate([np.zeros(0), *(self._block(fixed[i : i + BLOCK]) for i in range(0, len(fixed), BLOCK))])

    def _block(self, fixed: NDArray[np.int8]) -> Floats:
        return self.weighed(fixed != 1, fixed != 0)

    def weighed(self, if_zero: NDArray[Any], if_one: NDArray[Any]) -> Floats:
        """The expected product of numbers that go with each bit's value, a line each."""
        zero = np.ascontiguousarray(if_zero.T, dtype=np.float64)
        one = np.ascontiguousarray(if_one.T, dtype=np.float64)
        for bit in self._upward:
            parent = self.parents[bit]
            for above, chance in ((zero, self._given[0, bit]), (one, self._given[1, bit])):
                above[parent] *= (1 - chance) * zero[bit] + chance * one[bit]
        (root,) = np.flatnonzero(self.parents < 0)[:1]
        return np.asarray((1 - self.chances[root]) * zero[root] + self.chances[root] * one[root])

    def subsets(self, inside: NDArray[np.bool_], free: NDArray[np.bool_], most: int) -> Floats:
        """For each line: the expected number of sets of 0, 1, ..., `most` free bits that are all 1 with those inside.

        A bit carries a polynomial in x, 1 + x where it is free and 1; the coefficient of x^k at the root is it.
        """
        lines, bits = inside.shape
        state = np.zeros((2, bits, lines, most + 1))
        state[:, :, :, 0] = 1.0
        state[0][inside.T, 0] = 0.0
        if most:
            state[1][free.T, 1] = 1.0
        for bit in self._upward:
            parent = int(self.parents[bit])
            for value in (0, 1):
                chance = self._given[value, bit]
                below = (1 - chance) * state[0, bit] + chance * state[1, bit]
                state[value, parent] = _product(state[value, parent], below)
        (root,) = np.flatnonzero(self.parents < 0)[:1]
        return np.asarray((1 - self.chances[root]) * state[0, root] + self.chances[root] * state[1, root])

    def residual(self) -> float:
        """The mean distance between pairs as they were given and as the tree has them, over pairs that are no edges."""
        d = len(self.chances)
        small, large = np.triu_indices(d, 1)
        edges = (self.parents[small] == large) | (self.parents[large] == small)
        small, large = small[~edges], large[~edges]
        if not len(small):
            return 0.0
        fixed = np.full((len(small), d), -1, dtype=np.int8)
        fixed[np.arange(len(small)), small] = fixed[np.arange(len(small)), large] = 1
        return float(np.abs(self.chance(fixed) - self.pairs[small, large]).mean())


def _product(one: Floats, other: Floats) -> Floats:
    """Of polynomials, without the powers beyond theirs."""
    out = np.zeros_like(one)
    for power in range(one.shape[-1]):
        out[..., power:] += one[..., power : power + 1] * other[..., : one.shape[-1] - power]
    return out


def _information(chances: Floats, pairs: Floats) -> Floats:
    """The mutual information of every two bits."""
    one, other = chances[:, None], chances[None]
    total = np.zeros_like(pairs)
    cells = (
        (pairs, one * other),
        (one - pairs, one * (1 - other)),
        (other - pairs, (1 - one) * other),
        (1 - one - other + pairs, (1 - one) * (1 - other)),
    )
    for share, alone in cells:
        cell = np.maximum(share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            total += np.where(cell > 0, cell * np.log(cell / alone), 0.0)
    return np.asarray(np.maximum(total, 0.0))
