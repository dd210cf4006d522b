"""Non-negative: the nearest counts that can be, for reading; what was released stays raw and unbiased."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["nearest_non_negative"]


def nearest_non_negative(values: NDArray[np.float64], variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The non-negative vector with the same sum that is nearest in units of the noise.

    Minimises sum (x - y)^2 / v; the solution is max(0, y - shift * v) for one shift, found by sorting the
    points at which cells reach 0. A table whose sum is not positive becomes all zeros.
    """
    total = float(values.sum())
    # A sum too small to be divided without rounding to 0 is none.
    if total < np.finfo(np.float64).tiny or not np.isfinite(total):
        return np.zeros_like(values)
    weights = np.where(variances > 0, variances, variances[variances > 0].min(initial=1.0) * 1e-12)
    order = np.argsort(-values / weights)
    sums, weight_sums = np.cumsum(values[order]), np.cumsum(weights[order])
    shifts = (sums - total) / weight_sums
    kept = int(np.flatnonzero(values[order] / weights[order] > shifts)[-1])
    clean: NDArray[np.float64] = np.maximum(values - shifts[kept] * weights, 0.0)
    return clean
