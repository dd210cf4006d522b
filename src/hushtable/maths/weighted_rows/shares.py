"""Shares of one attribute's values, from noisy counts: large ones as they are, small ones by empirical Bayes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import RawTable
from .small_counts import small_counts

__all__ = ["Totals", "denoised"]

Floats = NDArray[np.float64]


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
    ordered: Collection[int] = ()
    """Attributes whose values stand in a meaningful order."""

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
        clean = [denoised(y, v**0.5, rows, ordered=j in self.ordered) for j, (y, v) in enumerate(seen)]
        return [counts / counts.sum() for counts in clean]


def denoised(counts: Floats, deviation: float, rows: float, *, ordered: bool = False) -> Floats:
    """Non-negative counts that sum to `rows`. A table whose counts are all 0 or less becomes uniform."""
    clean = small_counts(counts, deviation, ordered=ordered)
    total = float(clean.sum())
    if not total > 0:
        return np.full(len(counts), rows / len(counts))
    return np.asarray(clean * (rows / total))
