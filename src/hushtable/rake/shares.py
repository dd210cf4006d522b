"""Shares of one attribute's values, from noisy counts: large ones as they are, small ones by empirical Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .tables import RawTable

__all__ = ["Totals", "denoised", "small_counts"]

Floats = NDArray[np.float64]
# Counts above this many standard deviations are kept; below, a prior on this grid is fitted where there are enough.
SURELY, GRID, ENOUGH, ROUNDS = 8.0, 81, 8, 100


@dataclass(frozen=True, eq=False)
class Totals:
    """The measured tables of single columns, pooled; and the number of rows they agree on.

    What a table of cells says of its own total and what it says beyond that are uncorrelated, because all cells have
    the same noise. So the pooled number of rows, the centred counts and the interactions of pairs never share noise.
    """

    width: int
    """How many attributes there are."""
    tables: Sequence[RawTable]
    """Tables of at most one attribute; of each attribute at least one, at full resolution."""
    public_rows: int | None = None

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
        pairs = zip(self.counts(), self.variances, strict=True)
        return [denoised(y, np.full(len(y), v), rows) / rows for y, v in pairs]


def denoised(counts: Floats, variances: Floats, rows: float) -> Floats:
    """Non-negative counts that sum to `rows`.

    Small counts get their posterior mean under a prior on 0..10 standard deviations fitted to all small counts
    by EM (non-parametric maximum likelihood [KieW56]). A table whose counts are all 0 or less becomes uniform.
    """
    clean = small_counts(counts, variances)
    total = float(clean.sum())
    if not total > 0:
        return np.full(len(counts), rows / len(counts))
    return np.asarray(clean * (rows / total))


def small_counts(counts: Floats, variances: Floats) -> Floats:
    """Counts with the small ones at their posterior means, where there are enough of them to fit a prior to."""
    deviation = np.sqrt(variances)
    clean = np.maximum(counts, 0.0)
    small = np.flatnonzero(counts < SURELY * deviation)
    if small.size >= ENOUGH:
        clean[small] = deviation[small] * _posterior_mean(counts[small] / deviation[small])
    return clean


def _posterior_mean(seen: Floats) -> Floats:
    grid = np.linspace(0.0, 10.0, GRID)
    # A count far below 0 is nearest to 0; its row must not vanish.
    likelihood = np.maximum(np.exp(-0.5 * (np.maximum(seen, -20.0)[:, None] - grid[None]) ** 2), 1e-300)
    prior = np.full(GRID, 1.0 / GRID)
    posterior = likelihood
    for _ in range(ROUNDS):
        posterior = likelihood * prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        prior = posterior.mean(axis=0)
    return np.asarray(posterior @ grid)
