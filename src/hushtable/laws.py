"""Laws of noise: what the noise on a whole number is, and how far it strays."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

__all__ = ["Law", "discrete_fourth", "discrete_variance"]

Law = Literal["gaussian", "laplace"]


def discrete_variance(law: Law, scale: Fraction) -> float:
    """Of the discrete noise: 1 / (2 sinh^2(1 / 2b)) for Laplace, which is 1/6 below that of the continuous law."""
    if law == "gaussian" or not scale:
        return float(scale)
    half = 0.5 / float(scale)
    # Beyond this the square is no float, and noise other than 0 has never been seen.
    return 0.5 / math.sinh(half) ** 2 if half < 350 else 0.0


def discrete_fourth(law: Law, variance: float) -> float:
    """Fourth cumulant of the discrete noise of a variance: v + 3 v^2 for Laplace, 0 (but for a hair) for Gaussian."""
    return variance + 3 * variance**2 if law == "laplace" else 0.0
