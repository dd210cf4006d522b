"""Boxes: all products of intervals of ordered attributes, known by their bounds alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from .base import Counts, LinearClass, Values

__all__ = ["Boxes", "intervals_of"]


class Boxes(LinearClass):
    """For each set, every choice of one interval of each member: how many rows lie in all of them.

    `bins[j]` is how many codes of attribute j are ordered; they come first, and codes beyond (other, missing) lie
    in no interval. An interval that would hold every code is left out, as it says nothing. Intervals are ordered by
    their first code, then their last; the boxes of a set are in C order of their intervals.
    """

    def __init__(self, sizes: Sequence[int], sets: Sequence[Sequence[int]], *, bins: Mapping[int, int]) -> None:
        super().__init__(sizes, sets)
        self._axes = {j: _bounds(bins[j], self.sizes[j]) for members in self.sets for j in members}
        self._shapes = [tuple(len(self._axes[j][0]) for j in members) for members in self.sets]
        self._set_starts = np.cumsum([0, *map(prod, self._shapes)]).astype(np.int64)
        if min(map(prod, self._shapes)) < 1:
            raise ValueError("a set has no interval that says anything")
        self.starts = np.arange(int(self._set_starts[-1]) + 1, dtype=np.int64)

    def set_of(self, candidate: int) -> int:
        return int(np.searchsorted(self._set_starts, candidate, side="right")) - 1

    def bounds(self, candidate: int) -> tuple[tuple[int, int], ...]:
        """For each member of the set, the first code of the interval and the code after its last."""
        s = self.set_of(candidate)
        chosen = np.unravel_index(candidate - int(self._set_starts[s]), self._shapes[s])
        axes = (self._axes[j] for j in self.sets[s])
        return tuple((int(low[i]), int(high[i])) for (low, high), i in zip(axes, chosen, strict=True))

    def functions(self, candidate: int) -> Counts:
        """1 inside the box, 0 outside."""
        inside = np.zeros(self.shape(candidate), dtype=np.int64)
        inside[tuple(slice(low, high) for low, high in self.bounds(candidate))] = 1
        return inside.reshape(1, -1)

    def apply(self, cells: Values) -> Values:
        """From sums up to each code: an interval is the difference of two, one attribute after the other."""
        out = np.empty(int(self._set_starts[-1]), dtype=cells.dtype)
        for s, members in enumerate(self.sets):
            table = cells[self.cell_starts[s] : self.cell_starts[s + 1]].reshape([self.sizes[j] for j in members])
            for axis, j in enumerate(members):
                low, high = self._axes[j]
                upto = np.zeros([n + (i == axis) for i, n in enumerate(table.shape)], dtype=cells.dtype)
                np.cumsum(table, axis=axis, out=upto[(slice(None),) * axis + (slice(1, None),)])
                table = upto.take(high, axis) - upto.take(low, axis)
            out[self._set_starts[s] : self._set_starts[s + 1]] = table.ravel()
        return out

    def ranges(self) -> tuple[Counts, Counts]:
        """No box is empty and none holds every row."""
        return np.zeros(len(self), dtype=np.int64), np.ones(len(self), dtype=np.int64)

    def norms(self, power: int) -> Counts:
        """In how many boxes of its set a cell lies: for each attribute, how many intervals hold its code."""
        parts = []
        for members in self.sets:
            held = np.ones(1, dtype=np.int64)
            for j in members:
                low, high = (np.bincount(ends, minlength=self.sizes[j] + 1)[:-1] for ends in self._axes[j])
                held = np.multiply.outer(held, np.cumsum(low - high)).ravel()
            parts.append(held)
        return np.concatenate(parts)


def intervals_of(bins: int, size: int) -> int:
    """How many intervals of `bins` ordered codes there are that do not hold all `size` codes."""
    return bins * (bins + 1) // 2 - (bins == size)


def _bounds(bins: int, size: int) -> tuple[Counts, Counts]:
    """First code, and code after the last, of every interval."""
    low, last = np.triu_indices(bins)
    keep = slice(None) if bins < size else (low > 0) | (last < bins - 1)
    return low[keep].astype(np.int64), last[keep].astype(np.int64) + 1
