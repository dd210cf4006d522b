"""Kernels of a running distribution: sums and products over the cells of one condition."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["best_move", "correct", "total"]

Floats = NDArray[np.float64]
Places = NDArray[np.int32]


# The order of a sum of positive numbers matters in the last digits only; left free, it takes half the time.
@njit(cache=True, fastmath={"reassoc"})
def total(table: Floats, bases: Places, outer: Places, inner: Places) -> float:
    """The sum of table[base + outer + inner]."""
    mass = 0.0
    for b in range(len(bases)):
        for o in range(len(outer)):
            begin, part = bases[b] + outer[o], 0.0
            for i in range(len(inner)):
                part += table[begin + inner[i]]
            mass += part
    return mass


@njit(cache=True)
def best_move(share: float, target: float, theta: float, give: float) -> float:
    """Maximises x target - log(1 - share + share e^x) - give (theta + x)^2 / 2, a concave function, by Newton."""
    x = 0.0
    for _ in range(60):
        grown = share * math.exp(x)
        mean = grown / (1 - share + grown)
        # A step no longer than the curvature can change over keeps Newton inside its basin.
        step = (target - mean - give * (theta + x)) / (mean * (1 - mean) + give)
        step = max(-1.0, min(1.0, step))
        x += step
        if abs(step) < 1e-9:
            break
    return x


@njit(cache=True)
def correct(
    table: Floats,
    bases: Places,
    outer: Places,
    inner: Places,
    true: bool,
    whole: float,
    target: float,
    theta: float,
    give: float,
) -> tuple[float, float]:
    """Moves a condition's log-weight to its best place; returns the move and the new sum of the table.

    The cells are those where the condition is true, or (true = False) all others: e^move on the ones is, once
    normalised, the same as e^-move on the others. `whole` is the sum of the table before.
    """
    mass = total(table, bases, outer, inner)
    share = mass / whole if true else 1 - mass / whole
    move = best_move(share, target, theta, give)
    factor = math.exp(move if true else -move)
    for b in range(len(bases)):
        for o in range(len(outer)):
            begin = bases[b] + outer[o]
            for i in range(len(inner)):
                table[begin + inner[i]] *= factor
    return move, whole + mass * (factor - 1)
