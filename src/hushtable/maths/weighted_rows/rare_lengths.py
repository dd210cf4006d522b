"""Lengths: how many rows have 0, 1, 2, ... rare values, as far as noisy counts tell."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["WEIGHT_UNIT", "Lengths", "length_cell"]

Floats = NDArray[np.float64]
# A row of full weight has weight 256.
WEIGHT_UNIT = 256
# Counts of so many standard deviations are known well. The rarer lengths beyond are taken to fall by one ratio, which
# is fitted to the last known ones and to them; counts follow such a law to this part of themselves.
SURELY, RATIOS, LAWFUL = 8.0, np.linspace(0.05, 0.9, 86), 0.1


def length_cell(rare: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The cell of every row, given which of its r values are rare.

    Cell 0 has none, cell 1 + j the rare value of column j alone, cell r + k - 1 has k = 2, ..., r of them.
    """
    length = rare.sum(axis=0, dtype=np.int64)
    cell = np.where(length > 1, len(rare) + length - 1, 0)
    alone = np.flatnonzero(length == 1)
    cell[alone] = 1 + rare[:, alone].argmax(axis=0) if len(rare) else 0
    return cell


def _falling_on(seen: Floats, end: int, variance: float) -> Floats:
    """Counts from length `end` on: those of the geometric law that is nearest to them and to the three before."""
    begin = max(end - 3, 0)
    near = seen[begin:]
    precision = 1 / (variance + (LAWFUL * np.maximum(near, 0.0)) ** 2)
    laws = RATIOS[:, None] ** np.arange(len(near))
    height = np.maximum((laws * precision) @ near, 0.0) / (laws**2 @ precision)
    apart = ((near - height[:, None] * laws) ** 2) @ precision
    best = int(np.argmin(apart))
    return np.asarray((height[best] * laws[best])[end - begin :])


@dataclass(frozen=True, eq=False)
class Lengths:
    """About how many rows are of each length."""

    counts: Floats
    """Rows with 0, 1, 2, ... rare values."""
    alone: Floats
    """Rows with the rare value of this column and no other: the rows of length 1 by column."""

    @classmethod
    def of(cls, cells: NDArray[np.int64], variance: float, rows: float) -> Lengths:
        """From noisy counts of all cells. Beyond the last length that is known well, they fall by one ratio.

        The cells of length 1 are many, and so is the noise of their sum: that length has what the others leave.
        """
        rares = len(cells) // 2
        noisy = np.concatenate([cells[:1], [0], cells[1 + rares :]]).astype(np.float64)
        sure = np.flatnonzero(noisy >= SURELY * sqrt(variance))
        end = max(int(sure[-1]) + 1 if len(sure) else 1, 2)
        counts = np.zeros(len(noisy))
        counts[:end] = np.maximum(noisy[:end], 0.0)
        counts[1] = max(rows - counts.sum(), 0.0)
        if end > 2:
            counts[end:] = _falling_on(np.concatenate([counts[:end], noisy[end:]]), end, variance)
        total = float(counts.sum())
        counts = counts * (rows / total) if total > 0 else np.eye(1, len(noisy))[0] * rows
        alone = cells[1 : 1 + rares].astype(np.float64)
        alone = np.maximum(alone + (counts[1] - alone.sum()) / max(rares, 1), 0.0)
        return cls(counts, alone * (counts[1] / max(float(alone.sum()), 1e-300)))

    @property
    def cells(self) -> Floats:
        """The counts of all cells."""
        return np.concatenate([self.counts[:1], self.alone, self.counts[2:]])

    def each(self, order: int) -> Floats:
        """How many rare values (order 1), or pairs of them (order 2), a row of each length has."""
        k = np.arange(len(self.counts), dtype=np.float64)
        return k if order == 1 else k * (k - 1) / 2

    def shares(self, order: int) -> Floats:
        """Of all rare values, or pairs of them, the share that is in rows of each length."""
        each = self.each(order) * self.counts
        return np.asarray(each / max(float(each.sum()), 1e-300))

    def kept(self, weights: NDArray[np.int64], order: int) -> float:
        """Share of all rare values, or pairs of them, that sums with these weights have."""
        shares = self.shares(order)
        return float(shares @ weights) / WEIGHT_UNIT if shares.any() else 1.0

    def mean(self, order: int, numbers: int) -> float:
        """The mean count of a rare column or a pair of them."""
        return float(self.each(order) @ self.counts) / max(numbers, 1)
