"""Weights of rows by their length, with which sums of rare values have the least of noise and of bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .rare_lengths import WEIGHT_UNIT, Lengths

__all__ = ["filling_weights", "single_weights"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# How columns differ in the lengths of rows their rare values are in: a column has 1 + t (log k - mean) times the usual
# share of length k, with t of this size; and beyond that each length is off by so much, relative to its share, which
# is taken to be at least this.
TILT, ODD, LEAST = 0.3, 0.15, 1e-3
# Weights that miss the mean column are no choice; it is put back, so this is only to be large.
FIRMLY = 30.0
TRIED = 40


def single_weights(lengths: Lengths, mean: float, unit: float) -> Integers:
    """Weights of single rare values; no row weighs more than one of a few.

    What weights take away from the mean column is put back. Columns that are often in short rows, or often in long
    ones, would be off; so the weights are lowest for both, and what one has too much the other has too little.

    mean  the mean count of a rare value
    unit  standard deviation of the noise of a sum that one row changes by 1, at the price of these sums
    """
    from scipy.optimize import lsq_linear

    longest = max(int(np.flatnonzero(lengths.counts >= 1).max(initial=0)), 1)
    k, shares = np.arange(1, longest + 1, dtype=np.float64), lengths.shares(1)[1 : longest + 1]
    tilt = TILT * shares * (np.log(k) - shares @ np.log(k))
    bias = mean * np.vstack([tilt, np.diag(ODD * np.maximum(shares, LEAST))])
    system = np.vstack([bias, FIRMLY * mean * shares])
    least, best = np.inf, np.ones(longest)
    for limit in np.geomspace(1.0, longest, TRIED):
        ceiling = np.sqrt(limit / k)
        weights = lsq_linear(system, system.sum(axis=1), (0.0, ceiling), tol=1e-9).x
        weights = weights / max(float(shares @ weights), 1e-300)
        loss = unit**2 * float((k * weights**2).max()) + float(((bias @ (weights - 1)) ** 2).sum())
        if loss < least:
            least, best = loss, weights
    limit = float((k * best**2).max())
    beyond = np.sqrt(limit / np.arange(longest + 1, len(lengths.counts)))
    return _whole(np.concatenate([[0.0], best, beyond]))


def filling_weights(lengths: Lengths, left: Floats) -> tuple[Integers, float]:
    """Weights of pairs of rare values with which they cost, in a row of each length, what is left of its price.

    left  what all pairs of a row of each length may cost, if noise of standard deviation 1 costs 1

    Returns the weights and the standard deviation that goes with them, as it is for a weight of 256.
    """
    each = lengths.each(2)
    weights = np.sqrt(np.divide(left, each, out=np.zeros(len(each)), where=each > 0))
    most = float(weights.max())
    return _whole(weights), WEIGHT_UNIT / most if most > 0 else float(WEIGHT_UNIT)


def _whole(weights: Floats) -> Integers:
    """In units of 1/256 of the largest."""
    return np.floor(weights * (WEIGHT_UNIT / max(float(weights.max()), 1e-300)) + 1e-9).astype(np.int64)
