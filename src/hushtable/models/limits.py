"""Limits: intervals around a model's values with bars of usual questions, cut where nothing can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.weighted_rows.error_ratios import KURTOSIS
from ..questions.answer import interval_factor
from .build_answer import Estimates

__all__ = ["WithinPossible", "WithinRange", "below_noise"]

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
