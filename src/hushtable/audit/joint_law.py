"""Law of joint noise: the exact distribution of its gauge, and the exact loss between two tables."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import gammainc

from ..maths.geometry.bodies import Body
from ..maths.geometry.lattice_counts import points_by
from .exact_laws import Floats, Ints

__all__ = ["gauge_law", "gauge_pit", "joint_loss"]

# The gauge is beyond the table with a chance below this.
TAIL = 1e-13
# On a lattice so fine that a scale has this many steps, the gauge over the scale is Gamma(d) to one part in as many.
FINE = 1 << 20


def joint_loss(body: Body, scale: Fraction, here: Ints, there: Ints) -> tuple[float, float]:
    """log P(noise here) - log P(noise there), and the gauge of what is between them over b.

    Noise that is no lattice point has no chance at all there.
    """
    try:
        moved = body.gauge(there - here)
        return (body.gauge(there) - body.gauge(here)) / float(scale), moved / float(scale)
    except ValueError:
        return math.inf, math.inf


@lru_cache(maxsize=64)
def gauge_law(body: Body, scale: Fraction) -> Floats:
    """P(gauge = 0, 1, ...), from how many lattice points have it."""
    numerator, ratio = body.lattice_numerator(), math.exp(-1 / float(scale))
    whole = sum(h * ratio**k for k, h in enumerate(numerator)) / (1 - ratio) ** body.dimension
    chances = list[float]()
    last = j = 0
    while not chances or 1 - math.fsum(chances) > TAIL:
        points = points_by(numerator, j)
        # In logarithms: neither the points nor their weight need be a float.
        chances.append(math.exp(math.log(points - last) - j / float(scale) - math.log(whole)))
        last, j = points, j + 1
        if j > 100_000:
            break
    return np.array(chances)


def gauge_pit(body: Body, scale: Fraction, noise: Ints, coin: float) -> float:
    """The distribution function of the gauge at this noise, spread over its jump: uniform if the law is as stated."""
    try:
        gauge = body.gauge(noise)
    except ValueError:
        return 0.0
    if scale > FINE:
        return float(gammainc(body.dimension, gauge / float(scale)))
    law = gauge_law(body, scale)
    below, at = float(law[:gauge].sum()), float(law[gauge]) if gauge < len(law) else 0.0
    return min(below + coin * at, 1.0)
