"""Sparse Chebyshev: the sums of those products of Chebyshev polynomials of many columns that a sparse grid has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...maths.smooth.axes import Block
from ...maths.smooth.chebyshev import WEIGHT_UNIT
from ...maths.smooth.fejer import fejer_weights, missing_weight
from ...maths.smooth.row_pairs import Change
from ...maths.smooth.sparse_grid import degrees_at, level_of, places_in, sparse_indices
from .chebyshev import BATCH, ChebyshevSums, with_missing

__all__ = ["SparseChebyshevSums", "sparse_weights"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Polynomials of a few rows that are kept at once, and the fewest rows.
ROOM, LEAST_BATCH = 2**21, 256


def sparse_weights(block: Block, level: int, decay: float) -> tuple[Integers, float]:
    """Squared weights of all combinations in units of 1 / WEIGHT_UNIT, and the most that any row has of them.

    Fejer's weights, also with constants in the places of missing values, and so much more on the latter that a row
    which misses something has no more than a complete one.
    """
    optional = [axis.optional for axis in block.axes]
    indices = sparse_indices(level, optional)
    missing = (indices == degrees_at(level)).sum(axis=1)
    weights = fejer_weights(np.where(indices == degrees_at(level), 0, indices), level, decay)
    complete = indices[missing == 0]
    reached = [float(weights[missing == 0].sum())]
    for k in range(1, sum(optional) + 1):
        # All columns are alike, so that any k of them can be the missing ones.
        reached.append(float(weights[missing == 0][~complete[:, :k].any(axis=1)].sum()))
    weights = weights * missing_weight(reached) ** missing
    whole = np.maximum(np.rint(weights / weights.max() * WEIGHT_UNIT), 1).astype(np.int64)
    # Rounding moves no weight by more than one unit: a row by as many units as there are weights, and the product of
    # two rows too. Rows that lack something were made to have no more than others.
    return whole, float(whole[missing == 0].sum() + 3 * len(whole)) / WEIGHT_UNIT


@dataclass(frozen=True)
class _Products:
    """The combinations of either half of a block's columns, which of them are multiplied, and where products go."""

    left: Integers
    right: Integers
    pairs: tuple[tuple[slice, slice, Integers], ...]
    """Some combinations of the left half, some of the right, and the numbers of their products."""
    places: Integers
    """For every sum the product with constants in the places of missing values."""
    missing: Integers
    """For every sum which columns it has missing, as bits."""


class SparseChebyshevSums(ChebyshevSums):
    """As ChebyshevSums, of the combinations of `sparse_indices`, with the weights of `sparse_weights`.

    Two rows never point away from each other in these weights, so that a replaced row moves the sums, squared and
    weighted, by at most what both rows have; see `fejer_weights`.
    """

    name: ClassVar[str] = "sparse-chebyshev"

    def __init__(
        self, blocks: Sequence[Block], *, levels: Sequence[int], decay: float, bits: int, neighbours: Neighbours
    ) -> None:
        made = [sparse_weights(block, level, decay) for block, level in zip(blocks, levels, strict=True)]
        super().__init__(blocks, weights=[weights for weights, _ in made], bits=bits, neighbours=neighbours)
        self.levels, self.decay = tuple(levels), decay
        self._most = [most for _, most in made]

    @cached_property
    def batch(self) -> int:  # type: ignore[override]
        """Fewer rows at once where they have many polynomials."""
        longest = max(max(len(p.left), len(p.right)) for p in self._products)
        return min(BATCH, max(LEAST_BATCH, ROOM // longest))

    def _summed(self, x: Floats, group: int) -> Integers:
        """Rows that lack the same columns together: of these only the constant and the missing value are not 0."""
        products, own = self._products[group], x[self.chosen[group]]
        lacking = np.isnan(own).T @ (1 << np.arange(len(own)))
        out = np.zeros(self.weights[group].size, dtype=np.int64)
        for pattern in np.unique(lacking):
            sums = self._complete(own[:, lacking == pattern], group)
            out += np.where(products.missing & ~pattern, 0, sums[products.places])
        return out

    def _complete(self, x: Floats, group: int) -> Integers:
        """Sums of products of polynomials alone; only those whose levels add up to at most that of the grid."""
        products, half = self._products[group], len(x) // 2
        left = self._some(x[:half], products.left, group)
        right = self._some(x[half:], products.right, group)
        out = np.empty(int(products.places.max()) + 1, dtype=np.int64)
        for first, second, numbers in products.pairs:
            out[numbers] = left[first] @ right[second].T
        return out

    def _some(self, x: Floats, indices: Integers, group: int) -> Floats:
        """Products of the functions of some axes, rounded to multiples of 2^-bits: shape (combinations, rows)."""
        out = np.full((len(indices), x.shape[1]), float(2**self.bits))
        size = degrees_at(self.levels[group])
        for values, numbers in zip(x, indices.T, strict=True):
            out *= with_missing(values, size + 1)[numbers]
        return np.asarray(np.rint(out, out=out))

    @cached_property
    def _products(self) -> list[_Products]:
        return [_products(block, level) for block, level in zip(self.blocks, self.levels, strict=True)]

    def _changes(self, group: int, neighbours: Neighbours) -> list[Change]:
        """What the longest row has, once or twice."""
        most, all_of_them = self._most[group], float(self.weights[group].sum()) / WEIGHT_UNIT
        if neighbours == "add-remove":
            return [Change(most, most, math.sqrt(most))]
        # Rows of one cell touch the same sums, of which there are no more than these.
        touched = min(2 * most, all_of_them) if self.blocks[group].cells == 1 else 2 * most
        return [Change(2 * most, touched, 2 * math.sqrt(most))]


def _products(block: Block, level: int) -> _Products:
    d, size = len(block.axes), degrees_at(level)
    sides = []
    for columns in (d // 2, d - d // 2):
        found = sparse_indices(level, [False] * columns)
        levels = level_of(found).sum(axis=1)
        order = np.argsort(levels, kind="stable")
        sides.append((found[order], np.searchsorted(levels[order], np.arange(level + 2))))
    (left, first), (right, second) = sides
    complete, pairs = sparse_indices(level, [False] * d), []
    for k in range(level + 1):
        some, others = slice(first[k], first[k + 1]), slice(0, second[level - k + 1])
        count = (some.stop - some.start, others.stop)
        joined = np.hstack([np.repeat(left[some], count[1], axis=0), np.tile(right[others], (count[0], 1))])
        pairs.append((some, others, places_in(complete, joined, size).reshape(count)))
    indices = sparse_indices(level, [axis.optional for axis in block.axes])
    missing = indices == size
    places = places_in(complete, np.where(missing, 0, indices), size)
    return _Products(left, right, tuple(pairs), places, missing @ (1 << np.arange(d)))
