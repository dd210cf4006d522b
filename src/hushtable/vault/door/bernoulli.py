"""Bernoulli: exact coins whose chances are exp(-q), or functions of it, for rational q.

A coin with chance p is the comparison U < p of a uniform real U with p. Both are read from the first binary
digit on, and only as far as they agree, so every coin is exact and almost none needs more than eight bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .randomness import Randomness

__all__ = ["Chance", "Exponents", "Form", "Precision", "bernoulli", "bernoulli_exp", "leading_bits"]

Form = Literal["exp", "odds", "twice-odds"]

# How far exp(-near) may stand from exp(-q); see `Exponents` and `bernoulli_exp`.
SLACK = 2.0**-44


@dataclass(frozen=True, kw_only=True)
class Precision:
    """How many bits are drawn at a time and how far a float is distrusted. No choice changes any law.

    The default is fast. Tests choose fewer bits or a huge slack, so that rare paths run all the time.
    """

    width: int = 8
    slack: float = SLACK

    def __post_init__(self) -> None:
        if not (1 <= self.width <= 8 and self.slack >= SLACK):
            raise ValueError(f"width must be 1 to 8, slack at least {SLACK}; not {self.width}, {self.slack}")


@dataclass(frozen=True)
class Chance:
    """A probability known to every digit, from x = exp(-q) with rational q > 0.

    exp         x
    odds        x / (1 + x)
    twice-odds  2x / (1 + x)
    """

    q: Fraction
    form: Form = "exp"

    def digit(self, place: int, width: int) -> int:
        """Its digit number `place` (from 0) in base 2^width."""
        return _remembered_bits(self.q, self.form, width * (place + 1)) & ((1 << width) - 1)


def leading_bits(q: Fraction, form: Form, bits: int) -> int:
    """floor(2^bits p), exactly, for the chance p of (q, form) with q > 0.

    Ziv's strategy: enclose p between two decimals, and narrow them until both have the same floor. It ends
    because p is transcendental (Lindemann), hence never on the border of two floors.
    """
    if form == "twice-odds":
        return leading_bits(q, "odds", bits + 1)
    # exp(-q) < 2^-bits. Without this a huge q would leave the range of decimals.
    if q >= bits:
        return 0
    digits = bits * 3 // 10 + 12
    while True:
        low, high = (_scaled(q, form, bits, digits, up) for up in (False, True))
        if low == high:
            return low
        digits *= 2


# Only for public scales: what depends on a draw calls `leading_bits` and leaves no trace.
_remembered_bits = lru_cache(maxsize=1 << 14)(leading_bits)


def _scaled(q: Fraction, form: Form, bits: int, digits: int, up: bool) -> int:
    """floor of a bound on 2^bits p: an upper bound if `up`, else a lower one."""
    above, below = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_CEILING, ROUND_FLOOR)
    )
    outward, inward = (above, below) if up else (below, above)
    exponent = inward.divide(Decimal(q.numerator), Decimal(q.denominator))
    # exp is correctly rounded to nearest whatever the context says, so one step outwards bounds it.
    nearest = outward.exp(outward.minus(exponent))
    x = outward.next_plus(nearest) if up else outward.next_minus(nearest)
    p = x if form == "exp" else outward.divide(x, inward.add(x, Decimal(1)))
    # Not by `power`, which decimals do not round correctly.
    return math.floor(outward.multiply(p, Decimal(1 << bits)))


def bernoulli(chance: Chance, size: int, randomness: Randomness, *, width: int = 8) -> NDArray[np.bool_]:
    """`size` independent coins, each true with exactly this chance.

    Compares digits of base 2^width; the coins whose digits so far equal the chance's go on to the next digit.
    """
    drawn = _digits(size, randomness, width)
    digit = chance.digit(0, width)
    heads = drawn < digit
    tied = np.flatnonzero(drawn == digit)
    place = 1
    while tied.size:
        drawn = _digits(tied.size, randomness, width)
        digit = chance.digit(place, width)
        heads[tied] = drawn < digit
        tied = tied[drawn == digit]
        place += 1
    return heads


def _digits(size: int, randomness: Randomness, width: int) -> NDArray[np.uint8]:
    """Uniform digits of base 2^width."""
    drawn = randomness.bytes(size)
    return drawn if width == 8 else drawn & np.uint8((1 << width) - 1)


@dataclass(frozen=True, eq=False)
class Exponents:
    """Many rationals q_i >= 0: `near[i]` is a float for speed, `exact(i)` the rational itself.

    Promise: |exp(-near[i]) - exp(-q_i)| <= 2^-48 for every i, where exp is the true function.
    """

    near: NDArray[np.float64]
    exact: Callable[[int], Fraction]

    def take(self, places: NDArray[np.int64]) -> Exponents:
        """The exponents at these places, with repetition."""
        return Exponents(self.near[places], lambda i: self.exact(int(places[i])))


def bernoulli_exp(exponents: Exponents, randomness: Randomness, *, precision: Precision) -> NDArray[np.bool_]:
    """Independent coins, true with chances exactly exp(-q_i).

    Floats decide a coin only where they are sure; the others, one in 2^40, are settled by decimals that go on
    with the same random bits.

    Why floats are sure: `near` costs 2^-48 by promise. numpy's exp is within 4 units in the last place, 2^-50
    of a value at most 1; we allow it 2^-48. A multiple of 2^-40 is an exact float and its subtraction costs
    2^-53. Together less than 2^-46, a quarter of the slack.
    """
    width, slack = precision.width, precision.slack
    weight = np.exp(-exponents.near)
    drawn = _digits(weight.size, randomness, width)
    heads, unsure = _decide(weight, drawn.astype(np.float64), width, slack)
    if not unsure.size:
        return heads
    # U is now known to be in [prefix, prefix + 1) / 2^bits.
    words = randomness.words(unsure.size) >> np.uint64(32)
    prefix = (drawn[unsure].astype(np.uint64) << np.uint64(32)) | words
    bits = width + 32
    heads[unsure], still = _decide(weight[unsure], prefix.astype(np.float64), bits, slack)
    for i in still:
        place = int(unsure[i])
        heads[place] = _settle(exponents.exact(place), int(prefix[i]), bits, randomness)
    return heads


def _decide(
    weight: NDArray[np.float64], prefix: NDArray[np.float64], bits: int, slack: float
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Where U < p for certain, and the places where neither U < p nor U >= p is certain.

    U is in [prefix, prefix + 1) / 2^bits and p within `slack` of `weight`.
    """
    gap = weight - prefix * 2.0**-bits
    heads = gap >= 2.0**-bits + slack
    return heads, np.flatnonzero((gap > -slack) & ~heads)


def _settle(q: Fraction, prefix: int, bits: int, randomness: Randomness) -> bool:
    """Whether U < exp(-q), exactly, for a U that begins with the `bits` binary digits of `prefix`."""
    if q == 0:
        return True
    digits = leading_bits(q, "exp", bits)
    while digits == prefix:
        prefix = (prefix << 64) | int(randomness.words(1)[0])
        bits += 64
        digits = leading_bits(q, "exp", bits)
    return prefix < digits
