"""What the measured tables of a weighted model say together, without bias and with their noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ...maths.distribution.measured import Measured

__all__ = ["JointTable", "NoiseMoments", "PooledTables"]

Floats = NDArray[np.float64]
MOST_POOLED = 500


@dataclass(frozen=True)
class NoiseMoments:
    """Variance and fourth cumulant, in rows."""

    variance: float
    fourth: float


@dataclass(frozen=True, eq=False)
class JointTable:
    """The table of a few attributes, as the mean of all measured ones that hold them."""

    cells: Floats
    shares: Floats
    """How much each measured table counts in the mean; 0 for those that do not hold the attributes."""


class PooledTables:
    """The cells of a measured table have equal noise, so that its sum and its other contrasts are uncorrelated.

    All sums and the released number of rows are estimates of one number; the best mean of them is `rows`. A question
    of mean m over the cells is m x rows and a contrast, of which the best mean over the tables is taken.
    """

    def __init__(
        self, measured: Sequence[Measured], sizes: Sequence[int], law: Law, *, rows: int, rows_stderr: float
    ) -> None:
        self._tables = [item for item in measured if item.function is None]
        self._sizes, self._pooled = sizes, dict[tuple[int, ...], JointTable | None]()
        self._fourths = np.array([item.fourth(law) for item in self._tables])
        self._cells = np.array([len(item.values) for item in self._tables], dtype=np.float64)
        variances = np.array([item.variance(law) for item in self._tables])
        self._precisions = 1 / (variances * self._cells)
        # A public number of rows needs no help.
        alone = 1 / rows_stderr**2 if rows_stderr else np.inf
        precision = alone + self._precisions.sum()
        self._weights = self._precisions / precision
        sums = np.array([float(item.values.sum()) for item in self._tables])
        self.rows = max(rows + float(self._weights @ (sums - rows)), 1.0)
        self._first = NoiseMoments(rows_stderr**2, law.kurtosis * rows_stderr**4)
        self._own = 1 - float(self._weights.sum())
        self.rows_noise = self.noise(1.0)

    def table(self, positions: tuple[int, ...]) -> JointTable | None:
        """About these attributes; None if no table holds them all."""
        if positions not in self._pooled:
            if len(self._pooled) >= MOST_POOLED:
                self._pooled.clear()
            self._pooled[positions] = self._mean(positions)
        return self._pooled[positions]

    def _mean(self, positions: tuple[int, ...]) -> JointTable | None:
        holds = np.array([set(positions) <= set(item.positions) for item in self._tables], dtype=bool)
        if not holds.any():
            return None
        shares = self._precisions * holds / (self._precisions * holds).sum()
        cells = np.zeros([self._sizes[p] for p in positions])
        for item, share in zip(self._tables, shares, strict=True):
            if share:
                kept = [p for p in item.positions if p in positions]
                table = item.values.reshape([self._sizes[p] for p in item.positions]).astype(np.float64)
                margin = table.sum(axis=tuple(i for i, p in enumerate(item.positions) if p not in positions))
                cells += share * np.asarray(margin).transpose([kept.index(p) for p in positions])
        return JointTable(cells, shares)

    def noise(self, lean: float, table: JointTable | None = None, contrast: Floats | None = None) -> NoiseMoments:
        """The noise of lean x rows, plus that of a contrast (weights that add up to 0) of a table."""
        own, weights = lean * self._own, lean * self._weights
        variance, fourth = own**2 * self._first.variance, own**4 * self._first.fourth
        variances = 1 / (self._precisions * self._cells)
        variance += float(variances @ (self._cells * weights**2))
        fourth += float(self._fourths @ (self._cells * weights**4))
        if table is not None and contrast is not None and contrast.any():
            copies = self._cells / contrast.size
            squares, cubes, fourths = (float((contrast**power).sum()) for power in (2, 3, 4))
            variance += float(variances @ (copies * table.shares**2)) * squares
            mixed = table.shares**4 * fourths + 4 * table.shares**3 * weights * cubes
            mixed += 6 * table.shares**2 * weights**2 * squares
            fourth += float(self._fourths @ (copies * mixed))
        return NoiseMoments(variance, fourth)
