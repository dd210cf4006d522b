"""Small counts by empirical Bayes: what noise leaves of a count, judged by all counts or by those beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .mixing import fit_prior, posterior_of

__all__ = ["small_counts"]

Floats = NDArray[np.float64]
# Counts above this many standard deviations are kept; below, a prior on this grid is fitted where there are enough.
SURELY, ENOUGH, ROUNDS = 8.0, 8, 100
GRID = np.linspace(0.0, 10.0, 81)
# Where values stand in an order: how far a count has neighbours, how much of the prior is still that of all counts,
# and rounds of the fit.
REACH, COMMON, LOCAL_ROUNDS = 8, 0.1, 20


def small_counts(counts: Floats, deviation: float, *, ordered: bool = False) -> Floats:
    """Counts with the small ones at their posterior means, where there are enough of them to fit a prior to.

    The prior is on 0 to 10 standard deviations, fitted to all small counts by EM (non-parametric maximum likelihood
    [KieW56]). Where values stand in an order, each count has a prior of its own, from the posteriors of its
    neighbours; it is taken if it foretells the counts clearly better, none of which is its own neighbour.
    """
    clean = np.maximum(counts, 0.0)
    small = np.flatnonzero(counts < SURELY * deviation)
    if small.size < ENOUGH:
        return clean
    # A count far below 0 is nearest to 0; its row must not vanish.
    seen = np.maximum(counts[small] / deviation, -20.0)
    likelihood = np.maximum(np.exp(-0.5 * (seen[:, None] - GRID[None]) ** 2), 1e-300)
    prior, _ = fit_prior(likelihood, ROUNDS)
    if ordered:
        local = _local(likelihood, prior, small, len(counts))
        gain = np.log((likelihood * local).sum(axis=1)).sum() - np.log(likelihood @ prior).sum()
        # As if every stretch had one number of its own to fit: each must be worth its unit.
        if gain > small.size / (2 * REACH):
            prior = local
    clean[small] = deviation * (posterior_of(likelihood, prior) @ GRID)
    return clean


def _local(likelihood: Floats, common: Floats, place: NDArray[np.intp], size: int) -> Floats:
    """A prior for each count: the mean posterior of those beside it, and a part of the common one."""
    present = np.zeros((size, 1))
    present[place] = 1.0
    beside = _around(present)[place]
    prior, spread = np.tile(common, (len(place), 1)), np.zeros((size, len(GRID)))
    for _ in range(LOCAL_ROUNDS):
        spread[place] = posterior_of(likelihood, prior)
        mean = _around(spread)[place] / np.maximum(beside, 1e-300)
        prior = np.where(beside > 0, (1 - COMMON) * mean + COMMON * common, common)
    return prior


def _around(values: Floats) -> Floats:
    """For every place the sum over its neighbours on both sides, nearer ones more; without its own."""
    out = np.zeros_like(values)
    for step in range(1, min(REACH, len(values) - 1) + 1):
        weight = 1 - step / (REACH + 1)
        out[step:] += weight * values[:-step]
        out[:-step] += weight * values[step:]
    return out
