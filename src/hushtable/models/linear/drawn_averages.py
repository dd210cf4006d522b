"""Drawn averages: intervals of averages from draws of the law of their noise, where the group is surely there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..averages import LinearSums, Spans, averages
from ..build_answer import Estimates
from ..quotients import Averages, Quotients
from ..smooth.ratios import SURELY_SHOWN
from .joint_limits import end_of

__all__ = ["DrawnAverages", "DrawnSums", "reached"]

Floats = NDArray[np.float64]
# An end of an interval is where its own noise reaches it; found from the value in so many steps.
STEPS = 12


class DrawnSums(LinearSums, Protocol):
    """Released numbers whose noise can be drawn."""

    def noise(self, coefficients: Floats) -> Floats:
        """Draws of the noise of what these coefficients stand for."""


def reached(value: float, below: float, top: Floats, rows: Floats, *, side: int, confidence: float) -> float:
    """The last m on one side (-1 below, 1 above) of top / below that draws of noise do not rule out.

    How far noise reaches depends on m, but by less than m moves: so m is repeated until it agrees. [Fie54]
    """
    m = value
    for _ in range(STEPS if rows.any() else 1):
        noise = np.sort(np.abs(top - m * rows))
        m = value + side * float(end_of(noise, confidence)) / below
    return m


@dataclass(frozen=True, eq=False)
class DrawnAverages:
    """The limits of averages: by draws where a group is surely there, and as they are everywhere else."""

    numbers: DrawnSums
    spans: Spans
    plain: Averages

    @classmethod
    def of(cls, numbers: DrawnSums, spans: Spans) -> Estimates:
        """The averages of all groups, with these limits."""
        plain = averages(numbers, spans)
        stderr, bias, kurtosis = plain.errors()
        limits = cls(numbers, spans, plain)
        return Estimates(value=plain.value, stderr=stderr, bias=bias, kurtosis=kurtosis, limits=limits)

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of the intervals."""
        low, high = self.plain(confidence)
        for cell in range(len(low)):
            wide = self.plain.most[cell] - self.plain.least[cell]
            if not (_surely(self.plain.lower, cell) and wide > 0):
                continue
            ends = [
                self._end(cell, quotients, values, side, confidence)
                for quotients, values, side in (
                    (self.plain.lower, self.spans.low, -1),
                    (self.plain.upper, self.spans.high, 1),
                )
            ]
            first, last = (self.plain.least[cell] + wide * min(max(end, 0.0), 1.0) for end in ends)
            low[cell], high[cell] = min(first, self.plain.value[cell]), max(last, self.plain.value[cell])
        return low, high

    def _end(self, cell: int, quotients: Quotients, values: Floats, side: int, confidence: float) -> float:
        inside, least, most = self.spans.inside[cell], self.plain.least[cell], self.plain.most[cell]
        lines = (inside * ((values - least) / (most - least)), inside)
        top, rows = (self.numbers.noise(self.numbers.coefficients(line)) for line in lines)
        below = float(quotients.below[cell])
        return reached(float(quotients.top[cell]) / below, below, top, rows, side=side, confidence=confidence)


def _surely(quotients: Quotients, cell: int) -> bool:
    return bool(quotients.below[cell] > SURELY_SHOWN * np.sqrt(max(quotients.variance[2][cell], 0.0)))
