"""Ratios: a noisy sum over a noisy number of rows, with the interval that knows the noise of both."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...questions.answer import interval_factor
from ..quotients import MIN_SIGMAS

__all__ = ["OLD", "NoisyNumber", "Ratio"]

OLD = "an old release, which counted rows without a value in the middle of the range"


@dataclass(frozen=True)
class NoisyNumber:
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
    bottom: NoisyNumber
    """The number of rows."""
    rest: NoisyNumber
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
        return self.bottom.value > MIN_SIGMAS * math.sqrt(self.bottom.variance)

    def ends(self, confidence: float) -> tuple[float, float]:
        """Every r for which sum - r bottom is no farther from 0 than its noise reaches [Fie54].

        Not symmetric; without an end where the bottom cannot be told from 0 at this confidence. A bottom without noise
        gives value +- reach x stderr.
        """
        z = interval_factor(confidence, self.kurtosis)
        below = self.bottom.value**2 - z**2 * self.bottom.variance
        if below <= 0:
            return -math.inf, math.inf
        # With r = value + d: (d bottom)^2 <= z^2 x variance of (rest - d bottom).
        middle = -(z**2) * self.covariance / below
        half = math.sqrt(middle**2 + z**2 * self.rest.variance / below)
        return self.value + middle - half, self.value + middle + half
