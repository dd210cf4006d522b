"""RareDesign: weights of rows and noise of the five groups of sums, a bargain struck on released numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .rare_columns import RareColumns
from .rare_lengths import WEIGHT_UNIT, Lengths
from .rare_weights import filling_weights, single_weights

__all__ = ["FIRST", "LENGTHS", "RareDesign"]

# Shares of the budget: a first look at single columns that tells rare ones from even ones, with the number of rows;
# the lengths of rows. The audit has its own; the rest is for the sums, which this design is of.
FIRST, LENGTHS = 0.02, 0.02
# The share of the price of each group is at least this.
LEAST_SHARE = 0.015
# What pairs of rare values add to the price of the worst row. In all others they may cost what these have left.
PAIRS = 0.05
# Share of the price that the weights and the shrinkage are judged at.
JUDGED_SINGLE, JUDGED_MIXED = 0.65, 0.25
# E |g| of a standard normal g: what noise of a cell adds to a table's total variation.
FOLDED = sqrt(2 / np.pi)


@dataclass(frozen=True, eq=False)
class RareDesign:
    """What `RareSums` needs to be measured."""

    single: NDArray[np.int64]
    both: NDArray[np.int64]
    deviations: list[float]
    """Standard deviations of the five groups, in proportion, in their own units."""

    @classmethod
    def of(cls, lengths: Lengths, columns: RareColumns, unit: float) -> RareDesign:
        """The least summed total variation of all pairs.

        unit  standard deviation of the noise of a sum that one row changes by 1, at the whole price
        """
        evens, rares, *_ = columns.counts
        single = single_weights(lengths, lengths.mean(1, rares), unit / sqrt(JUDGED_SINGLE))
        costs = lengths.each(1) * (single / WEIGHT_UNIT) ** 2
        four = _deviations(lengths, columns, single, float(costs.max()), unit)
        even, rare, even_pairs, mixed = (1 / d**2 if d > 0 else 0.0 for d in four)
        by_length = costs * (rare + evens * mixed)
        worst = float(by_length.max())
        added = PAIRS / (1 - PAIRS) * (worst + evens * even + columns.counts[2] * even_pairs)
        both, pairs = filling_weights(lengths, worst + added - by_length)
        units = [1, WEIGHT_UNIT, 1, WEIGHT_UNIT]
        return cls(single, both, [*(d * w if d > 0 else float(w) for d, w in zip(four, units, strict=True)), pairs])


def _deviations(
    lengths: Lengths, columns: RareColumns, single: NDArray[np.int64], largest: float, unit: float
) -> list[float]:
    """Standard deviations in rows of all groups but the last, in proportion; 0: there are no such sums.

    With costs p and losses v per unit of noise the least of sum v s under sum p / s^2 = 1 has s ~ (p / v)^(1/3).
    Noise that shrinkage takes away again is no loss: where it is far above what is looked for, its loss is small.
    """
    evens, rares, even_pairs, mixed, _ = columns.counts
    costs = [evens, largest, even_pairs, evens * largest]
    others, kept = evens + rares - 1, lengths.kept(single, 1)
    alone, pair = 1.15 * FOLDED, 2 * FOLDED  # a margin moves two cells of a pair or more, an interaction all four
    told = _told(unit * sqrt(costs[3] / JUDGED_MIXED) / (2 * kept), sqrt(lengths.mean(1, rares) / 2) * 2)
    losses = [alone * evens * others / 2, alone * rares * others / kept, pair * even_pairs / 4,
              pair * mixed * told / (2 * kept)]  # fmt: skip
    shares = np.array([p ** (1 / 3) * v ** (2 / 3) if p * v > 0 else 0.0 for p, v in zip(costs, losses, strict=True)])
    shares = np.where(shares > 0, np.maximum(shares / max(shares.sum(), 1e-300), LEAST_SHARE), 0.0)
    return [sqrt(p / s) if s > 0 else 0.0 for p, s in zip(costs, shares.tolist(), strict=True)]


def _told(noise: float, typical: float) -> float:
    """How much of a number of typical size noise of this size leaves to be told."""
    return typical**2 / (typical**2 + noise**2) if typical > 0 else 0.0
