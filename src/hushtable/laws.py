"""Laws of noise: which one a price buys, what it costs, and how far it strays.

A law's `scale` is what the samplers take: the variance for Gaussian noise, b for Laplace noise; 0 is no noise.
"""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .budget import Currency, Price

__all__ = ["Law"]

# From this variance on, what rounding adds to normal noise is that of an even spread over one unit, to 16 digits:
# the difference falls like exp(-2 pi^2 variance).
EVEN = 2.0
ROUNDING, ROUNDING_FOURTH = 1 / 12, -1 / 120
# Noise that is 0 but once in so many numbers has never been seen to be anything else. Below, its variance is said to be
# this, which is above the truth and can be divided by, and it has no fourth cumulant, which would drown the rest.
SELDOM = 1e-12


class Law(StrEnum):
    """The law of the noise on whole numbers; its text is what files say.

    laplace           P(Y = y) proportional to exp(-|y| / b)
    gaussian          P(Y = y) proportional to exp(-y^2 / (2 sigma^2))
    rounded-gaussian  a normal number of variance sigma^2, rounded to the nearest whole one
    """

    GAUSSIAN = "gaussian"
    LAPLACE = "laplace"
    ROUNDED = "rounded-gaussian"

    def __repr__(self) -> str:
        # A journal knows its steps by what their facts print, also those that were begun when laws were texts.
        return repr(self.value)

    @classmethod
    def of(cls, price: Price) -> Law:
        """The law that a price is spent through: each currency has the one whose steps add up best in it."""
        return {"pure": cls.LAPLACE, "zcdp": cls.GAUSSIAN, "gdp": cls.ROUNDED}[price.currency]

    @property
    def currency(self) -> Currency:
        """The currency its price is in."""
        currencies: dict[Law, Currency] = {Law.LAPLACE: "pure", Law.GAUSSIAN: "zcdp", Law.ROUNDED: "gdp"}
        return currencies[self]

    @property
    def noise(self) -> str:
        """What a person calls it."""
        return {Law.LAPLACE: "discrete Laplace noise", Law.GAUSSIAN: "discrete Gaussian noise"}.get(
            self, "rounded Gaussian noise"
        )

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

    def width(self, scale: Fraction | float) -> float:
        """The scale as a length in rows, before anything is rounded: b or sigma."""
        return float(scale) if self is Law.LAPLACE else math.sqrt(scale)

    def variance(self, scale: Fraction | float) -> float:
        """Of the noise; where it is Laplace or discrete Gaussian, of its continuous twin, a hair above."""
        if self is Law.ROUNDED:
            return _rounded_moments(float(scale))[0]
        return 2 * float(scale) ** 2 if self is Law.LAPLACE else float(scale)

    @property
    def unit_variance(self) -> float:
        """What the variance is a multiple of, before anything is rounded: it is so many times scale^(2 / power)."""
        return 2.0 if self is Law.LAPLACE else 1.0

    @property
    def rounding(self) -> float:
        """What rounding adds to the variance of a number, but where the noise is hardly any."""
        return ROUNDING if self is Law.ROUNDED else 0.0

    def stderr(self, scale: Fraction | float) -> float:
        """Its root."""
        return math.sqrt(self.variance(scale))

    def fourth(self, scale: Fraction | float) -> float:
        """Fourth cumulant of the same: 0 for normal noise, 12 b^4 for Laplace noise."""
        if self is Law.ROUNDED:
            return _rounded_moments(float(scale))[1]
        return 12 * float(scale) ** 4 if self is Law.LAPLACE else 0.0

    @property
    def kurtosis(self) -> int:
        """Excess kurtosis of the continuous twin: fourth cumulant over squared variance."""
        return 3 if self is Law.LAPLACE else 0

    def variances(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """`variance` of many scales."""
        if self is Law.ROUNDED:
            return _each(scales, 0)
        return 2 * scales**2 if self is Law.LAPLACE else scales

    def fourths(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """`fourth` of many scales."""
        if self is Law.ROUNDED:
            return _each(scales, 1)
        return 12 * scales**4 if self is Law.LAPLACE else 0.0 * scales

    def discrete_variance(self, scale: Fraction) -> float:
        """Of the noise itself: 1 / (2 sinh^2(1 / 2b)) for Laplace, which is 1/6 below that of the continuous law."""
        if self is not Law.LAPLACE or not scale:
            return self.variance(scale)
        half = 0.5 / float(scale)
        # Beyond this the square is no float, and noise other than 0 has never been seen.
        return 0.5 / math.sinh(half) ** 2 if half < 350 else 0.0

    def discrete_fourth(self, scale: Fraction) -> float:
        """Fourth cumulant of the noise itself: v + 3 v^2 for Laplace noise of variance v."""
        if self is not Law.LAPLACE:
            return self.fourth(scale)
        variance = self.discrete_variance(scale)
        return variance + 3 * variance**2

    def quantile(self, scale: Fraction | float, chance: float) -> float:
        """The number that the noise stays below or at with this chance; noise that is rounded, a whole one."""
        if self is Law.LAPLACE:
            side = -math.log(2 * min(chance, 1 - chance)) * float(scale)
            return side if chance > 0.5 else -side
        at = NormalDist().inv_cdf(chance) * math.sqrt(scale)
        # P(Y <= k) = Phi((k + 1/2) / sigma)
        return math.ceil(at - 0.5) if self is Law.ROUNDED else at


@lru_cache(maxsize=4096)
def _rounded_moments(variance: float) -> tuple[float, float]:
    """Variance and fourth cumulant of normal noise that was rounded: v + 1/12 and -1/120, but for small v.

    There by sums over P(|Y| >= k) = 2 Phi(-(k - 1/2) / sigma): E Y^p = sum of (k^p - (k-1)^p) P(|Y| >= k).
    """
    if variance >= EVEN:
        return variance + ROUNDING, ROUNDING_FOURTH
    if variance <= 0:
        return 0.0, 0.0
    width = math.sqrt(2 * variance)
    second = fourth = 0.0
    # 40 standard deviations: beyond, the chance is no float.
    for k in range(1, 60):
        chance = math.erfc((k - 0.5) / width)
        second += (k**2 - (k - 1) ** 2) * chance
        fourth += (k**4 - (k - 1) ** 4) * chance
    if second < SELDOM:
        return SELDOM, 0.0
    return second, fourth - 3 * second**2


def _each(scales: NDArray[np.float64], which: int) -> NDArray[np.float64]:
    """One moment of rounded noise for many variances, of which few are small or different."""
    import numpy as np

    even = scales + ROUNDING if which == 0 else np.full_like(scales, ROUNDING_FOURTH)
    small = np.flatnonzero(scales.ravel() < EVEN)
    even.ravel()[small] = [_rounded_moments(float(scales.ravel()[i]))[which] for i in small]
    return even
