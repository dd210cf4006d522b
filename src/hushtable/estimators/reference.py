"""Reference: what error the assisted estimate is expected to make, on a public model of dependent attributes.

No data are looked at when a release is planned, so the part of the error that depends on the table is taken
from a stated reference: a question that half the rows would satisfy if its conditions were independent, on
rows of two kinds, a fifth of them with every condition likelier, such that two conditions have correlation 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

import numpy as np

from .symmetric import mean_differences

__all__ = ["effects", "even_chance", "expected_error"]

SHARE, CORRELATION = 0.2, 0.05


def expected_error(values: Sequence[float], order: int, noise: Sequence[float]) -> float:
    """Root mean square error of the assisted estimate of one symmetric question.

    `noise[i]` is the standard error of the released mean of a product of i centred bits, for i = 1..order. An
    order that is shrunk by its noise errs by n s / sqrt(n^2 + s^2), n its noise and s its size; what is cut off
    errs by its size.
    """
    k, chance = len(values) - 1, even_chance(values)
    squares, reached = 0.0, 0.0
    for i, effect in enumerate(effects(values, order)):
        size, blur = comb(k, i) * effect * _moment(i, chance), sqrt(comb(k, i)) * effect * noise[i]
        reached += size
        if i < 2:
            squares += blur**2
        elif size or blur:
            squares += (blur * size) ** 2 / (blur**2 + size**2)
    return sqrt(squares + (_exact(values, chance) - reached) ** 2)


def effects(values: Sequence[float], order: int) -> list[float]:
    """How much a product of 0, 1, ..., order centred bits moves the answer, at independent even chances."""
    chances, f = np.full(len(values) - 1, even_chance(values)), np.array(values)
    return [float(mean_differences(chances, np.arange(i)[None], f)[0]) for i in range(order + 1)]


def even_chance(values: Sequence[float]) -> float:
    """The chance of one condition at which the question comes out true half the time; 1/2 if there is none."""
    low, high = 0.0, 1.0
    rising = values[-1] > values[0]
    if values[-1] == values[0]:
        return 0.5
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (_mean(values, middle) < 0.5) == rising else (low, middle)
    return (low + high) / 2


def _mean(values: Sequence[float], chance: float) -> float:
    k = len(values) - 1
    return sum(f * comb(k, s) * chance**s * (1 - chance) ** (k - s) for s, f in enumerate(values))


def _kinds(chance: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Share and chance of the two kinds of rows."""
    spread = sqrt(CORRELATION * chance * (1 - chance))
    up, down = sqrt((1 - SHARE) / SHARE), sqrt(SHARE / (1 - SHARE))
    return (SHARE, min(chance + spread * up, 1.0)), (1 - SHARE, max(chance - spread * down, 0.0))


def _moment(order: int, chance: float) -> float:
    """Mean of the product of `order` different centred bits."""
    return sum(share * (own - chance) ** order for share, own in _kinds(chance))


def _exact(values: Sequence[float], chance: float) -> float:
    return sum(share * _mean(values, own) for share, own in _kinds(chance))
