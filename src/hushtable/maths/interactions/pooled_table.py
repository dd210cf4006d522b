"""Pooled table: the table of a few attributes as all released tables together say, and the noise each adds to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from .layout import InteractionLayout
from .noisy_table import NoisyTable

__all__ = ["PooledTable", "TableSource", "components", "precision", "subsets", "tables_with"]

Floats = NDArray[np.float64]
Axes = tuple[int, ...]
Kind = tuple[int, ...]


def subsets(axes: Axes) -> Iterator[Axes]:
    """All of them, the empty one first."""
    for size in range(len(axes) + 1):
        yield from combinations(axes, size)


def components(function: Floats) -> dict[Axes, Floats]:
    """The parts of a function that belong to each set of its axes, which add up to it (analysis of variance).

    The part of a set is a function of its axes alone, with mean 0 along each of them. Parts of different sets are
    orthogonal, so that equal and independent noise of all cells is uncorrelated in them.
    """
    parts = {}
    for members in subsets(tuple(range(function.ndim))):
        part = function.mean(axis=tuple(a for a in range(function.ndim) if a not in members), keepdims=True)
        for axis in members:
            part = part - part.mean(axis=axis, keepdims=True)
        parts[members] = part
    return parts


@lru_cache(maxsize=4)
def _holders(interactions: InteractionLayout) -> Mapping[Kind, Sequence[Kind]]:
    """For every kind of attribute sets, the kinds of released tables that hold one."""
    holders: dict[Kind, list[Kind]] = {}
    for key in interactions.groups:
        if len(key) == interactions.order:
            for part in {tuple(key[i] for i in members) for members in subsets(tuple(range(len(key))))}:
                holders.setdefault(part, []).append(key)
    return holders


def tables_with(interactions: InteractionLayout, kind: Kind, outside: Mapping[int, int]) -> Iterator[tuple[Kind, int]]:
    """The kinds of released tables that hold given attributes (of this kind) and else only attributes from `outside`.

    With each kind how many such tables there are; `outside` says how many attributes have a size.
    """
    for key in _holders(interactions)[kind]:
        more = Counter(key) - Counter(kind)
        number = prod(comb(outside.get(size, 0), copies) for size, copies in more.items())
        if number:
            yield key, number


def precision(interactions: InteractionLayout, kind: Kind, variances: Mapping[Kind, float]) -> float:
    """Sum, over the tables that hold attributes of this kind, of 1 / (variance of a cell of their margin)."""
    outside = Counter(interactions.sizes) - Counter(kind)
    holding = tables_with(interactions, kind, outside)
    return sum(number * prod(kind) / (variances[key] * prod(key)) for key, number in holding)


@dataclass(frozen=True, eq=False)
class TableSource:
    """The released tables that hold these axes of a pooled table and no others: one entry for every kind of table."""

    axes: Axes
    weights: Mapping[Axes, Floats]
    """How much such a table counts in the mean of all that hold a set of axes."""
    copies: Floats
    """How many released cells have the same codes on these axes."""
    noise: Mapping[int, Floats]
    """Variance (2) and fourth cumulant (4) of one of these cells."""


@dataclass(frozen=True, eq=False)
class PooledTable(NoisyTable):
    """Cells whose part of each set of attributes is the best mean of all tables that hold the set.

    These parts are uncorrelated and add up, so that this is the estimate of least variance, all such tables agree
    where they overlap, and a question of weights c has weights sum_A w(T, A) c_A on the cells of a released table T.
    """

    sources: tuple[TableSource, ...]

    @property
    def fitted(self) -> Floats:
        """A public number of rows is the part of the empty set, so the numbers have it."""
        return self.numbers

    def joint(self, order: int, coefficients: Floats, power: int = 0) -> Floats:
        return np.asarray(self._all_joint(order, coefficients)[power])

    def joints(self, order: int, axes: int, rest: Floats) -> list[Floats]:
        """All values of an attribute are treated alike, so one cell speaks for all."""
        cells = self.numbers.shape[:axes]
        first_cell = np.zeros(self.numbers.shape)
        first_cell[(0,) * axes] = rest
        return [np.full(cells, joint) for joint in self._all_joint(order, first_cell)]

    def _all_joint(self, order: int, coefficients: Floats) -> list[float]:
        """For power = 0, ..., order."""
        out = [0.0] * (order + 1)
        parts = components(coefficients)
        ends = (1,) * coefficients.ndim
        for source in self.sources:
            if not source.noise[order].any():
                continue
            here = sum(weight.reshape(-1, *ends) * parts[axes] for axes, weight in source.weights.items())
            flat = np.reshape(here, (len(source.copies), -1))
            for power in range(order + 1):
                ones = source.copies * source.noise[order] * source.weights[()] ** power
                out[power] += float(ones @ (flat ** (order - power)).sum(axis=1))
        return out
