"""Revealing values that nobody listed: noisy counts of the keys that occur, kept where they reach a threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...budget import Price, Unit
from ...errors import BadPlan
from ...words import readable
from ..key_counts import Counts, Words
from .randomness import Randomness
from .samplers import laplace

__all__ = ["Revealed", "in_order", "keep_frequent", "reveal_price", "threshold_for"]

UP, DOWN = Context(prec=60, rounding=ROUND_CEILING), Context(prec=60, rounding=ROUND_FLOOR)
SHORT = Context(prec=30, rounding=ROUND_CEILING)
# Decimal's exp is correctly rounded to 60 digits, to the nearest: one unit in the 50th covers it.
HAIR = Fraction(1, 10**50)


@dataclass(frozen=True, eq=False)
class Revealed:
    """Keys in ascending order with noisy counts, all at least the threshold. Safe to publish."""

    keys: list[bytes]
    counts: NDArray[np.int64]
    rows: int | None
    """The number of rows where that is public, else None."""


def reveal_price(scale: Fraction, threshold: int, unit: Unit) -> Price:
    """The exact price of revealing with discrete Laplace noise of the given scale b.

    Let a person have at most m rows. On the keys that occur with and without them, counts change by at most
    L = m (added or removed) or 2m (replaced) in total, which is (L / b)-DP. A key with c rows that only they have is
    revealed with chance p(c) = exp(-(threshold - c) / b) / (1 + exp(-1 / b)), and no other table could show it:

    delta = max over the ways to spread m rows over keys of the sum of p(c) = max(m p(1), p(m)),

    since p is convex. Where such keys exist, the common ones change by at least 1 less, and this pays for the chance
    1 - delta with which none of them shows, as long as 1 / (1 - delta) <= exp(1 / b).    [KorKMN09; BunNS16]
    """
    if scale <= 0 or threshold < unit.rows:
        raise BadPlan(
            f"a threshold needs noise and at least {unit.rows}, the rows of one person; "
            f"not scale {readable(scale)} and threshold {threshold}"
        )
    delta = max(unit.rows * _chance(threshold - 1, scale), _chance(threshold - unit.rows, scale))
    if delta > 1 - _exp_up(1 / scale):
        raise BadPlan(f"threshold {threshold} is too low for noise of scale {readable(scale)}; raise it")
    # Few digits, rounded up: a ledger writes them down and adds them.
    short = Fraction(SHORT.divide(Decimal(delta.numerator), Decimal(delta.denominator)))
    return Price(currency="pure", amount=unit.moved / scale, delta=short)


def threshold_for(scale: Fraction, delta: Fraction, unit: Unit) -> int:
    """The smallest threshold whose `reveal_price` has at most this delta."""
    b, m = float(scale), unit.rows
    step = math.exp(-1 / b)
    wanted = min(float(delta), 1 - step)
    logs = [math.log(m / wanted / (1 + step)) * b + 1, math.log(1 / wanted / (1 + step)) * b + m]
    threshold = max(m, math.floor(max(logs)) - 1)
    while not _fits(scale, threshold, unit, delta):
        threshold += 1
    return threshold


def _fits(scale: Fraction, threshold: int, unit: Unit, delta: Fraction) -> bool:
    try:
        return reveal_price(scale, threshold, unit).delta <= delta
    except BadPlan:
        return False


def _chance(above: int, scale: Fraction) -> Fraction:
    """P(noise >= above) for above >= 0, rounded up: r^above / (1 + r) with r = exp(-1/b)."""
    return _exp_up(above / scale) / (1 + _exp_down(1 / scale))


def _exp_up(q: Fraction) -> Fraction:
    """exp(-q) or a hair more."""
    return Fraction(UP.exp(DOWN.divide(Decimal(q.numerator), Decimal(q.denominator)).copy_negate())) * (1 + HAIR)


def _exp_down(q: Fraction) -> Fraction:
    """exp(-q) or a hair less."""
    return Fraction(DOWN.exp(UP.divide(Decimal(q.numerator), Decimal(q.denominator)).copy_negate())) * (1 - HAIR)


def keep_frequent(
    counts: Counts, *, scale: Fraction, threshold: int, randomness: Randomness
) -> tuple[tuple[Words, Words], NDArray[np.int64]]:
    """Every key that occurs gets its own noise: the digests of those that reach the threshold, and noisy counts."""
    found = []
    for block in counts.blocks():
        noisy = block.counts + laplace(scale, len(block.counts), randomness)
        kept = np.flatnonzero(noisy >= threshold)
        found.append((*block.digests_of(kept), noisy[kept]))
    empty = np.zeros(0, dtype=np.uint64)
    first, second, values = map(np.concatenate, zip((empty, empty, np.zeros(0, dtype=np.int64)), *found, strict=True))
    return (first, second), values


def in_order(keys: Sequence[bytes], counts: NDArray[np.int64], rows: int | None) -> Revealed:
    """Sorted by key: any other order would say something about the rows."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return Revealed([keys[i] for i in order], counts[order] if order else counts[:0], rows)
