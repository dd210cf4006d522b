"""Pairs: who is compared with whom, types at distance 0 taken as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from .graph_metric import GraphMetric
from .metric import Floats, MatrixMetric, Metric, Numbers

__all__ = [
    "FARTHEST",
    "DensePairs",
    "Divergence",
    "EdgePairs",
    "PairBlocks",
    "Pairs",
    "TypePairs",
    "all_pairs",
    "compared",
    "merged_types",
]

Divergence = str
"""`tv` or `inf`: how far two lines of odds are apart."""
TINY = 1e-6
"""Types nearer than this get the same odds: stricter than asked by less than this, and free of rounding."""
FARTHEST = 12.0
"""Longer finite distances of `inf` are cut to this: stricter, costs less than e^-12, keeps coefficients below 2e5."""
MOST_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class TypePairs:
    """Pairs of types in three columns."""

    first: Numbers
    second: Numbers
    distance: Floats

    def __len__(self) -> int:
        return len(self.first)

    def take(self, kept: Numbers) -> TypePairs:
        """Some of the pairs."""
        return TypePairs(self.first[kept], self.second[kept], self.distance[kept])


@dataclass(frozen=True, eq=False)
class DensePairs:
    """All pairs of a matrix whose distance constrains anything, block by block."""

    matrix: Floats
    divergence: Divergence

    @property
    def types(self) -> int:
        """How many types there are."""
        return len(self.matrix)

    @cached_property
    def _kept(self) -> list[TypePairs] | None:
        """All blocks, where they fit into memory."""
        return list(self._read()) if self.types**2 // 2 <= 4 * MOST_PAIRS else None

    def blocks(self) -> Iterator[TypePairs]:
        """Every constrained pair once, at most about a million at a time."""
        yield from self._read() if self._kept is None else self._kept

    def _read(self) -> Iterator[TypePairs]:
        step = max(1, MOST_PAIRS // self.types)
        for start in range(0, self.types, step):
            rows = np.arange(start, min(start + step, self.types))
            near = self.matrix[rows] < self._reach
            near &= np.arange(self.types)[None, :] > rows[:, None]
            first, second = np.nonzero(near)
            first = first + start
            yield TypePairs(first, second, np.minimum(self.matrix[first, second], FARTHEST))

    @property
    def _reach(self) -> float:
        # A total variation of 1 is no constraint, and neither is an infinite distance.
        return 1.0 if self.divergence == "tv" else np.inf

    def nearest(self, count: int) -> TypePairs:
        """The pairs of every type with its `count` nearest."""
        away = self.matrix.copy()
        np.fill_diagonal(away, np.inf)
        count = min(count, self.types - 1)
        if count < 1:
            none = np.empty(0, dtype=np.intp)
            return TypePairs(none, none, np.empty(0))
        near = np.argpartition(away, count - 1, axis=1)[:, :count]
        first, second = np.repeat(np.arange(self.types), count), near.ravel()
        both = np.unique(np.minimum(first, second) * self.types + np.maximum(first, second))
        first, second = both // self.types, both % self.types
        distance = self.matrix[first, second]
        kept = np.flatnonzero(distance < self._reach)
        return TypePairs(first[kept], second[kept], np.minimum(distance[kept], FARTHEST))


@dataclass(frozen=True, eq=False)
class EdgePairs:
    """The edges of a graph: what holds along them holds for all pairs, because divergences obey the triangle."""

    types: int
    edges: TypePairs

    def blocks(self) -> Iterator[TypePairs]:
        """All edges."""
        yield self.edges

    def nearest(self, count: int) -> TypePairs:
        """All edges: a graph has few."""
        return self.edges


class PairBlocks(Protocol):
    """Pairs of types that are compared."""

    @property
    def types(self) -> int:
        """How many types there are."""

    def blocks(self) -> Iterator[TypePairs]:
        """Every pair once."""


class Pairs(PairBlocks, Protocol):
    """Pairs that a program can be solved for, a few of them at first."""

    def nearest(self, count: int) -> TypePairs:
        """Some pairs to begin with."""


def merged_types(metric: Metric, side: Numbers) -> tuple[int, Numbers]:
    """How many different types there are, and which of them each one is.

    Types on different sides stay apart at distance 0 too: preferential treatment may tell them from each other.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if isinstance(metric, GraphMetric):
        near = (metric.lengths <= TINY) & (side[metric.first] == side[metric.second])
        first, second = metric.first[near], metric.second[near]
    else:
        first, second = np.nonzero(metric.matrix <= TINY)
        same = side[first] == side[second]
        first, second = first[same], second[same]
    joined = csr_array((np.ones(len(first)), (first, second)), shape=(metric.size, metric.size))
    count, label = connected_components(joined, directed=False)
    return int(count), label.astype(np.intp)


def all_pairs(metric: Metric) -> Metric:
    """The metric with every pair: where some pairs are left out, a path along edges may need them."""
    return MatrixMetric(distances=metric.matrix, scale=metric.scale) if isinstance(metric, GraphMetric) else metric


def compared(metric: Metric, count: int, label: Numbers, divergence: Divergence) -> Pairs:
    """The pairs of the merged types."""
    if isinstance(metric, GraphMetric):
        first, second = label[metric.first], label[metric.second]
        kept = np.flatnonzero((first != second) & (metric.lengths < (1.0 if divergence == "tv" else np.inf)))
        return EdgePairs(count, TypePairs(first[kept], second[kept], np.minimum(metric.lengths[kept], FARTHEST)))
    if count == metric.size:
        return DensePairs(metric.matrix, divergence)
    nearest = np.full((count, count), np.inf)
    np.minimum.at(nearest, (label[:, None], label[None, :]), metric.matrix)
    np.fill_diagonal(nearest, 0.0)
    return DensePairs(nearest, divergence)
