"""Empty cells: cells of a measured pair that chance would fill and that were seen to hold no more than noise.

Nobody who is alive has a cause of death. A table of the two shows it: a cell that independence would fill with many
times its noise, and in which no more than noise was seen. A soft pull leaves rows in it, so the fit takes it as empty.
Only released numbers decide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import GroupedSet

__all__ = ["emptied", "seen_empty", "taken_as_empty"]

Floats = NDArray[np.float64]
# A cell was seen to be empty where at most SEEN deviations of its noise were counted and independence says ALONE.
SEEN, ALONE = 1.5, 6.0
# Cells of a line or column, of which each was seen so and should hold LEAST, are empty together where independence says
# TOGETHER of all and no more than noise was counted in all: what is never with one value is not with its neighbours.
LEAST, TOGETHER = 0.3, 8.0
# How much less likely the rows of an empty cell become: e to this power.
GONE = 8.0


def seen_empty(grouped: GroupedSet, counts: Floats, variance: float, expected: Floats) -> NDArray[np.bool_]:
    """Which cells of a pair are empty but for noise; none of a wider table.

    counts    the noisy table on its margins, whose interaction has noise of this variance in every direction
    expected  what independence says of the cells
    """
    if counts.ndim != 2:
        return np.zeros(counts.shape, dtype=bool)
    deviation = math.sqrt(variance * grouped.length)
    seen, chance = counts / deviation, expected / deviation
    little = (seen <= SEEN) & (chance > LEAST)
    empty = little & (chance > ALONE)
    for axis in range(2):
        # Noise of a sum grows with the root of the number of its cells.
        root = np.sqrt(np.maximum(little.sum(axis=axis, keepdims=True), 1))
        many = (chance * little).sum(axis=axis, keepdims=True) > TOGETHER * root
        none = (seen * little).sum(axis=axis, keepdims=True) <= SEEN * root
        empty |= little & many & none
    return np.asarray(empty)


def emptied(counts: Floats, empty: NDArray[np.bool_], strength: float) -> Floats:
    """Targets of a fit with this strength c, in which theta ends at -GONE in empty cells: m + c theta = target there,
    and next to no row m is left."""
    return np.where(empty, -GONE * strength, counts)


def taken_as_empty(targets: Floats, strength: float) -> NDArray[np.bool_]:
    """Which of these targets are those of empty cells."""
    return np.asarray(targets == -GONE * strength)
