"""Laws of noise: which one a price buys, what it costs, and how far it strays.

A law's `scale` is what the samplers take: the variance for Gaussian noise, b for Laplace noise; 0 is no noise.
"""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .budget import Currency, Price

__all__ = ["Law"]


class Law(StrEnum):
    """The law of the noise on whole numbers; its text is what files say."""

    GAUSSIAN = "gaussian"
    LAPLACE = "laplace"

    def __repr__(self) -> str:
        # A journal knows its steps by what their facts print, also those that were begun when laws were texts.
        return repr(self.value)

    @classmethod
    def of(cls, price: Price) -> Law:
        """The law that a price is spent through: Laplace for a pure epsilon, Gaussian for a rho."""
        return cls.LAPLACE if price.currency == "pure" else cls.GAUSSIAN

    @property
    def currency(self) -> Currency:
        """The currency its price is in."""
        return "pure" if self is Law.LAPLACE else "zcdp"

    @property
    def power(self) -> int:
        """The power of changes that its price adds up: absolute changes, or their squares."""
        return 1 if self is Law.LAPLACE else 2

    def price(self, change: Fraction | int, scale: Fraction) -> Fraction:
        """What noise of `scale` costs where the sum of |change|^power is `change`, in its currency."""
        return Fraction(change) / scale if self is Law.LAPLACE else Fraction(change) / (2 * scale)

    def scale(self, change: Fraction | int, price: Fraction) -> Fraction:
        """The scale that costs `price`: the inverse of `price`."""
        return Fraction(change) / price if self is Law.LAPLACE else Fraction(change) / (2 * price)

    def variance(self, scale: Fraction | float) -> float:
        """Of the continuous twin of the noise, a hair above that of the noise."""
        return 2 * float(scale) ** 2 if self is Law.LAPLACE else float(scale)

    def stderr(self, scale: Fraction | float) -> float:
        """Its root."""
        return math.sqrt(2) * float(scale) if self is Law.LAPLACE else math.sqrt(scale)

    def fourth(self, scale: Fraction | float) -> float:
        """Fourth cumulant of the continuous twin: 0 for normal noise, 12 b^4 for Laplace noise."""
        return 12 * float(scale) ** 4 if self is Law.LAPLACE else 0.0

    def discrete_variance(self, scale: Fraction) -> float:
        """Of the noise itself: 1 / (2 sinh^2(1 / 2b)) for Laplace, which is 1/6 below that of the continuous law."""
        if self is Law.GAUSSIAN or not scale:
            return float(scale)
        half = 0.5 / float(scale)
        # Beyond this the square is no float, and noise other than 0 has never been seen.
        return 0.5 / math.sinh(half) ** 2 if half < 350 else 0.0

    def discrete_fourth(self, variance: float) -> float:
        """Fourth cumulant of the noise of a variance: v + 3 v^2 for Laplace, 0 (but for a hair) for Gaussian."""
        return variance + 3 * variance**2 if self is Law.LAPLACE else 0.0
