"""Bar: how far guesses of wide questions are off, as measured on held-out questions of some widths."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...laws import Law

__all__ = ["BY_REACH", "NORMAL", "Expected", "WideBar"]

Floats = NDArray[np.float64]
# Mean absolute value of a normal number.
NORMAL = 0.8
# Errors of random questions have a somewhat heavier tail than normal ones.
KURTOSIS = 2.0
# What is missed beside noise is usually such a part of how far pairs could move a question, by the order that was
# measured; from the last on it is the same.
MISSED = {1: 0.3, 2: 0.11, 3: 0.05, 4: 0.015}
# Where questions are of several kinds (any, all, at least r; conditions in opposite senses), more is missed, less of it
# goes with how far pairs could move a question, and few questions have most of it (`python -m benchmarks wide_kinds`).
MISSED_OF_SEVERAL, BY_REACH_OF_SEVERAL, KURTOSIS_OF_SEVERAL = {1: 0.3, 2: 0.11, 3: 0.08, 4: 0.04}, 0.4, 5.0
# The mean distance is usually about what noise and that part make of it, give or take this factor (as a logarithm);
# and so much of what is not known of it is added to it. docs/wide.md says what these were chosen on.
GIVE_OR_TAKE, ADDED = 0.5, 0.5
# Files before format 5 keep the bar they had: so many times the distance, with one standard error added to it, and the
# kurtosis of Laplace's law. Those of format 5 take the distance for so many times the noise, whatever the order.
DEVIATION, KURTOSIS_BEFORE = 1.29, 3.0
TIMES_BEFORE, GIVE_OR_TAKE_BEFORE, KURTOSIS_OF_FIVE = 1.3, 0.7, 1.5
# The part of what is missed that goes with how far pairs could move a question; the rest is the same for all.
BY_REACH = 0.9
# Distances are weighed from so many times less to so many times more than expected, in steps.
STEPS = np.linspace(-3.0, 6.0, 181)


@dataclass(frozen=True)
class Expected:
    """What was known of the held-out questions of each width, as shares of the rows."""

    noise: tuple[float, ...]
    """The mean distance that the noise of the guesses makes alone."""
    reach: tuple[float, ...]
    """How far pairs could move such a question."""
    order: int | None = None
    """How many attributes were measured together; None in files of format 5, which did not say."""
    several: bool = False
    """Whether the questions were of several kinds."""


@dataclass(frozen=True, eq=False)
class WideBar:
    """For each width the sum over questions of |rows for which it is true - what the model says|, with noise."""

    law: Law
    widths: tuple[int, ...]
    """Ascending."""
    questions: int
    """How many of each width."""
    scale: Fraction
    """Of the noise of each distance."""
    distances: NDArray[np.int64]
    expected: Expected | None = None
    """None in files before format 5."""

    def distance(self, width: int, rows: float) -> float:
        """The mean distance of questions of a width, as a fraction of the rows, with one standard error added.

        Between two widths that were measured it goes straight; below the first it is that of the first.
        """
        sums = np.maximum(self.distances, 0) + self.law.stderr(self.scale)
        return float(np.interp(width, self.widths, sums / (self.questions * rows)))

    def stderr(self, width: int, rows: float, noise: float, reach: float | None) -> float:
        """The standard deviation of the error of such a question.

        noise  that of its guess
        reach  how far pairs could move it; None for that of a usual question
        """
        if self.expected is None:
            return DEVIATION * self.distance(width, rows)
        missed = np.interp(width, self.widths, [self._missed(place, rows) for place in range(len(self.widths))])
        usual = float(np.interp(width, self.widths, self.expected.reach))
        far = 1.0 if reach is None or usual <= 0 else (reach / usual) ** 2
        part = BY_REACH_OF_SEVERAL if self.expected.several else BY_REACH
        return float(np.sqrt(noise**2 + missed**2 * (1 - part + part * far)))

    def _missed(self, place: int, rows: float) -> float:
        """The deviation of what is wrong beside noise: what the believed distance has more than noise makes."""
        assert self.expected is not None
        unit, noise = 1 / (self.questions * rows), max(self.expected.noise[place], 1e-9)
        usual, spread = self._usual(place)
        believed = _believed(self.distances[place] * unit, self.law.stderr(self.scale) * unit, usual, spread)
        return float(np.sqrt(max(believed**2 - noise**2, 0.0))) / NORMAL

    def _usual(self, place: int) -> tuple[float, float]:
        """What the mean distance usually is, and the logarithm of the factor that this is give or take."""
        assert self.expected is not None
        noise, order = max(self.expected.noise[place], 1e-9), self.expected.order
        if order is None:
            return TIMES_BEFORE * noise, GIVE_OR_TAKE_BEFORE
        parts = MISSED_OF_SEVERAL if self.expected.several else MISSED
        part = parts[min(order, max(parts))]
        return float(np.hypot(noise, NORMAL * part * self.expected.reach[place])), GIVE_OR_TAKE

    @property
    def kurtosis(self) -> float:
        """The excess kurtosis that goes with it."""
        if self.expected is None:
            return KURTOSIS_BEFORE
        if self.expected.several:
            return KURTOSIS_OF_SEVERAL
        return KURTOSIS_OF_FIVE if self.expected.order is None else KURTOSIS


def _believed(measured: float, deviation: float, usual: float, spread: float) -> float:
    """The mean distance, from what was measured of it and what is usual; with some of what is not known of it added.

    Where answers are more exact than the measurement, what is usual counts; where they are not, the measurement.
    """
    grid = usual * np.exp(STEPS)
    logs = -0.5 * (STEPS / spread) ** 2 - 0.5 * ((measured - grid) / deviation) ** 2
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = float(weights @ grid)
    return mean + ADDED * float(np.sqrt(max(float(weights @ grid**2) - mean**2, 0.0)))
