"""Repair: pairs that a fitted model has further from independence than their released distances allow.

Maximum entropy links two columns through others that both depend on, also where their own distance from independence
was seen to be small. Such a pair gets a table of its own: the model's, drawn back to what was seen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import GroupedSet
from .replicates import equal_shares
from .resolution import Groupings
from .weighted_rows import Codes, shares_inside

__all__ = ["PairDistances", "Repair", "repairs"]

Floats = NDArray[np.float64]
# About how many groups a column has in a repaired pair; and standard errors beyond what was seen: those at which a pair
# is repaired, and those that it keeps.
LEVEL, TRIGGER, KEPT = 12, 2.0, 0.5
# The variance c of a repaired table's pull: this part of each cell's rows, and one row.
SOFTNESS = 0.1
# With more pairs than this, so many rows that stand for equal shares are looked at.
MANY_PAIRS, ROWS_FOR_MANY = 500, 50_000


@dataclass(frozen=True, eq=False)
class PairDistances:
    """Released distances of all pairs from independence: sums over cells of |count - expected|, in rows."""

    seen: Mapping[tuple[int, ...], float]
    chance: Mapping[tuple[int, ...], float]
    """What they would be if columns were independent."""
    deviation: float
    """Standard deviation of their noise."""
    maps: list[NDArray[np.int64]]
    """Code to group of every attribute, in the tables whose distances these are."""


@dataclass(frozen=True, eq=False)
class Repair:
    """A pair's table to be fitted beside the measured ones."""

    set: GroupedSet
    counts: Floats
    seen: float
    """The released distance from independence, in rows; at least what chance would show."""
    deviation: float
    by_chance: float
    """The part of it that chance has in a pair that was not measured: a model of it shows none."""

    def radius(self, sigmas: float, noise: float = 0.0) -> float:
        """The largest distance of the model from independence, in rows, that goes with what was seen (and so much
        other noise) and so many standard errors more."""
        away = max(self.seen + noise, self.by_chance) + sigmas * self.deviation
        return math.sqrt(max(away**2 - self.by_chance**2, 0.0))

    @property
    def strength(self) -> Floats:
        """The variance of each cell's pull."""
        return SOFTNESS * np.maximum(self.counts, 1.0) + 1.0

    def stretched(self, noise: float) -> float:
        """How many times as far from independence other noise of the distance would have put the pair."""
        return self.radius(KEPT, noise) / max(self.radius(KEPT), 1e-9)


def repairs(
    base: list[NDArray[np.int64]],
    shares: list[Floats],
    codes: Codes,
    weights: Floats,
    distances: PairDistances,
    measured: Collection[tuple[int, ...]],
    rows: float,
) -> list[Repair]:
    """Which pairs of the model are too far from independence, as tables of groups of base groups.

    base            code to base group of every attribute
    shares          the share of every code
    codes, weights  the model's rows, in base groups
    """
    by_base = [
        np.asarray(np.bincount(groups, share), dtype=np.float64) for groups, share in zip(base, shares, strict=True)
    ]
    coarse = [Groupings(share).steps[LEVEL] for share in by_base]
    seen_as = [_parts(*three) for three in zip(base, shares, distances.maps, strict=True)]
    pairs = [pair for pair in combinations(range(len(base)), 2) if min(len(by_base[j]) for j in pair) > 1]
    if len(pairs) > MANY_PAIRS and len(weights) > ROWS_FOR_MANY:
        some = equal_shares(weights, ROWS_FOR_MANY)
        codes, weights = codes[:, some], np.ones(ROWS_FOR_MANY)
    lines, found = codes.astype(np.int64), []
    for i, j in pairs:
        shape = len(by_base[i]), len(by_base[j])
        q = np.bincount(lines[i] * shape[1] + lines[j], weights, minlength=shape[0] * shape[1]).reshape(shape)
        apart = q * (rows / q.sum()) - rows * np.outer(by_base[i], by_base[j])
        away = float(np.abs(seen_as[i] @ apart @ seen_as[j].T).sum())
        chance = distances.chance[i, j]
        by_chance = 0.0 if (i, j) in measured else chance
        pair = GroupedSet((i, j), (coarse[i][base[i]], coarse[j][base[j]]))
        seen = max(distances.seen[i, j], chance)
        own = Repair(pair, rows * pair.expected(shares), seen, distances.deviation, by_chance)
        if away > own.radius(TRIGGER):
            kept = own.radius(KEPT) / away * (_sums(coarse[i]) @ apart @ _sums(coarse[j]).T)
            found.append(replace(own, counts=own.counts + kept))
    return found


def _parts(base: NDArray[np.int64], share: Floats, groups: NDArray[np.int64]) -> Floats:
    """The part of every base group (column) that is in every group (line), by the shares of codes."""
    inside = shares_inside(base, share)
    out = np.zeros((int(groups.max()) + 1, int(base.max()) + 1))
    np.add.at(out, (groups, base), inside)
    return out


def _sums(groups: NDArray[np.int64]) -> Floats:
    """1 where a base group (column) is in a group (line)."""
    return np.equal.outer(np.arange(int(groups.max()) + 1), groups).astype(np.float64)
