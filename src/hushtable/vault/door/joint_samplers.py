"""Joint samplers: exact noise vectors whose law is the gauge of a body, P(v) proportional to exp(-g(v) / b).

Whole numbers and exact coins alone.

The radius. For every v in the lattice, exp(-g(v)/b) is proportional to the sum over whole j >= g(v) of exp(-j/b). So
to draw v is to draw j with weight N(j) exp(-j/b), N(j) the number of lattice points of gauge at most j, and then one of
these points evenly. With q = 1/b, x = exp(-q) and h the numerator of N, sum over j of N(j) x^j is, term by term,
(sum over k of h_k x^k) / (1-x)^(d+1): so j is k, of weight h_k x^k, plus d + 1 independent geometric numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...maths.geometry.bodies import Body, ProductBody
from ...maths.geometry.cut_body import CutBody
from ...maths.geometry.lattice_counts import positive_places, vectors_within
from .bernoulli import leading_bits
from .randomness import Randomness
from .samplers import geometric

__all__ = ["below", "joint_noise", "radius", "weighted"]

Ints = NDArray[np.int64]
# Bits to begin with; a draw that they leave open takes twice as many.
FIRST_BITS = 64


def joint_noise(body: Body, scale: Fraction, randomness: Randomness) -> Ints:
    """One noise vector of the law of this body and scale b."""
    if isinstance(body, ProductBody):
        return _in_product(body, radius(body.numerator(), scale, randomness), randomness)
    if isinstance(body, CutBody):
        return _in_cuts(body, scale, randomness)
    raise TypeError(f"there is no sampler for a {type(body).__name__}")


def _in_cuts(body: CutBody, scale: Fraction, randomness: Randomness) -> Ints:
    """A pair of a radius j, of weight (points of the j-fold box) exp(-j / b), and an even point of that box, until the
    point is in jK: then both are drawn anew. So every pair with the point v in jK has the chance exp(-j / b), up to one
    factor, and v has the sum of that over j >= g(v). (With the radius kept, far points would be too likely.)
    """
    numerator, widths = body.numerator(), [int(width) for width in body.widths]
    while True:
        reach = radius(numerator, scale, randomness)
        drawn = np.array([below(2 * w * reach + 1, randomness) - w * reach for w in widths], dtype=np.int64)
        if body.gauge(drawn) <= reach:
            return drawn


def radius(numerator: tuple[int, ...], scale: Fraction, randomness: Randomness) -> int:
    """j with weight N(j) exp(-j / b), exactly: see above."""
    steps = geometric(1 / scale, len(numerator), randomness)
    return weighted(numerator, 1 / scale, randomness) + int(steps.sum())


def weighted(weights: tuple[int, ...], q: Fraction, randomness: Randomness) -> int:
    """k with chance proportional to weights[k] exp(-q k), exactly, for whole weights of at least 0.

    With C_k the sum of the first k weights, k is where U C_d falls, U uniform. U is known between u and u + 1 over
    2^bits, and each C_k between two whole numbers over 2^places; if these leave k open, both get more digits. The
    chance that they still do halves with every bit, and k is that of the real numbers whenever it is decided.
    """
    bits, u = FIRST_BITS, below(1 << FIRST_BITS, randomness)
    while True:
        low, high = _cumulative(weights, q, bits)
        # The last k whose C_k is surely at or below U C_d, and the first k that may be above it.
        surely = bisect_right(high, (u * low[-1]) >> bits) - 1
        most = -(-(u + 1) * high[-1] >> bits)
        if most <= low[surely + 1]:
            return surely
        u = (u << bits) | below(1 << bits, randomness)
        bits *= 2


@lru_cache(maxsize=32)
def _cumulative(weights: tuple[int, ...], q: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Whole numbers below and above 2^places (C_0, ..., C_d), C_0 = 0, to about `bits` binary digits.

    exp(-q) lies between e and e + 1 over 2^places, and so do its powers between products that are rounded down and up.
    Only public numbers come in, so that they may be kept.
    """
    places = 2 * bits + len(weights) * (int(q * 3 / 2) + 2)
    down = leading_bits(q, "exp", places)
    up, least, most = down + 1, 1 << places, 1 << places
    low, high = [0], [0]
    for weight in weights:
        low.append(low[-1] + weight * least)
        high.append(high[-1] + weight * most)
        least, most = (least * down) >> places, -(-(most * up) >> places)
    return low, high


def below(bound: int, randomness: Randomness) -> int:
    """A whole number from 0 to bound - 1, each with the same chance, for bounds of any size."""
    bits = (bound - 1).bit_length()
    if not bits:
        return 0
    count, spare = -(-bits // 8), -bits % 8
    while True:
        drawn = int.from_bytes(randomness.bytes(count).tobytes(), "little") >> spare
        if drawn < bound:
            return drawn


def _in_product(body: ProductBody, reach: int, randomness: Randomness) -> Ints:
    """A lattice point of gauge at most `reach`, each with the same chance: table by table, given their sum."""
    total = _total(body, reach, randomness) if body.added else 0
    spare = (reach - abs(total)) // 2 if body.added else reach
    sign = -1 if total < 0 else 1
    return np.concatenate([sign * _in_table(size, abs(total), spare, randomness) for size in body.sizes])


def _total(body: ProductBody, reach: int, randomness: Randomness) -> int:
    """The sum of every table, with chance proportional to how many points have it.

    All sums from -reach to reach are alike, and t is kept with the chance N(t) / N(0 or 1), by whole numbers: no sum
    has more points than the nearest to 0 that `reach` and it are both even or both odd (see `points_of_sum`).
    """
    most = body.points_of_sum(reach, reach % 2)
    while True:
        total = below(2 * reach + 1, randomness) - reach
        if below(most, randomness) < body.points_of_sum(reach, abs(total)):
            return total


def _in_table(cells: int, total: int, spare: int, randomness: Randomness) -> Ints:
    """A whole vector that sums to `total` and whose negative part is at most `spare`, each with the same chance.

    First its negative part Q, by how many vectors have at most that; then how many entries are positive, by how many
    vectors have so many; then which, and how P = total + Q and Q are parted, all ways alike.
    """
    drawn = below(vectors_within(cells, total, spare), randomness)
    low, minus = -1, spare
    while minus - low > 1:
        middle = (low + minus) // 2
        low, minus = (low, middle) if vectors_within(cells, total, middle) > drawn else (middle, minus)
    plus = total + minus
    ways = positive_places(cells, plus, minus)
    drawn, many = below(sum(ways), randomness), 0
    while drawn >= ways[many]:
        drawn -= ways[many]
        many += 1
    out = np.zeros(cells, dtype=np.int64)
    chosen = np.zeros(cells, dtype=bool)
    chosen[_subset(cells, many, randomness)] = True
    if many:
        out[chosen] = 1 + np.array(_composition(plus - many, many, randomness))
    if many < cells:
        out[~chosen] = -np.array(_composition(minus, cells - many, randomness))
    return out


def _composition(total: int, parts: int, randomness: Randomness) -> list[int]:
    """A way to write a total as an ordered sum of numbers of at least 0: bars among total + parts - 1 places."""
    bars = [-1, *_subset(total + parts - 1, parts - 1, randomness), total + parts - 1]
    return [after - before - 1 for before, after in pairwise(bars)]


def _subset(size: int, many: int, randomness: Randomness) -> list[int]:
    """`many` of the numbers below `size`, every set with the same chance, ascending [Floyd 1987]."""
    chosen: set[int] = set()
    for last in range(size - many, size):
        drawn = below(last + 1, randomness)
        chosen.add(last if drawn in chosen else drawn)
    return sorted(chosen)
