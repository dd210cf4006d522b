"""Limits: intervals around a model's values with bars of usual questions, cut where nothing can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.weighted_rows.error_ratios import KURTOSIS
from ..questions.answer import interval_factor
from .build_answer import Estimates

__all__ = ["OfNoisyRows", "WithinPossible", "WithinRange", "below_noise", "fieller"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WithinPossible:
    """Intervals around shares or counts: none is below 0 or above `most`."""

    value: Floats
    stderr: Floats
    most: float

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        half = interval_factor(confidence, KURTOSIS) * self.stderr
        return np.maximum(self.value - half, 0.0), np.minimum(self.value + half, self.most)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfNoisyRows:
    """Shares `constant` + sum / rows, where both numbers have noise, with a bias on both sides [Fie54]."""

    value: Floats
    stderr: Floats
    """To first order."""
    kurtosis: Floats
    bias: Floats
    rows: float
    spread: float
    """Standard error of the number of rows."""
    constant: Floats | float = 0.0

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        ratio, factor = self.value - self.constant, interval_factor(confidence, self.kurtosis)
        alone = np.sqrt(np.maximum((self.stderr * self.rows) ** 2 - (ratio * self.spread) ** 2, 0.0))
        low, high = fieller(ratio, factor * alone, factor * self.spread, self.rows)
        low, high = low + self.constant - self.bias, high + self.constant + self.bias
        sure = np.isfinite(low)
        return np.where(sure, low, np.minimum(0.0, self.value)), np.where(sure, high, np.maximum(1.0, self.value))


def fieller(ratio: Floats, half: Floats, spread: Floats | float, rows: float) -> tuple[Floats, Floats]:
    """All f with |sum - f x rows| <= sqrt(half^2 + (f x spread)^2); without end where rows may be none."""
    left = rows**2 - np.square(spread)
    with np.errstate(all="ignore"):
        turn = np.sqrt(half**2 * left + (spread * ratio * rows) ** 2)
        low, high = (ratio * rows**2 - turn) / left, (ratio * rows**2 + turn) / left
    return np.where(left > 0, low, -np.inf), np.where(left > 0, high, np.inf)


@dataclass(frozen=True, eq=False)
class WithinRange:
    """Intervals of averages, inside what there can be; all of that for an average that is not known."""

    value: Floats
    within: Floats
    stderr: Floats
    least: Floats
    most: Floats

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        half = self.within + interval_factor(confidence, KURTOSIS) * self.stderr
        known = np.isfinite(self.value)
        low, high = (np.where(known, self.value + side * half, np.nan) for side in (-1, 1))
        return np.fmax(low, self.least), np.fmin(high, self.most)


def below_noise(estimates: Estimates) -> tuple[str, ...]:
    """A note where answers cannot be told from 0."""
    assert estimates.limits is not None
    low = estimates.limits(0.95)[0]
    small = int((low <= 0).sum())
    if not small:
        return ()
    which = "below its noise: it" if len(low) == 1 else f"{small:,} of {len(low):,} groups are below their noise: each"
    return (f"{which} may be 0",)
