"""Residuals: the part of every small contingency table that no smaller table explains."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...maths.interactions.contrasts import contrasts
from .base import Codes
from .interaction import InteractionStatistic

__all__ = ["Residuals"]

# Cells transformed at a time: small enough for the cache, large enough that numpy's overhead vanishes.
BATCH = 1 << 18


class Residuals(InteractionStatistic):
    """All interactions of at most `order` attributes, of any sizes.

    Coordinate of a set A and one contrast per member: the sum over rows of the product of the contrasts at
    the row's values. Layout: `InteractionLayout`. These are the residuals of [XiaHZK23] in an integer basis; on
    two-valued attributes they are the parities. What is accumulated is one contingency table for every set
    of exactly the order's size.
    """

    name: ClassVar[str] = "residuals"

    @cached_property
    def _tables(self) -> NDArray[np.int32]:
        """The sets of exactly `order` attributes, one row each."""
        return self.interactions.sets[-1]

    @property
    def _starts(self) -> NDArray[np.int64]:
        return self.interactions.table_starts

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(int(self._starts[-1]), dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """The contingency tables of all sets of exactly `order` attributes, in order."""
        from .kernels import contingency_tables

        order = self.interactions.order
        return contingency_tables(codes, self.interactions.sizes, order, self._starts, self.threads)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Contrasts along every axis of every table; a set below the top is taken from any table above it."""
        out = np.zeros(self.interactions.length, dtype=np.int64)
        for shape, tables in self._batches():
            cells = self._starts[tables, None] + np.arange(prod(shape))
            changed = _transform(sums[cells].reshape(-1, *shape), shape)
            self._place(changed, self._tables[tables], out)
        return out

    def _batches(self) -> Iterator[tuple[tuple[int, ...], NDArray[np.intp]]]:
        """Tables of one shape, at most about BATCH cells at a time."""
        sizes = np.array(self.interactions.sizes, dtype=np.int64)[self._tables]
        shapes, which = np.unique(sizes, axis=0, return_inverse=True)
        for number, row in enumerate(shapes):
            shape = tuple(int(size) for size in row)
            tables = np.flatnonzero(which.ravel() == number)
            step = max(1, BATCH // prod(shape))
            for begin in range(0, len(tables), step):
                yield shape, tables[begin : begin + step]

    def _place(self, changed: NDArray[np.int64], members: NDArray[np.int32], out: NDArray[np.int64]) -> None:
        """Writes the coordinates of all subsets: index 0 of an axis is the constant, so not a member."""
        for chosen in product((False, True), repeat=members.shape[1]):
            part = changed[(slice(None), *(slice(1, None) if c else 0 for c in chosen))]
            flat = part.reshape(len(members), -1)
            starts = self.interactions.offsets[self.interactions.ranks(members[:, list(chosen)])]
            # Tables that share a subset agree on it, so it does not matter whose numbers stay.
            out[starts[:, None] + np.arange(flat.shape[1])] = flat

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`: any one table holds them all."""
        return int(sums[: self._starts[1]].sum())


def _transform(tables: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Applies the contrasts along every axis but the first, exactly.

    Every partial sum is at most rows x the product of the largest entries, whatever the order of summation.
    Below 2^53 that is exact in doubles, which multiply far faster than integers.
    """
    matrices = [contrasts(size).matrix for size in shape]
    rows = int(tables[0].sum()) if len(tables) else 0
    bound = abs(rows) * prod(int(abs(m).max()) for m in matrices)
    kind = np.float64 if bound < 2**53 else np.int64
    values = tables.astype(kind)
    for axis, matrix in enumerate(matrices, start=1):
        values = np.moveaxis(np.moveaxis(values, axis, -1) @ matrix.T.astype(kind), -1, axis)
    return values.astype(np.int64)
