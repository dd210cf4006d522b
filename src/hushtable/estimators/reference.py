"""Reference: what error the assisted estimate is expected to make, on a public model of dependent attributes.

No data are looked at when a release is planned, so the part of the error that depends on the table is taken
from a stated reference: rows of two kinds, a fifth of them with every condition likelier, such that a
condition holds for 30% of the rows and two conditions have correlation 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

import numpy as np

from .symmetric import mean_differences

__all__ = ["expected_error"]

CHANCE, SHARE, CORRELATION = 0.3, 0.2, 0.05


def expected_error(values: Sequence[float], order: int, noise: Sequence[float]) -> float:
    """Root mean square error of the assisted estimate of one symmetric question.

    `noise[i]` is the standard error of the released mean of a product of i centred bits, for i = 1..order. An
    order that is shrunk by its noise errs by n s / sqrt(n^2 + s^2), n its noise and s its size; what is cut off
    errs by its size.
    """
    k = len(values) - 1
    squares, reached = 0.0, 0.0
    for i in range(order + 1):
        effect = mean_differences(np.full(k, CHANCE), np.arange(i)[None], np.array(values))[0]
        size, blur = comb(k, i) * effect * _moment(i), sqrt(comb(k, i)) * effect * noise[i]
        reached += size
        if i < 2:
            squares += blur**2
        elif size or blur:
            squares += (blur * size) ** 2 / (blur**2 + size**2)
    return sqrt(squares + (_exact(values) - reached) ** 2)


def _kinds() -> tuple[tuple[float, float], tuple[float, float]]:
    """Share and chance of the two kinds of rows."""
    spread = sqrt(CORRELATION * CHANCE * (1 - CHANCE))
    up, down = sqrt((1 - SHARE) / SHARE), sqrt(SHARE / (1 - SHARE))
    return (SHARE, CHANCE + spread * up), (1 - SHARE, CHANCE - spread * down)


def _moment(order: int) -> float:
    """Mean of the product of `order` different centred bits."""
    return sum(share * (chance - CHANCE) ** order for share, chance in _kinds())


def _exact(values: Sequence[float]) -> float:
    k = len(values) - 1
    return sum(
        share * sum(f * comb(k, s) * chance**s * (1 - chance) ** (k - s) for s, f in enumerate(values))
        for share, chance in _kinds()
    )
