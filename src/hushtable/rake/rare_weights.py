"""Weights of rows by their length, and noise of the sums: a bargain struck on released numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .rare_columns import RareColumns

__all__ = ["WEIGHT_UNIT", "Lengths", "chosen_weights", "deviations"]

Floats = NDArray[np.float64]
# A row of full weight has weight 256.
WEIGHT_UNIT = 256
# Counts of so many standard deviations are known well; the rarer lengths beyond are guessed to fall from one to the
# next as the last known ones did, and at least by this ratio.
SURELY, SLOWEST = 8.0, 0.8
# How much of what a column loses by weights below 1 differs from the mean, which is put back.
UNEVEN = 1 / 3
# The share of the price of each group is at least this.
LEAST_SHARE = 0.03
# Share of the price that the weights and the shrinkage are judged at.
JUDGED_SINGLE, JUDGED_BOTH, JUDGED_MIXED, JUDGED_TOLD = 0.6, 0.15, 0.25, 0.06
# E |g| of a standard normal g: what noise of a cell adds to a table's total variation.
FOLDED = sqrt(2 / np.pi)


@dataclass(frozen=True, eq=False)
class Lengths:
    """About how many rows have 0, 1, 2, ... rare values."""

    counts: Floats

    @classmethod
    def of(cls, noisy: NDArray[np.int64], variance: float, rows: float) -> Lengths:
        """Beyond the last length whose count is known well, the counts fall on as they did before it."""
        sure = np.flatnonzero(noisy >= SURELY * sqrt(variance))
        end = int(sure[-1]) + 1 if len(sure) else 1
        counts = np.zeros(len(noisy))
        counts[:end] = np.maximum(noisy[:end], 0.0)
        if end > 2 and counts[end - 3] > 0:
            ratio = min(sqrt(counts[end - 1] / counts[end - 3]), SLOWEST)
            counts[end:] = counts[end - 1] * ratio ** np.arange(1, len(noisy) - end + 1)
        total = float(counts.sum())
        return cls(counts * (rows / total) if total > 0 else np.eye(1, len(noisy))[0] * rows)

    def kept(self, weights: NDArray[np.int64], order: int) -> float:
        """Share of all rare values (order 1) or pairs of them (order 2) that sums with these weights have."""
        each = _each(len(self.counts), order) * self.counts
        whole = float(each.sum())
        return float((each * weights).sum() / (WEIGHT_UNIT * whole)) if whole > 0 else 1.0

    def mean(self, order: int, numbers: int) -> float:
        """The mean count of a rare column or a pair of them."""
        return float((_each(len(self.counts), order) * self.counts).sum() / max(numbers, 1))


def _each(lengths: int, order: int) -> Floats:
    """How many values, or pairs of values, a row of each length has."""
    k = np.arange(lengths, dtype=np.float64)
    return k if order == 1 else k * (k - 1) / 2


def falling(lengths: int, limit: float, order: int) -> NDArray[np.int64]:
    """Weights with which no row has a squared length above `limit`, and rows below it full weight."""
    each = _each(lengths, order)
    exact = WEIGHT_UNIT * np.sqrt(limit / np.maximum(each, limit))
    return np.floor(exact + 1e-9).astype(np.int64)


def chosen_weights(lengths: Lengths, columns: RareColumns, unit: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Weights of single rare values and of pairs: the least of noise and of what cannot be put back.

    unit  standard deviation of the noise of a sum that one row changes by 1, at the whole price
    """
    _, rares, _, _, pairs = columns.counts
    single = _least(lengths, 1, unit / sqrt(JUDGED_SINGLE), rares)
    both = _least(lengths, 2, unit / sqrt(JUDGED_BOTH), pairs)
    return single, both


def _least(lengths: Lengths, order: int, unit: float, numbers: int) -> NDArray[np.int64]:
    found: list[tuple[float, NDArray[np.int64]]] = []
    mean = lengths.mean(order, numbers)
    # Beyond the longest row all limits are alike.
    longest = _each(len(lengths.counts), order)[max(int(np.flatnonzero(lengths.counts >= 1).max(initial=0)), 2)]
    for limit in np.geomspace(1.0, max(longest, 1.0), 40):
        weights = falling(len(lengths.counts), float(limit), order)
        kept = lengths.kept(weights, order)
        noise, lost = unit * sqrt(limit) / kept, UNEVEN * (1 - kept) * mean / kept
        found.append((noise**2 + lost**2, weights))
    return min(found, key=lambda one: one[0])[1]


def deviations(
    lengths: Lengths, columns: RareColumns, single: NDArray[np.int64], both: NDArray[np.int64], unit: float, rows: float
) -> list[float]:
    """Standard deviations of the five groups, in proportion: least summed total variation of all pairs.

    With costs p and losses v per unit of noise the least of sum v s under sum p / s^2 = 1 has s ~ (p / v)^(1/3).
    Noise that shrinkage takes away again is no loss: where it is far above what is looked for, its loss is small.
    """
    evens, rares, even_pairs, mixed, rare_pairs = columns.counts
    k = np.arange(len(single), dtype=np.float64)
    one = float((k * single**2.0).max()) / WEIGHT_UNIT**2
    two = float((k * (k - 1) / 2 * both**2.0).max()) / WEIGHT_UNIT**2
    costs = [evens, one, even_pairs, evens * one, two]
    others, kept, kept_both = evens + rares - 1, lengths.kept(single, 1), lengths.kept(both, 2)
    alone, pair = 1.15 * FOLDED, 2 * FOLDED  # a margin moves two cells of a pair or more, an interaction all four
    seen = [sqrt(lengths.mean(1, rares) / 2) * 2, sqrt(lengths.mean(2, rare_pairs)) * 2]
    told = [
        _told(unit * sqrt(costs[3] / JUDGED_MIXED) / (2 * kept), seen[0]),
        _told(unit * sqrt(two / JUDGED_TOLD) / kept_both, seen[1]),
    ]
    losses = [alone * evens * others / 2, alone * rares * others / kept, pair * even_pairs / 4,
              pair * mixed * told[0] / (2 * kept), pair * rare_pairs * told[1] / kept_both]  # fmt: skip
    shares = np.array([p ** (1 / 3) * v ** (2 / 3) if p * v > 0 else 0.0 for p, v in zip(costs, losses, strict=True)])
    present = shares > 0
    shares = np.where(present, np.maximum(shares / max(shares.sum(), 1e-300), LEAST_SHARE), 0.0)
    shares = shares / max(shares.sum(), 1e-300)
    units = [1, WEIGHT_UNIT, 1, WEIGHT_UNIT, WEIGHT_UNIT]
    return [w * sqrt(p / s) if s > 0 else float(w) for p, s, w in zip(costs, shares.tolist(), units, strict=True)]


def _told(noise: float, typical: float) -> float:
    """How much of a number of typical size noise of this size leaves to be told."""
    return typical**2 / (typical**2 + noise**2) if typical > 0 else 0.0
