"""Released sums of rare and even columns, and the tables of all pairs that the rows are fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..interactions.contrasts import contrasts
from .fit_targets import FitTargets
from .grouped_sets import GroupedSet, RawTable
from .rare_design import WEIGHT_UNIT, Lengths, RareColumns
from .shares import fit_prior, small_counts

__all__ = ["RareMeasured", "agree_rare", "shrunk"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RareMeasured:
    """Noisy whole numbers as they left the vault, with Gaussian noise of these variances."""

    columns: RareColumns
    single: Integers
    """Weight of a row's rare values by its length, in units of 1/256."""
    both: Integers
    """Weight of a row's pairs of rare values by its length, in units of 1/256."""
    lengths: Integers
    """Rows of every length; those of length 1 by the column of their rare value."""
    lengths_scale: Fraction
    sums: Integers
    """The five groups of `RareSums`, one after the other."""
    scales: tuple[Fraction, ...]
    law: Law

    @cached_property
    def parts(self) -> list[Floats]:
        """The five groups, in rows."""
        units = np.array([1, WEIGHT_UNIT, 1, WEIGHT_UNIT, WEIGHT_UNIT])
        cuts = np.cumsum(self.columns.counts)[:-1]
        return [part / unit for part, unit in zip(np.split(self.sums, cuts), units, strict=True)]

    @cached_property
    def deviations(self) -> list[float]:
        """Standard deviations of the five groups, in rows."""
        units = [1, WEIGHT_UNIT, 1, WEIGHT_UNIT, WEIGHT_UNIT]
        return [self.law.stderr(scale) / unit for scale, unit in zip(self.scales, units, strict=True)]

    @cached_property
    def tables(self) -> list[RawTable]:
        """Sums over even columns and their pairs have no weights: they are contrasts as of any other table."""
        even, _, pairs, *_ = np.split(self.sums, np.cumsum(self.columns.counts)[:-1])
        sign, length = int(contrasts(2).matrix[1, 1]), int(contrasts(2).norms[1])
        members = [*((j,) for j in self.columns.even), *combinations(self.columns.even, 2)]
        numbers = [*(sign * even), *pairs]
        scales = [self.scales[0] / length] * len(even) + [self.scales[2] / length**2] * len(pairs)
        return [
            RawTable(GroupedSet(of, (np.arange(2),) * len(of)), np.array([number]), self.law, scale, contrasted=True)
            for of, number, scale in zip(members, numbers, scales, strict=True)
        ]

    def believed(self, rows: float) -> Lengths:
        """The denoised numbers of rows of every length."""
        return Lengths.of(self.lengths, self.law.variance(self.lengths_scale), rows)


# Variances that a difference from the expected count may have, relative to that count; 0: none.
PRIOR = np.concatenate([[0.0], 2.0 ** np.arange(-4, 14)])
ROUNDS = 200
# Rare pairs whose difference from the others, shrunk, is below this part of its noise are no tables of the model. Many
# weak pulls in one direction would not be weak: rows of dozens of rare values would draw each other in.
CLEARLY = 0.3
# Tables are shrunk already: the rows should have them, up to a row or so.
FIRM = 1.0


def agree_rare(measured: RareMeasured, rows: float) -> FitTargets:
    """One number of rows, shares of all columns and a table for every pair that has one."""
    columns, lengths = measured.columns, measured.believed(rows)
    even, rare, even_pairs, mixed, rare_pairs = measured.parts
    noise = measured.deviations
    keep, keep_both = lengths.kept(measured.single, 1), lengths.kept(measured.both, 2)
    rares = np.clip(small_counts(rare / keep, noise[1] / keep), 0.5, rows / 2)
    evens = np.clip((even + rows) / 2, 0.5, rows - 0.5)
    width = len(columns.even) + len(columns.rare)
    counts, together = np.zeros(width), np.zeros((width, width))
    counts[list(columns.even)], counts[list(columns.rare)] = evens, rares
    _fill(together, columns.even, columns.even, _even_pairs(even_pairs, evens, rows))
    _fill(together, columns.even, columns.rare,
          _mixed(mixed.reshape(len(evens), len(rares)) / keep, evens, rares, rows, noise[3] / keep))  # fmt: skip
    _fill(
        together,
        columns.rare,
        columns.rare,
        _rare_pairs(rare_pairs / keep_both, rares - lengths.alone, noise[4] / keep_both),
    )
    return _tables(measured, counts, together, rows)


def _even_pairs(sums: Floats, evens: Floats, rows: float) -> Floats:
    """Rows with both second values: z z' = 4 x x' - 2 x - 2 x' + 1."""
    out = np.zeros((len(evens), len(evens)))
    i, j = np.triu_indices(len(evens), 1)
    out[i, j] = (sums + 2 * evens[i] + 2 * evens[j] - rows) / 4
    return out


def _mixed(sums: Floats, evens: Floats, rares: Floats, rows: float, noise: float) -> Floats:
    """Rows with the second value and the rare one: z x = 2 x' x - x. Each even column has a slope of its own."""
    out = np.zeros(sums.shape)
    for number, seen in enumerate(sums):
        share = evens[number] / rows
        beyond = seen / 2 - (share - 0.5) * rares
        slope = float(beyond @ rares) / max(float(rares @ rares), 1e-300)
        beyond = slope * rares + shrunk(beyond - slope * rares, noise / 2, rares * min(share, 1 - share))
        out[number] = share * rares + beyond
    return out


def _rare_pairs(sums: Floats, shared: Floats, noise: float) -> Floats:
    """Rows with both rare values where that is clearly more or fewer than elsewhere; nan where it is not.

    Two columns meet in proportion to their rows that have more than one rare value (`shared`). The lengths of the
    fitted rows see to that.
    """
    shared = np.maximum(shared, 0.5)
    out = np.zeros((len(shared), len(shared)))
    i, j = np.triu_indices(len(shared), 1)
    expected = shared[i] * shared[j] / max(float(shared.max()), 1.0)
    slope = max(float(sums @ expected) / max(float(expected @ expected), 1e-300), 0.0)
    beyond = shrunk(sums - slope * expected, noise, slope * expected)
    out[i, j] = np.where(np.abs(beyond) > CLEARLY * noise, slope * expected + beyond, np.nan)
    return out


def shrunk(apart: Floats, noise: float, expected: Floats) -> Floats:
    """Posterior means of differences: normal, of one of many variances relative to the expected count [KieW56].

    How often each variance occurs is fitted to all differences by EM.
    """
    if not len(apart):
        return apart
    spread = PRIOR[None] * np.maximum(expected, 1.0)[:, None]
    total = spread + noise**2
    log = -0.5 * apart[:, None] ** 2 / total - 0.5 * np.log(total)
    likelihood = np.exp(log - log.max(axis=1, keepdims=True))
    _, posterior = fit_prior(likelihood, ROUNDS)
    return np.asarray((posterior * (spread / total)).sum(axis=1) * apart)


def _fill(together: Floats, first: tuple[int, ...], second: tuple[int, ...], values: Floats) -> None:
    together[np.ix_(first, second)] += values
    together[np.ix_(second, first)] += values.T


def _tables(measured: RareMeasured, counts: Floats, together: Floats, rows: float) -> FitTargets:
    """Tables in the order of codes: where the usual code is 1, the rare value is code 0."""
    columns, width = measured.columns, len(counts)
    usual = dict(zip(columns.rare, columns.usual, strict=True))
    both, sets, tables = np.arange(2), [], []
    for i, j in combinations(range(width), 2):
        low, high = max(0.0, counts[i] + counts[j] - rows), min(counts[i], counts[j])
        if np.isnan(together[i, j]):
            continue
        c = float(np.clip(together[i, j], low, high))
        table = np.array([[rows - counts[i] - counts[j] + c, counts[j] - c], [counts[i] - c, c]])
        table = table[::-1] if usual.get(i) == 1 else table
        tables.append(np.ascontiguousarray(table[:, ::-1] if usual.get(j) == 1 else table))
        sets.append(GroupedSet((i, j), (both, both)))
    shares = [np.array([rows - n, n] if usual.get(j, 0) == 0 else [n, rows - n]) / rows for j, n in enumerate(counts)]
    noise, lengths = measured.deviations, measured.believed(rows)
    ones = (noise[0] / 2) ** 2, (noise[1] / lengths.kept(measured.single, 1)) ** 2
    variances = [float(ones[j in usual]) for j in range(width)]
    return FitTargets(rows, shares, variances, sets, tables, [FIRM] * len(sets))
