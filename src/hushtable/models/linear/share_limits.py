"""Share limits: intervals of shares of a number of rows that is hardly known itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...maths.interactions.noisy_table import Moments
from ...questions.answer import Limits, interval_factor

__all__ = ["share_limits"]

Floats = NDArray[np.float64]
# A number of rows of at least ten standard errors moves no end by more than a few percent of the width.
SURELY = 1 / 100


def share_limits(moments: Moments) -> Limits | None:
    """From a confidence to the ends of all intervals; None where the noise of the number of rows is small.

    A share m is ruled out if count - m x rows is too large for the noise of both [Fie54]. To first order, as in the
    standard error, a share far beyond 1 would have the noise of that share, where the true one has less. Where the
    number of rows cannot be told from 0, the shares that are left have no end, or a gap between them: then the
    interval is the least that holds the value and those from 0 to 1.
    """
    if moments.rows <= SURELY:
        return None
    value, variance, mixed = (np.atleast_1d(x).ravel() for x in (moments.value, moments.variance, moments.mixed))
    kurtosis = np.atleast_1d(moments.kurtosis).ravel()

    def ends(confidence: float) -> tuple[Floats, Floats]:
        factor = interval_factor(confidence, kurtosis) ** 2
        if np.isinf(moments.rows):
            return np.minimum(value, 0.0), np.maximum(value, 1.0)
        # With m = value + d: left d^2 + 2 turn d - factor variance <= 0.
        left, turn = 1 - factor * moments.rows, factor * mixed
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(turn**2 + left * factor * variance)
            first, last = np.sort([value + (-turn - root) / left, value + (-turn + root) / left], axis=0)
        # Without a root nothing is ruled out; the comparisons below are then false.
        low = np.where(first >= 0, 0.0, np.where(last >= 0, np.minimum(last, 1.0), 0.0))
        high = np.where(last <= 1, 1.0, np.where(first <= 1, np.maximum(first, 0.0), 1.0))
        low, high = np.where(left > 0, first, low), np.where(left > 0, last, high)
        return np.minimum(low, value), np.maximum(high, value)

    return ends
