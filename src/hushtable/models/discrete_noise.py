"""The variance of noise on whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from ..interactions import Law

__all__ = ["discrete_variance"]


def discrete_variance(law: Law, scale: Fraction) -> float:
    """Of the discrete noise: 1 / (2 sinh^2(1 / 2b)) for Laplace, which is 1/6 below that of the continuous law."""
    if law == "gaussian" or not scale:
        return float(scale)
    half = 0.5 / float(scale)
    # Beyond this the square is no float, and noise other than 0 has never been seen.
    return 0.5 / math.sinh(half) ** 2 if half < 350 else 0.0
