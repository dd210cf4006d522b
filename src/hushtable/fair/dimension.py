"""Doubling dimension: how fast balls fill up, which is what bounds the loss of fair mechanisms without a program."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import ArrayLike

from .metric import Floats, Metric, as_metric

__all__ = ["DoublingDimension", "doubling_dimension"]

MOST_CENTRES = 300


@dataclass(frozen=True, kw_only=True)
class DoublingDimension:
    """Between which numbers the doubling dimension lies."""

    lower: float
    """Some ball holds so many types further than R apart that no 2^k balls of radius R/2 with a smaller k cover it."""
    upper: float
    """Every ball that was looked at is covered by 2^k balls of half its radius, chosen greedily."""


def doubling_dimension(d: Metric | ArrayLike) -> DoublingDimension:
    """The smallest k such that every ball of radius R is covered by 2^k balls of radius R/2 [Har11, Definition 8.5.3].

    Finding it is hard; greedy covers bound it from above and packings from below. All radii of the form diameter / 2^i
    are looked at, around all types or around 300 of them.
    """
    distances = as_metric(d).matrix
    finite = distances[np.isfinite(distances) & (distances > 0)]
    if not finite.size:
        return DoublingDimension(lower=0.0, upper=0.0)
    centres = np.arange(len(distances))
    if len(centres) > MOST_CENTRES:
        centres = centres[:: -(-len(centres) // MOST_CENTRES)]
    covered, packed = 1, 1
    radius = float(finite.max())
    while radius >= float(finite.min()):
        for centre in centres:
            inside = np.flatnonzero(distances[centre] <= radius)
            if len(inside) > max(covered, packed):
                ball = distances[np.ix_(inside, inside)]
                covered = max(covered, _spread(ball, radius / 2))
                packed = max(packed, _spread(ball, radius))
        radius /= 2
    return DoublingDimension(lower=log2(packed), upper=log2(covered))


def _spread(distances: Floats, apart: float) -> int:
    """How many types are chosen greedily, each further than `apart` from those before."""
    away = distances[0].copy()
    count = 1
    while float(away.max()) > apart:
        np.minimum(away, distances[int(np.argmax(away))], out=away)
        count += 1
    return count
