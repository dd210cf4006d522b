"""Ratios: a noisy sum over a noisy number of rows, with the interval that knows the noise of both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...questions.answer import interval_factor
from ..quotients import MIN_SIGMAS, TOGETHER, not_ruled_out

__all__ = ["OLD", "SURELY_SHOWN", "NoisyNumber", "Ratio"]

# With more rows than this many standard errors of their number, whether a mean is shown is not a matter of chance.
SURELY_SHOWN = 10.0
# How far ratios are looked at, in half widths of the plain interval; beyond them there is no end.
FARTHER = np.geomspace(0.98, 1e4, 800)
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
        """Every r that is not ruled out, given that the ratio is shown.

        A small bottom is only shown if noise made it large enough, and that noise is in the sum too. As in `Quotients`,
        intervals hold given that one is shown [LeeSST16].
        """
        low, high = self.plain_ends(confidence)
        if self.bottom.value >= SURELY_SHOWN * math.sqrt(self.bottom.variance) or math.isinf(high):
            return low, high
        below, above = self._reach(-1, self.value - low, confidence), self._reach(1, high - self.value, confidence)
        return self.value - below, self.value + above

    def plain_ends(self, confidence: float) -> tuple[float, float]:
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

    def _reach(self, side: int, plain: float, confidence: float) -> float:
        """How far on one side (-1 below, 1 above) a ratio is not ruled out, given that the bottom was shown."""
        away = plain * FARTHER
        off, rows = side * away, self.bottom.variance
        with np.errstate(all="ignore"):
            variance = np.maximum(self.rest.variance - 2 * off * self.covariance + off**2 * rows, 0.0)
            u = away * self.bottom.value / np.sqrt(variance)
            along = np.maximum(-side * (self.covariance - off * rows), 0.0) / np.sqrt(variance * rows)
            both = TOGETHER * math.sqrt(self.rest.kurtosis * self.bottom.kurtosis)
            r = np.sqrt(np.clip(along**2 + both, 0.0, 1.0))
            d = np.where(r > 0, (self.bottom.value / math.sqrt(rows) - MIN_SIGMAS) / r, np.inf)
        kept = np.flatnonzero(not_ruled_out(u, d, np.full(len(u), self.kurtosis), confidence))
        last = int(kept[-1]) if len(kept) else -1
        return math.inf if last == len(away) - 1 else float(away[last + 1])
