"""Propensity: a small decision tree that tries to tell synthetic rows from real ones. Not private: owner only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Propensity", "binned", "propensity"]

Codes = NDArray[np.int64]
Truth = NDArray[np.bool_]
DEPTH = 6
# Numbers are cut at so many quantiles of all rows together, and at every one of these values.
MOST_CUTS = 255
LEAST_ROWS = 20


@dataclass(frozen=True)
class Propensity:
    """How well the tree tells rows apart."""

    error: float
    """Mean of (p - 1/2)^2 over all rows: 0 where they cannot be told apart, 1/4 where they always can."""
    gave_away: tuple[tuple[int, float], ...]
    """Columns by their part in it, the largest first; parts sum to 1."""


def binned(numbers: NDArray[np.float64]) -> Codes:
    """Numbers as codes in their order: below, at and between cuts; what is no number comes first."""
    known = np.sort(numbers[~np.isnan(numbers)])
    if not len(known):
        return np.zeros(len(numbers), dtype=np.int64)
    cuts = np.unique(known[np.linspace(0, len(known) - 1, MOST_CUTS).astype(np.int64)])
    places = np.searchsorted(cuts, numbers, side="left") + np.searchsorted(cuts, numbers, side="right")
    return np.where(np.isnan(numbers), 0, 1 + places)


def propensity(columns: Sequence[Codes], ordered: Sequence[bool], synthetic: Truth) -> Propensity:
    """A tree of depth 6 by Gini's impurity; columns without an order are split by their values' shares."""
    part = np.zeros(len(columns))
    leaves: list[NDArray[np.intp]] = []
    waiting = [(np.arange(len(synthetic)), 0)]
    while waiting:
        rows, depth = waiting.pop()
        found = _best(columns, ordered, synthetic, rows) if depth < DEPTH and len(rows) >= LEAST_ROWS else None
        if found is None:
            leaves.append(rows)
            continue
        gain, column, left = found
        part[column] += gain
        waiting += [(rows[left], depth + 1), (rows[~left], depth + 1)]
    error = sum(len(rows) * (synthetic[rows].mean() - 0.5) ** 2 for rows in leaves) / max(len(synthetic), 1)
    total = part.sum()
    worst = np.argsort(-part, kind="stable")
    return Propensity(float(error), tuple((int(j), float(part[j] / total)) for j in worst if part[j] > 0))


def _best(
    columns: Sequence[Codes], ordered: Sequence[bool], synthetic: Truth, rows: NDArray[np.intp]
) -> tuple[float, int, Truth] | None:
    """The split that lowers the impurity most: by how much, of which column, and which rows go left."""
    made, best = synthetic[rows], None
    for number, (column, in_order) in enumerate(zip(columns, ordered, strict=True)):
        own = column[rows]
        count, ones = np.bincount(own), np.bincount(own, made)
        used = np.flatnonzero(count)
        if len(used) < 2:
            continue
        if not in_order:
            used = used[np.argsort(ones[used] / count[used], kind="stable")]
        below, ones_below = np.cumsum(count[used])[:-1], np.cumsum(ones[used])[:-1]
        above, ones_above = len(rows) - below, made.sum() - ones_below
        # Twice the fall of Gini's impurity is the rise of sum n (p - 1/2)^2.
        rise = ones_below**2 / below + ones_above**2 / above - made.sum() ** 2 / len(rows)
        place = int(np.argmax(rise))
        if rise[place] > 1e-9 and (best is None or rise[place] > best[0]):
            best = (float(rise[place]), number, np.isin(own, used[: place + 1]))
    return best
