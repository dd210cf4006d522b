"""Repair: pairs that a fitted model has further from independence than their released distances allow.

Maximum entropy links two columns through others that both depend on, also where their own distance from independence
was seen to be small. Such a pair gets a table of its own: the model's, drawn back to what was seen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import GroupedSet
from .replicates import equal_shares
from .resolution import Groupings
from .weighted_rows import Codes

__all__ = ["PairDistances", "Repair", "repairs"]

Floats = NDArray[np.float64]
# Groups of a column in a repaired pair; standard errors beyond what was seen at which a pair is repaired, and those
# that it keeps.
LEVEL, TRIGGER, KEPT = 6, 2.0, 0.5
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
    carriers: float,
    distances: PairDistances,
    measured: Collection[tuple[int, ...]],
    rows: float,
) -> list[Repair]:
    """Which pairs of the model are too far from independence, as tables of groups of base groups.

    base, shares      code to base group of every attribute, and the share of each base group
    codes, weights    the model's rows, in base groups
    carriers          how many rows of equal weight would carry the model as well
    """
    coarse = [Groupings(share).steps[LEVEL] for share in shares]
    pairs = [pair for pair in combinations(range(len(base)), 2) if min(len(shares[j]) for j in pair) > 1]
    if len(pairs) > MANY_PAIRS and len(weights) > ROWS_FOR_MANY:
        some = equal_shares(weights, ROWS_FOR_MANY)
        codes, weights = codes[:, some], np.ones(ROWS_FOR_MANY)
        carriers = min(carriers, float(ROWS_FOR_MANY))
    found = []
    grouped = [groups[line].astype(np.int64) for groups, line in zip(coarse, codes, strict=True)]
    for i, j in pairs:
        pair = GroupedSet((i, j), (coarse[i][base[i]], coarse[j][base[j]]))
        width = int(coarse[j].max()) + 1
        q = np.bincount(grouped[i] * width + grouped[j], weights, minlength=pair.cells).reshape(pair.shape)
        q *= rows / q.sum()
        mu = rows * np.outer(np.bincount(coarse[i], shares[i]), np.bincount(coarse[j], shares[j]))
        monte_carlo = 0.8 * float(np.sqrt(rows * mu / carriers).sum())
        away = math.sqrt(max(float(np.abs(q - mu).sum()) ** 2 - monte_carlo**2, 0.0))
        chance = distances.chance[i, j]
        own = Repair(pair, q, max(distances.seen[i, j], chance), distances.deviation, 0.0 if (i, j) in measured else chance)
        if away > own.radius(TRIGGER):
            target = mu + (q - mu) * (own.radius(KEPT) / away)
            found.append(Repair(pair, target, own.seen, own.deviation, own.by_chance))
    return found
