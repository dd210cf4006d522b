"""Measured: the raw noisy numbers of one round, and what they say as evidence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..linear.non_negative import nearest_non_negative
from .fit import Evidence

__all__ = ["Measured", "possible_table"]

Sums = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Measured:
    """Noisy sums about a few attributes: every cell of their table, or one weighted sum of the cells."""

    positions: tuple[int, ...]
    values: Sums
    scale: Fraction
    """The variance of Gaussian noise, or the b of Laplace noise."""
    function: Sums | None = None
    """The weight of each cell (over the grid of the class); None for the whole table."""

    def variance(self, law: Law) -> float:
        """Of the noise on each value."""
        return law.variance(self.scale)

    def fourth(self, law: Law) -> float:
        """Fourth cumulant of the noise on each value."""
        return law.fourth(self.scale)

    def evidence(self, *, rows: int, grid: int, law: Law) -> Evidence:
        """In fractions, and moved to what is possible: noise may point at negative counts, the table cannot."""
        variance = self.variance(law)
        if self.function is None:
            return Evidence(self.positions, possible_table(self.values, rows) / rows, variance / rows**2)
        weights = self.function / grid
        target = np.clip(self.values / (rows * grid), weights.min(), weights.max())
        return Evidence(self.positions, target, variance / (rows * grid) ** 2, weights)


def possible_table(values: Sums, rows: int) -> NDArray[np.float64]:
    """The nearest table without negative cells that holds all rows."""
    shifted = values.astype(np.float64) + (rows - int(values.sum())) / len(values)
    return nearest_non_negative(shifted, np.ones(len(values)))
