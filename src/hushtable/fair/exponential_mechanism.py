"""The exponential mechanism: everybody is sent to somebody near, without solving anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from .metric import Floats, Metric, as_metric

__all__ = ["ExponentialRule", "exponential", "largest_ratio"]

MOST_CALIBRATED = 500


@dataclass(frozen=True, eq=False, kw_only=True)
class ExponentialRule:
    """Types sent to types with odds in proportion to exp(-c d)."""

    odds: Floats
    c: float
    """1/2 is fair for every metric; more is fair for this one."""
    loss: float
    """The mean distance at which people end up."""
    ratio: float | None
    """The largest D_inf / d over all pairs; at most 1 when fair. None where there are too many types to look."""

    def __repr__(self) -> str:
        return f"<ExponentialRule of {len(self.odds):,} types: c = {self.c:.4g}, mean distance {self.loss:.4g}>"


def exponential(metric: Metric | ArrayLike, c: float | None = None) -> ExponentialRule:
    """E(x)(y) ~ exp(-c d(x, y)), which is (D_inf, d)-fair [Har11, Definition 8.5.1].

    The source's c = 1 is not: the normaliser changes too, and D_inf can reach 2 d (its Lemma 8.5.2 forgets that).
    c = 1/2 always is. Without a c, the largest from 1/2 to 1 at which every pair of this metric is fair is looked for,
    up to 500 types; beyond that 1/2 is taken.
    """
    distances = as_metric(metric).matrix
    if not np.isfinite(distances).all():
        raise BadPolicy(
            "the exponential mechanism needs finite distances; split the types into parts that can be compared"
        )
    if c is not None and not (np.isfinite(c) and c > 0):
        raise BadPolicy(f"c must be a number above 0, not {c}; 0.5 is fair for every metric")
    small = len(distances) <= MOST_CALIBRATED
    chosen = c if c is not None else _calibrated(distances) if small else 0.5
    odds = _sent(distances, chosen)
    ratio = largest_ratio(distances, chosen) if small else None
    return ExponentialRule(odds=odds, c=chosen, loss=float((odds * distances).sum(axis=1).mean()), ratio=ratio)


def _sent(distances: Floats, c: float) -> Floats:
    weights = np.exp(-c * distances)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def largest_ratio(distances: Floats, c: float) -> float:
    """The largest D_inf(E(x), E(y)) / d(x, y) over all pairs at positive distance."""
    normaliser = np.log(np.exp(-c * distances).sum(axis=1))
    worst = 0.0
    for x in range(len(distances) - 1):
        # log E(x)(a) - log E(y)(a) = c (d(y, a) - d(x, a)) + log Z_y - log Z_x, over all y after x.
        change = c * (distances[x + 1 :] - distances[x]) + (normaliser[x + 1 :] - normaliser[x])[:, None]
        away = distances[x, x + 1 :]
        apart = np.abs(change).max(axis=1)
        some = away > 0
        if some.any():
            worst = max(worst, float((apart[some] / away[some]).max()))
    return worst


def _calibrated(distances: Floats) -> float:
    """Bisection between 1/2, which is always fair, and 1."""
    low, high = 0.5, 1.0
    if largest_ratio(distances, high) <= 1:
        return high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if largest_ratio(distances, middle) <= 1 else (low, middle)
    return low
