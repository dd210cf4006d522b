"""First singles: tables of single attributes, measured before it was decided how many to measure together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ...maths.interactions.contrasts import contrasts

__all__ = ["FirstSingles"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FirstSingles:
    """The noisy cells of the tables of `positions`, one after the other, all with noise of one scale."""

    law: Law
    sizes: tuple[int, ...]
    """Of the attributes at `positions`."""
    positions: tuple[int, ...]
    scale: Fraction
    cells: NDArray[np.int64]

    def table(self, position: int) -> Floats:
        """The noisy counts of one attribute's codes."""
        place = self.positions.index(position)
        start = sum(self.sizes[:place])
        return np.asarray(self.cells[start : start + self.sizes[place]], dtype=np.float64)

    @property
    def rows(self) -> float:
        """The number of rows, as all tables together say."""
        return float(self.cells.sum()) / len(self.positions)

    def contrasts_of(self, position: int) -> tuple[Floats, Floats, Floats]:
        """The attribute's contrasts, and the variance and fourth cumulant of their noise."""
        counts = self.table(position)
        matrix = contrasts(len(counts)).matrix[1:].astype(np.float64)
        noise = (self.law.variance(self.scale), self.law.fourth(self.scale))
        return matrix @ counts, (matrix**2).sum(axis=1) * noise[0], (matrix**4).sum(axis=1) * noise[1]

    def share(self, condition: tuple[int, tuple[bool, ...]], rows: float) -> float:
        """The share of rows that fulfil a condition on one attribute, by how far the mask is from its own mean."""
        position, mask = condition
        weights = np.array(mask, dtype=np.float64)
        return float(weights.mean() + (weights - weights.mean()) @ self.table(position) / rows)

    def deviation(self, rows: float) -> float:
        """Standard error of a share that half of the codes fulfil."""
        return float(np.sqrt(self.law.variance(self.scale) * np.mean(self.sizes) / 4)) / rows
