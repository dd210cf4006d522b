"""Shares of one attribute's values, from noisy counts: large ones as they are, small ones by empirical Bayes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import RawTable

__all__ = ["ColumnTotals", "Earlier", "denoised", "fit_prior", "posterior_of", "small_counts"]

Floats = NDArray[np.float64]


def posterior_of(likelihood: Floats, prior: Floats) -> Floats:
    """Chances of the cases (columns) given each observation (row); one prior for all, or one for each."""
    joint = likelihood * prior
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def fit_prior(likelihood: Floats, rounds: int) -> tuple[Floats, Floats]:
    """The common prior by so many rounds of EM [KieW56], and the posteriors of the last of them.

    A round takes two products with the likelihoods: the posteriors themselves are only needed in the end.
    """
    prior = before = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(rounds):
        before = prior
        prior = before * ((1 / (likelihood @ before)) @ likelihood) / len(likelihood)
    return prior, posterior_of(likelihood, before)


# Counts of at least MIN_SIGMAS standard deviations of the noise are kept as they are. If there are at least ENOUGH
# smaller ones, a prior on this grid (in standard deviations) is fitted to them by so many rounds of EM.
MIN_SIGMAS, ENOUGH, ROUNDS = 8.0, 8, 100
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
    small = np.flatnonzero(counts < MIN_SIGMAS * deviation)
    if small.size < ENOUGH:
        return clean
    # Counts far below 0 count as -20 deviations: further down exp(-x^2 / 2) is 0 on all of the grid.
    seen = np.maximum(counts[small] / deviation, -20.0)
    likelihood = np.maximum(np.exp(-0.5 * (seen[:, None] - GRID[None]) ** 2), 1e-300)
    prior, _ = fit_prior(likelihood, ROUNDS)
    if ordered:
        local = _local(likelihood, prior, small, len(counts))
        gain = np.log((likelihood * local).sum(axis=1)).sum() - np.log(likelihood @ prior).sum()
        # Like AIC: accept the local prior only if the likelihood gains more than one unit per 2 * REACH counts.
        if gain > small.size / (2 * REACH):
            prior = local
    clean[small] = deviation * (posterior_of(likelihood, prior) @ GRID)
    return clean


def _local(likelihood: Floats, common: Floats, place: NDArray[np.intp], size: int) -> Floats:
    """A prior for each count: the mean posterior of those beside it, and a part of the common one."""
    from .kernels import around

    present = np.zeros((size, 1))
    present[place] = 1.0
    beside = around(present, REACH)[place]
    prior, spread = np.tile(common, (len(place), 1)), np.zeros((size, len(GRID)))
    for _ in range(LOCAL_ROUNDS):
        spread[place] = posterior_of(likelihood, prior)
        mean = around(spread, REACH)[place] / np.maximum(beside, 1e-300)
        prior = np.where(beside > 0, (1 - COMMON) * mean + COMMON * common, common)
    return prior


class Earlier(Protocol):
    """What is known of a column beside its own tables."""

    @property
    def precision(self) -> float:
        """One over the variance with which about the same cells were counted."""

    def counts(self, seen: Floats, variance: float) -> Floats:
        """Non-negative counts of all its values, from noisy ones."""


@dataclass(frozen=True, eq=False)
class ColumnTotals:
    """The measured tables of single columns, pooled; and the number of rows they agree on.

    What a table of cells says of its own total and what it says beyond that are uncorrelated, because all cells have
    the same noise. So the pooled number of rows, the centred counts and the interactions of pairs never share noise.
    """

    width: int
    """How many attributes there are."""
    tables: Sequence[RawTable]
    """Tables of at most one attribute; of each attribute at least one, at full resolution."""
    public_rows: int | None = None
    ordered: Collection[int] = ()
    """Attributes whose values stand in a meaningful order."""
    found: Mapping[int, Earlier] = field(default_factory=dict)
    """Attributes whose cells earlier passes have found, with what these say."""

    @cached_property
    def variances(self) -> list[float]:
        """Noise of a value's centred count in every direction, for every attribute."""
        precision = np.zeros(self.width)
        for table in self.tables:
            for member in table.set.members:
                precision[member] += 1 / table.variance
        return [float(1 / p) for p in precision]

    @cached_property
    def _centred(self) -> list[Floats]:
        out = [np.zeros(1)] * self.width
        for table in self.tables:
            for j in table.set.members:
                out[j] = out[j] + table.interaction * (self.variances[j] / table.variance)
        return out

    @cached_property
    def _rows(self) -> tuple[float, float]:
        if self.public_rows is not None:
            return float(self.public_rows), 0.0
        # Contrasts of a column say nothing about its total.
        telling = [t for t in self.tables if not t.set.members or not t.contrasted]
        spread = np.array([t.variance * t.set.cells for t in telling])
        sums = np.array([float(t.cells.sum()) for t in telling])
        return float((sums / spread).sum() / (1 / spread).sum()), float(1 / (1 / spread).sum())

    @property
    def rows(self) -> float:
        """The number of rows: public, or the mean of all totals weighted by inverse variance."""
        return self._rows[0]

    @property
    def rows_variance(self) -> float:
        """Variance of `rows`."""
        return self._rows[1]

    def centred(self, attribute: int) -> Floats:
        """Counts of an attribute's values minus their mean."""
        return self._centred[attribute]

    def counts(self) -> list[Floats]:
        """Counts of every attribute's values, all with the same total."""
        return [centred + self.rows / len(centred) for centred in self._centred]

    def shares(self) -> list[Floats]:
        """Denoised shares of every attribute's values."""
        rows = max(self.rows, 1.0)
        seen = zip(self.counts(), self.variances, strict=True)
        clean = [self._clean(j, y, v, rows) for j, (y, v) in enumerate(seen)]
        return [counts / counts.sum() for counts in clean]

    def before(self, attribute: int) -> float:
        """One over the variance of what else is known of a column's values; 0 where nothing is."""
        return self.found[attribute].precision if attribute in self.found else 0.0

    def _clean(self, attribute: int, counts: Floats, variance: float, rows: float) -> Floats:
        if attribute in self.found:
            own = self.found[attribute].counts(counts, variance)
            if own.sum() > 0:
                return own
        return denoised(counts, variance**0.5, rows, ordered=attribute in self.ordered)


def denoised(counts: Floats, deviation: float, rows: float, *, ordered: bool = False) -> Floats:
    """Non-negative counts that sum to `rows`. A table whose counts are all 0 or less becomes uniform."""
    clean = small_counts(counts, deviation, ordered=ordered)
    total = float(clean.sum())
    if not total > 0:
        return np.full(len(counts), rows / len(counts))
    return np.asarray(clean * (rows / total))
