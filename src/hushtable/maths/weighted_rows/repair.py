"""Repair: pairs that a fitted model has further from independence than their released distances allow.

Maximum entropy links two columns through others that both depend on, also where their own distance from independence
was seen to be small, so that they were not measured. And the model's rows are a draw, in which such a pair strays by
chance. It then gets a table of its own: the model's, drawn back to what was seen.
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
Map = NDArray[np.int64]
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
    maps: list[Map]
    """Code to group of every attribute, in the tables whose distances these are."""


@dataclass(frozen=True, eq=False)
class Repair:
    """A table of a pair that was not measured, to be fitted beside the measured ones."""

    set: GroupedSet
    counts: Floats
    seen: float
    """The released distance from independence, in rows."""
    chance: float
    deviation: float

    def radius(self, sigmas: float, noise: float = 0.0) -> float:
        """The largest distance of a model from independence, in rows, that goes with what was seen (and so much other
        noise) and so many standard errors more. Rows show chance beside it, a model does not."""
        away = max(self.seen + noise, self.chance) + sigmas * self.deviation
        return math.sqrt(away**2 - self.chance**2)

    @property
    def strength(self) -> Floats:
        """The variance of each cell's pull."""
        return SOFTNESS * np.maximum(self.counts, 1.0) + 1.0

    def stretched(self, noise: float) -> float:
        """How many times as far from independence other noise of the distance would have put the pair."""
        return self.radius(KEPT, noise) / max(self.radius(KEPT), 1e-9)


def repairs(
    base: list[Map],
    shares: list[Floats],
    codes: Codes,
    weights: Floats,
    distances: PairDistances,
    measured: Collection[tuple[int, ...]],
    rows: float,
) -> list[Repair]:
    """Which pairs that were not measured the model has too far from independence, as tables of groups of base groups.

    base            code to base group of every attribute
    shares          the share of every code
    codes, weights  the model's rows, in base groups
    """
    by_base = [
        np.asarray(np.bincount(groups, share), dtype=np.float64) for groups, share in zip(base, shares, strict=True)
    ]
    live = [j for j, share in enumerate(by_base) if len(share) > 1]
    pairs = [pair for pair in combinations(live, 2) if pair not in measured]
    if len(pairs) > MANY_PAIRS and len(weights) > ROWS_FOR_MANY:
        codes, weights = codes[:, equal_shares(weights, ROWS_FOR_MANY)], np.ones(ROWS_FOR_MANY)
    coarse = [Groupings(share).steps[LEVEL] for share in by_base]
    seen_as = [_parts(*three) for three in zip(base, shares, distances.maps, strict=True)]
    lines, found = codes.astype(np.int64), []
    for i, j in pairs:
        shape = len(by_base[i]), len(by_base[j])
        q = np.bincount(lines[i] * shape[1] + lines[j], weights, minlength=shape[0] * shape[1]).reshape(shape)
        apart = q * (rows / q.sum()) - rows * np.outer(by_base[i], by_base[j])
        away = float(np.abs(seen_as[i] @ apart @ seen_as[j].T).sum())
        pair = GroupedSet((i, j), (coarse[i][base[i]], coarse[j][base[j]]))
        alone = rows * pair.expected(shares)
        own = Repair(pair, alone, distances.seen[i, j], distances.chance[i, j], distances.deviation)
        if away > own.radius(TRIGGER):
            kept = own.radius(KEPT) / away * (_sums(coarse[i]) @ apart @ _sums(coarse[j]).T)
            found.append(replace(own, counts=alone + kept))
    return found


def _parts(base: Map, share: Floats, groups: Map) -> Floats:
    """The part of every base group (column) that is in every group (line), by the shares of codes."""
    out = np.zeros((int(groups.max()) + 1, int(base.max()) + 1))
    np.add.at(out, (groups, base), shares_inside(base, share))
    return out


def _sums(groups: Map) -> Floats:
    """1 where a base group (column) is in a group (line)."""
    return np.equal.outer(np.arange(int(groups.max()) + 1), groups).astype(np.float64)
