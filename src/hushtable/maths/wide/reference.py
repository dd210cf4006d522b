"""Reference: what error the assisted estimate is expected to make, on public models of dependent attributes.

No data are looked at when a release is planned, so the part of the error that depends on the table is taken
from two stated references: a question that half the rows would satisfy if its conditions were independent, on
rows of two kinds, a fifth of them with every condition likelier (or rarer, if it is the rule), such that two
conditions have correlation 0.02 or 0.4. The two errors are averaged, four parts to one: most sets of attributes
depend weakly, and a plan should not fail where they do not.

These numbers, and those by which `mechanisms/low_order.py` chooses among orders, were chosen together: those with the
least error, compared with the best order, on ten public tables; docs/wide.md says how that was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

import numpy as np

from .krawtchouk import parity_of_values
from .symmetric import mean_differences
from .tilted import independent_law, parity_means, tilt

__all__ = ["effects", "error_at", "even_chance", "expected_error"]

SHARE, CORRELATIONS, STRONG = 0.2, (0.02, 0.4), 0.2


def expected_error(values: Sequence[float], order: int, noise: Sequence[float]) -> float:
    """Typical error of the assisted estimate of one symmetric question, over the references.

    `noise[i]` is the standard error of the released mean of a product of i centred bits, for i = 1..order.
    """
    weak, strong = CORRELATIONS
    gentle = min(_expansion_error(values, order, noise, weak), _tilt_error(values, order, noise, weak))
    return float((1 - STRONG) * gentle + STRONG * _tilt_error(values, order, noise, strong))


def error_at(values: Sequence[float], order: int, noise: Sequence[float], correlation: float) -> float:
    """The same on one reference, of this correlation; of the whole width all that is left is noise."""
    k = len(values) - 1
    if order >= k:
        weights = parity_of_values(values, k)
        return sqrt(sum(comb(k, i) * (2.0**i * weights[i] * noise[i]) ** 2 for i in range(1, k + 1)))
    if order == 1:
        return _expansion_error(values, order, noise, correlation)
    tilted = _tilt_error(values, order, noise, correlation)
    return float(min(_expansion_error(values, order, noise, correlation), tilted))


def _expansion_error(values: Sequence[float], order: int, noise: Sequence[float], correlation: float) -> float:
    """An order that is shrunk by its noise errs by n s / sqrt(n^2 + s^2); what is cut off errs by its size."""
    k, chance = len(values) - 1, even_chance(values)
    squares, reached = 0.0, 0.0
    for i, effect in enumerate(effects(values, order)):
        size = comb(k, i) * effect * _moment(i, chance, correlation)
        blur = sqrt(comb(k, i)) * effect * noise[i]
        reached += size
        if i < 2:
            squares += blur**2
        elif size or blur:
            squares += (blur * size) ** 2 / (blur**2 + size**2)
    return sqrt(squares + (_exact(values, chance, correlation) - reached) ** 2)


def _tilt_error(values: Sequence[float], order: int, noise: Sequence[float], correlation: float) -> float:
    """Distance of the tilted law's answer on exact moments from the truth, and what noise adds."""
    k, chance = len(values) - 1, even_chance(values)
    features = parity_means(k, order)
    kinds = _kinds(chance, correlation)
    law = sum((share * independent_law(np.full(k, own)) for share, own in kinds), np.zeros(k + 1))
    covariance = np.diag([4.0**i * noise[i] ** 2 / comb(k, i) for i in range(1, order + 1)])
    tilted = tilt(independent_law(np.full(k, chance)), features, features @ law, covariance)
    mean, stderr = tilted.mean(np.array(values), covariance)
    return sqrt((mean - float(law @ np.array(values))) ** 2 + stderr**2)


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


def _kinds(chance: float, correlation: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Share and chance of the two kinds of rows; the smaller kind is the one away from the rule."""
    spread = sqrt(correlation * chance * (1 - chance)) * (1 if chance < 0.5 else -1)
    few, many = spread * sqrt((1 - SHARE) / SHARE), spread * sqrt(SHARE / (1 - SHARE))
    return (SHARE, min(max(chance + few, 0.0), 1.0)), (1 - SHARE, min(max(chance - many, 0.0), 1.0))


def _moment(order: int, chance: float, correlation: float) -> float:
    """Mean of the product of `order` different centred bits."""
    return sum(share * (own - chance) ** order for share, own in _kinds(chance, correlation))


def _exact(values: Sequence[float], chance: float, correlation: float) -> float:
    return sum(share * _mean(values, own) for share, own in _kinds(chance, correlation))
