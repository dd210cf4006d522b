"""Half widths of intervals, in standard errors."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion

__all__ = ["interval_factor"]

Floats = NDArray[np.float64]


def interval_factor(confidence: float, kurtosis: Floats | float = 0.0) -> Any:
    """Half width of a two-sided interval in standard errors.

    Normal noise has kurtosis 0. Sums of few Laplace noises have heavier tails: Cornish and Fisher's first
    correction z + (z^3 - 3z) kurtosis / 24, which for a single Laplace at 95% gives 2.17, 95.3% of it.
    """
    if not 0 < confidence < 1:
        raise BadQuestion(f"confidence must be between 0 and 1 (say 0.95), not {confidence:g}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    return z + max(z**3 - 3 * z, 0.0) / 24 * kurtosis
