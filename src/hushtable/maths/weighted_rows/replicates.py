"""Replicates: the model's rows weighted again, as other noise of the released laws would have weighted them.

Survey offices publish such weights: the spread of any statistic over them is its standard error [Wol07]. Here the law
of every noise is known, so that they follow from released numbers alone and cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .row_logs import MOST_LOG, WeightLogs
from .weighted_rows import SHARE_UNIT, WeightedRows, drawn_rows, inside_groups, shares_inside

__all__ = ["CARRIERS", "REPLICATES", "Replicates", "carriers", "drawn", "log_unit", "packed", "sweeps_for"]

Floats = NDArray[np.float64]
GOLDEN = (5**0.5 - 1) / 2
Integers = NDArray[np.int64]
# How many replicates there are, and by how many rows each is carried at most.
REPLICATES, CARRIERS = 16, 2**15
# Sweeps over all tables for each replicate, whose rows begin near where they end; so many where tables are many.
SWEEPS, FEWER_SWEEPS, MANY_TABLES = 4, 2, 500
# Logarithms of rows' weights are kept in whole parts of 1: coarse where rows have equal shares, since roundings of
# thousands of rows cancel; fine where a single row may have a large share.
COARSE, FINE = 16, 1024


@dataclass(frozen=True, eq=False)
class Replicates:
    """Other weights of the model's rows, and other shares of every code inside its base group."""

    cloud: WeightedRows
    logs: WeightLogs
    """Logarithms of (new weight / weight) of the carriers."""
    fixed_shares: tuple[Integers, ...]
    """For every attribute the shares of its codes in units of 2^-40, shape (replicates, codes)."""
    every: bool = True
    """Whether every line that carries replicates does so with its own share. Files of before drew some of them by equal
    shares: that moved replicates more than the noise did, and the ratios in these files allow for it."""

    @property
    def count(self) -> int:
        """How many there are."""
        return self.logs.count

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """For every carrier its place in `logs`. Few rows are taken several times, so that each can have several codes
        of its base groups."""
        rows, shares = carriers(self.cloud)
        alone = all(len(base) == size for base, size in zip(self.cloud.base, self.cloud.base_sizes, strict=True))
        if alone or len(rows) == CARRIERS:
            return np.arange(len(rows))
        if not self.every:
            return equal_shares(shares, CARRIERS)
        # A line of small share in the model may have a large one in a replicate: none is left out.
        return np.repeat(np.arange(len(rows)), 1 + (shares * (CARRIERS - len(rows))).astype(np.int64))

    @cached_property
    def carriers(self) -> tuple[NDArray[np.intp], Floats]:
        """The rows that carry replicates, and their shares."""
        rows, shares = carriers(self.cloud)
        if len(self._places) == len(rows):
            return rows, shares
        if not self.every:
            return rows[self._places], np.full(len(self._places), 1 / len(self._places))
        return rows[self._places], (shares / np.bincount(self._places))[self._places]

    @cached_property
    def weights(self) -> Floats:
        """Shares of the carriers, shape (carriers, replicates)."""
        weights = np.exp(self._logs[self._places]) * self.carriers[1][:, None]
        return np.ascontiguousarray(weights / weights.sum(axis=0))

    @cached_property
    def _logs(self) -> Floats:
        """Logarithms of (new share / share) of all lines that carry replicates, shape (lines, replicates)."""
        lines, shares = carriers(self.cloud)
        logs = self.logs.of_rows(self.cloud.codes[:, lines])
        logs -= logs.max(axis=0)
        logs -= np.log(shares @ np.exp(logs))
        return np.clip(logs, -MOST_LOG, MOST_LOG)

    @cached_property
    def effective(self) -> float:
        """How many rows carry a replicate as well as the model's rows carry the model, as a share of these; of the
        replicate in which it is least."""
        return float(1 / ((self.weights**2) / self.carriers[1][:, None]).sum(axis=0).max())

    @cached_property
    def _values(self) -> dict[int, tuple[Integers, Floats | None]]:
        return {}

    def values(self, position: int) -> tuple[Integers, Floats | None]:
        """A code for every carrier, inside its base group; and for every code and replicate how much more of its base
        group it is than in the model; None where every code is its own group."""
        if position not in self._values:
            self._values[position] = self._drawn(position)
            self._codes[position] = self._values[position][0]
        return self._values[position]

    def _drawn(self, position: int) -> tuple[Integers, Floats | None]:
        base, inside = self.cloud.base[position], self.cloud.inside[position]
        groups = self.cloud.codes[position][self.carriers[0]].astype(np.int64)
        by_group, sizes = np.argsort(base, kind="stable"), np.bincount(base)
        ends = np.cumsum(sizes)
        if len(sizes) == len(base):
            return by_group[groups], None
        # An even sequence stands for chance: neighbours among the sorted rows get different codes.
        points = groups + (np.arange(len(groups)) * GOLDEN + position * GOLDEN**2) % 1.0
        chosen = np.searchsorted(np.cumsum(inside[by_group]), points, side="right")
        chosen = np.clip(chosen, (ends - sizes)[groups], ends[groups] - 1)
        new = self.fixed_shares[position] / self.fixed_shares[position].sum(axis=1, keepdims=True)
        whole = np.array([np.bincount(base, each) for each in new])[:, base]
        ratio = np.divide(new, whole * inside, out=np.ones_like(new), where=(whole > 0) & (inside > 0))
        return by_group[chosen], np.ascontiguousarray(ratio.T)

    @cached_property
    def _codes(self) -> NDArray[np.uint16]:
        return np.zeros((len(self.cloud.base), len(self.carriers[0])), dtype=np.uint16)

    def codes(self, positions: Sequence[int]) -> NDArray[np.uint16]:
        """Codes of the carriers, one line an attribute; those at other positions mean nothing."""
        for position in positions:
            self.values(position)
        return self._codes

    def tables(
        self,
        positions: Sequence[int],
        holds: NDArray[np.bool_],
        key: Integers,
        cells: int,
        values: Sequence[Floats] = (),
    ) -> Iterator[list[Floats]]:
        """Shares of the carriers that hold, in each of so many cells; of the model, then of every replicate.

        `key` is the cell of every carrier. For each of `values`, a number a carrier, its sums follow the shares.
        """
        here, weights = np.flatnonzero(holds), self._weights_of(positions)[holds]
        key, values = key[here], [each[here] for each in values]
        yield _summed(key, self.carriers[1][here], cells, values)
        if cells == 1:
            shares = weights.sum(axis=0, dtype=np.float64)
            tops = [each @ weights for each in values]
            yield from ([np.array([share]), *(np.array([top[r]]) for top in tops)] for r, share in enumerate(shares))
            return
        for r in range(self.count):
            yield _summed(key, weights[:, r], cells, values)

    def _weights_of(self, positions: Sequence[int]) -> Floats:
        """Shares of the carriers with the codes that they have at these positions, shape (carriers, replicates).

        Those of the last columns that were asked about are kept.
        """
        own = tuple(positions)
        if own not in self._last:
            self._last.clear()
            self._last[own] = self._weighted(own)
        return self._last[own]

    @cached_property
    def _last(self) -> dict[tuple[int, ...], Floats]:
        return {}

    def _weighted(self, positions: tuple[int, ...]) -> Floats:
        drawn = [self.values(position) for position in positions]
        weights = self.weights
        for codes, ratio in drawn:
            if ratio is not None:
                weights = weights * ratio[codes]
        total = weights.sum(axis=0)
        return np.asarray(weights / np.where(total > 0, total, 1.0))

    def draw(self, replicate: int, stretch: float, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        """Codes of synthetic rows: a systematic draw by weight, values by quota inside groups.

        Weights are those of the model, moved towards the replicate by `stretch` times all of the way: -1 is its mirror
        image.
        """
        logs = self._logs[self._places, replicate]
        weights = self.carriers[1] * np.exp(stretch * logs)
        chosen = drawn_rows(weights, rows, random)
        out = np.empty((len(self.cloud.base), rows), dtype=np.uint16)
        for j, (base, inside) in enumerate(zip(self.cloud.base, self.cloud.inside, strict=True)):
            other = shares_inside(base, self.fixed_shares[j][replicate].astype(np.float64))
            log = np.log(np.divide(other, inside, out=np.ones_like(inside), where=(other > 0) & (inside > 0)))
            moved = shares_inside(base, inside * np.exp(np.clip(stretch * log, -MOST_LOG, MOST_LOG)))
            out[j] = inside_groups(self.cloud.codes[j, self.carriers[0][chosen]], base, moved, random)
        return out

    def weighted_rows(self) -> tuple[NDArray[np.uint16], Floats]:
        """Codes of the carriers, and their shares: the model's, then those of every replicate."""
        everything = range(len(self.cloud.base))
        weights = self._weights_of(everything).astype(np.float64)
        return self.codes(everything), np.column_stack([self.carriers[1], weights / weights.sum(axis=0)])


def _summed(key: Integers, weights: NDArray[Any], cells: int, values: Sequence[Floats]) -> list[Floats]:
    each = [weights, *(weights * value for value in values)]
    return [np.asarray(np.bincount(key, one, minlength=cells), dtype=np.float64) for one in each]


def carriers(cloud: WeightedRows) -> tuple[NDArray[np.intp], Floats]:
    """The rows of the model that carry replicates, and their shares: all, or so many for equal shares of it."""
    if len(cloud.fixed_weights) <= CARRIERS:
        return np.arange(len(cloud.fixed_weights)), cloud.weights
    return equal_shares(cloud.weights, CARRIERS), np.full(CARRIERS, 1 / CARRIERS)


def equal_shares(shares: Floats, count: int) -> NDArray[np.intp]:
    """Places of so many rows that stand for equal shares of all."""
    edges = np.cumsum(shares)
    points = (np.arange(count) + 0.5) * (edges[-1] / count)
    return np.asarray(np.minimum(np.searchsorted(edges, points, side="right"), len(edges) - 1))


def log_unit(cloud: WeightedRows) -> int:
    """How finely logarithms of weights are kept."""
    return FINE if len(cloud.fixed_weights) <= CARRIERS else COARSE


def sweeps_for(tables: int) -> int:
    """How many sweeps over so many tables a replicate takes."""
    return SWEEPS if tables <= MANY_TABLES else FEWER_SWEEPS


def packed(cloud: WeightedRows, logs: WeightLogs, shares: Sequence[Sequence[Floats]]) -> Replicates:
    """From logarithms of weights, and shares of all codes, one of each a replicate."""
    by_column = tuple(np.rint(np.array(each) * SHARE_UNIT).astype(np.int64) for each in zip(*shares, strict=True))
    return Replicates(cloud, logs, by_column)


def drawn(law: Law, variance: float, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Simulated noise of a law and a variance."""
    if law.power == 2:
        return random.normal(0.0, variance**0.5, shape)
    return random.laplace(0.0, (variance / 2) ** 0.5, shape)
