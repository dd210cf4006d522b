"""Ratios: a noisy sum over a noisy number of rows, with the interval that knows the noise of both."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..questions.answer import interval_factor

__all__ = ["OLD", "SURELY", "Estimate", "Ratio"]

# A mean needs a group that is surely there: fewer released rows than this many standard errors is no group.
SURELY = 3.0
OLD = "an old release, which counted rows without a value in the middle of the range"


@dataclass(frozen=True)
class Estimate:
    """A number with the variance and the fourth cumulant of its noise."""

    value: float
    variance: float
    fourth: float

    @property
    def kurtosis(self) -> float:
        """Excess kurtosis of the noise."""
        return self.fourth / self.variance**2 if self.variance else 0.0


@dataclass(frozen=True)
class Ratio:
    """A sum over a number of rows."""

    value: float
    bottom: Estimate
    """The number of rows."""
    rest: Estimate
    """The sum minus value x bottom: 0, with all noise of the ratio."""
    covariance: float
    """Of the noise of `rest` and of `bottom`."""

    @property
    def stderr(self) -> float:
        """To first order in the noise."""
        return math.sqrt(self.rest.variance) / abs(self.bottom.value)

    @property
    def kurtosis(self) -> float:
        """Excess kurtosis of the noise, to first order."""
        return self.rest.kurtosis

    @property
    def sure(self) -> bool:
        """Whether the bottom can be told from 0."""
        return self.bottom.value > SURELY * math.sqrt(self.bottom.variance)

    def ends(self, confidence: float) -> tuple[float, float]:
        """Every r for which sum - r bottom is no farther from 0 than its noise reaches [Fie54].

        Not symmetric; without an end where the bottom cannot be told from 0 at this confidence. A bottom without noise
        gives value +- interval_factor x stderr.
        """
        z = interval_factor(confidence, self.kurtosis)
        below = self.bottom.value**2 - z**2 * self.bottom.variance
        if below <= 0:
            return -math.inf, math.inf
        # With r = value + d: (d bottom)^2 <= z^2 x variance of (rest - d bottom).
        middle = -(z**2) * self.covariance / below
        half = math.sqrt(middle**2 + z**2 * self.rest.variance / below)
        return self.value + middle - half, self.value + middle + half
