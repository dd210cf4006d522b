"""Rare values: which columns have them, how many a row has, and how sums of them are weighted and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from ...laws import Law

__all__ = [
    "FIRST",
    "LEAST_COLUMNS",
    "LENGTHS",
    "WEIGHT_UNIT",
    "Lengths",
    "RareColumns",
    "RareDesign",
    "filling_weights",
    "length_cell",
    "may_be_rare",
    "single_weights",
    "split",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A column is rare when its rarer value has less than this share of the rows.
RARE = 0.1
# The least number of columns, all of two values, for which rare values are looked for; and the largest mean share of
# unusual values in a row for which they are used.
LEAST_COLUMNS, MOST_UNUSUAL = 32, 0.1


@dataclass(frozen=True)
class RareColumns:
    """All columns of a table, each even or rare; `usual` is the usual code of each rare one."""

    even: tuple[int, ...]
    rare: tuple[int, ...]
    usual: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """Numbers of even columns, rare columns, even, mixed and rare pairs."""
        evens, rares = len(self.even), len(self.rare)
        return evens, rares, comb(evens, 2), evens * rares, comb(rares, 2)

    def is_rare(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Of every rare column and row whether the value is the unusual one; a code beyond 1 counts as 1."""
        usual = np.array(self.usual, dtype=bool)[:, None]
        return np.asarray((codes[list(self.rare)] > 0) != usual)

    def signs(self, codes: NDArray[np.integer]) -> NDArray[np.int8]:
        """+1 for the second value of an even column, -1 for the first."""
        return np.where(codes[list(self.even)] > 0, 1, -1).astype(np.int8)


def may_be_rare(sizes: Sequence[int], law: Law) -> bool:
    """Whether a first look is worth its price: the sizes of the columns and the kind of noise say so."""
    return law.power == 2 and len(sizes) >= LEAST_COLUMNS and set(sizes) == {2}


def split(shares: Sequence[NDArray[np.float64]]) -> RareColumns | None:
    """Even and rare columns by the released shares of their values; None where too many values are unusual."""
    if len(shares) < LEAST_COLUMNS or any(len(p) != 2 for p in shares):
        return None
    rarer = np.array([p.min() for p in shares])
    if rarer.mean() > MOST_UNUSUAL:
        return None
    rare = np.flatnonzero(rarer < RARE).tolist()
    even = np.flatnonzero(rarer >= RARE).tolist()
    return RareColumns(tuple(even), tuple(rare), tuple(int(np.argmax(shares[j])) for j in rare))


# A row of full weight has weight 256.
WEIGHT_UNIT = 256
# Counts of at least MIN_SIGMAS standard deviations of their noise are taken as they are. Counts of longer rows are
# taken to fall by one of RATIOS from length to length, fitted to the last three known counts and to their own noisy
# ones; a true count is allowed to differ from such a law by LAWFUL times itself.
MIN_SIGMAS, RATIOS, LAWFUL = 8.0, np.linspace(0.05, 0.9, 86), 0.1


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
        sure = np.flatnonzero(noisy >= MIN_SIGMAS * sqrt(variance))
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


# How columns differ in the lengths of rows their rare values are in: a column has 1 + t (log k - mean) times the usual
# share of length k, with t of this size; and beyond that each length is off by so much, relative to its share, which
# is taken to be at least this.
TILT, ODD, LEAST = 0.3, 0.15, 1e-3
# Factor of the equation that the mean column is kept, in the least squares for the weights: large, so that it holds
# almost exactly, and what is still missing is divided out.
FIRMLY = 30.0
# How many limits on a row's weight are tried.
TRIED = 40


def single_weights(lengths: Lengths, mean: float, unit: float) -> Integers:
    """Weights w_k of single rare values in rows of length k, with the least noise plus squared bias.

    Minimises unit^2 max_k (k w_k^2) + |B (w - 1)|^2 where sum of share_k w_k = 1: one row changes k sums by w_k each,
    and the mean column keeps its count. B says how other columns may differ from it: some are more often in short
    rows or in long ones (TILT), and each length may be off by itself (ODD).

    mean  the mean count of a rare value
    unit  standard deviation of the noise of a sum that one row changes by 1, at the price of these sums
    """
    from scipy.optimize import lsq_linear

    longest = max(int(np.flatnonzero(lengths.counts >= 1).max(initial=0)), 1)
    k, shares = np.arange(1, longest + 1, dtype=np.float64), lengths.shares(1)[1 : longest + 1]
    tilt = TILT * shares * (np.log(k) - shares @ np.log(k))
    bias = mean * np.vstack([tilt, np.diag(ODD * np.maximum(shares, LEAST))])
    system = np.vstack([bias, FIRMLY * mean * shares])
    least, best = np.inf, np.ones(longest)
    for limit in np.geomspace(1.0, longest, TRIED):
        ceiling = np.sqrt(limit / k)
        weights = lsq_linear(system, system.sum(axis=1), (0.0, ceiling), tol=1e-9).x
        weights = weights / max(float(shares @ weights), 1e-300)
        loss = unit**2 * float((k * weights**2).max()) + float(((bias @ (weights - 1)) ** 2).sum())
        if loss < least:
            least, best = loss, weights
    limit = float((k * best**2).max())
    beyond = np.sqrt(limit / np.arange(longest + 1, len(lengths.counts)))
    return _whole(np.concatenate([[0.0], best, beyond]))


def filling_weights(lengths: Lengths, left: Floats) -> tuple[Integers, float]:
    """Weights of pairs of rare values with which they cost, in a row of each length, what is left of its price.

    left  what all pairs of a row of each length may cost, if noise of standard deviation 1 costs 1

    Returns the weights and the standard deviation that goes with them, as it is for a weight of 256.
    """
    each = lengths.each(2)
    weights = np.sqrt(np.divide(left, each, out=np.zeros(len(each)), where=each > 0))
    most = float(weights.max())
    return _whole(weights), WEIGHT_UNIT / most if most > 0 else float(WEIGHT_UNIT)


def _whole(weights: Floats) -> Integers:
    """In units of 1/256 of the largest."""
    return np.floor(weights * (WEIGHT_UNIT / max(float(weights.max()), 1e-300)) + 1e-9).astype(np.int64)


# Shares of the budget: a first look at single columns that tells rare ones from even ones, with the number of rows;
# the lengths of rows. The audit has its own; the rest is for the sums, which this design is of.
FIRST, LENGTHS = 0.02, 0.02
# The share of the price of each group is at least this.
LEAST_SHARE = 0.015
# Pairs of rare values have this share of the price of the most expensive row; in rows of every other length they are
# weighted so that such a row costs as much as that one.
PAIRS = 0.05
# Share of the price that the weights and the shrinkage are judged at.
JUDGED_SINGLE, JUDGED_MIXED = 0.65, 0.25
# E |g| of a standard normal g: what noise of a cell adds to a table's total variation.
FOLDED = sqrt(2 / np.pi)


@dataclass(frozen=True, eq=False)
class RareDesign:
    """Row weights and noise for `RareSums`, chosen from released numbers only."""

    single: NDArray[np.int64]
    both: NDArray[np.int64]
    deviations: list[float]
    """Standard deviations of the five groups, in proportion, in their own units."""

    @classmethod
    def of(cls, lengths: Lengths, columns: RareColumns, unit: float) -> RareDesign:
        """The weights and noise of least summed total variation over all pairs, at a fixed price.

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
    kept_signal = _shrinkage(unit * sqrt(costs[3] / JUDGED_MIXED) / (2 * kept), sqrt(lengths.mean(1, rares) / 2) * 2)
    losses = [alone * evens * others / 2, alone * rares * others / kept, pair * even_pairs / 4,
              pair * mixed * kept_signal / (2 * kept)]  # fmt: skip
    shares = np.array([p ** (1 / 3) * v ** (2 / 3) if p * v > 0 else 0.0 for p, v in zip(costs, losses, strict=True)])
    shares = np.where(shares > 0, np.maximum(shares / max(shares.sum(), 1e-300), LEAST_SHARE), 0.0)
    return [sqrt(p / s) if s > 0 else 0.0 for p, s in zip(costs, shares.tolist(), strict=True)]


def _shrinkage(noise: float, typical: float) -> float:
    """The factor typical^2 / (typical^2 + noise^2) by which shrinkage multiplies a noisy number of typical size."""
    return typical**2 / (typical**2 + noise**2) if typical > 0 else 0.0
