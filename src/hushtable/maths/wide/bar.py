"""Bar: how far guesses of wide questions are off, as measured on held-out questions of some widths."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...laws import Law

__all__ = ["WideBar"]

# Errors of random questions have a heavier tail than normal ones: about that of Laplace's law, whose kurtosis is this.
# The deviation that goes with a mean distance was chosen on ten tables, so that 95% of questions are inside 2.8 times
# the distance; docs/wide.md says what was seen.
DEVIATION, KURTOSIS = 1.29, 3.0


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

    def distance(self, width: int, rows: float) -> float:
        """The mean distance of questions of a width, as a fraction of the rows, with one standard error added.

        Between two widths that were measured it goes straight; below the first it is that of the first.
        """
        sums = np.maximum(self.distances, 0) + self.law.stderr(self.scale)
        return float(np.interp(width, self.widths, sums / (self.questions * rows)))

    def stderr(self, width: int, rows: float) -> float:
        """The standard deviation of the error of such a question."""
        return DEVIATION * self.distance(width, rows)

    @property
    def kurtosis(self) -> float:
        """The excess kurtosis that goes with it."""
        return KURTOSIS
