"""Shared table: the noisy cells of one column whose noises share a radius with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..interactions.noisy_table import NoisyTable

__all__ = ["SharedTable"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedTable(NoisyTable):
    """Cells whose noise is the same in all directions that sum to 0, and uncorrelated with that of their sum.

    All cells are alike, so one variance for each of the two tells that of any question. Higher moments come from draws.
    """

    contrast: float
    """Variance of the noise along a direction of length 1 that sums to 0."""
    total: float
    """Variance of the noise of the sum."""
    make_draws: Callable[[], Floats]
    """Noise of all cells, one line a draw: of the law itself, and of no table."""

    @property
    def fitted(self) -> Floats:
        """The cells have the number of rows that is known to be right, where one is."""
        return self.numbers

    @cached_property
    def draws(self) -> Floats:
        """Made when first needed."""
        return self.make_draws().reshape(-1, *self.numbers.shape)

    def noise(self, coefficients: Floats) -> Floats:
        """Draws of the noise of a question."""
        flat = self.draws.reshape(len(self.draws), -1)
        return np.asarray(flat @ coefficients.reshape(-1))

    def joint(self, order: int, coefficients: Floats, power: int = 0) -> Floats:
        cells, lean = max(self.numbers.size, 1), float(coefficients.sum())
        if order == 2:
            rows = lean / cells if power == 1 else 1.0
            if power:
                return np.asarray(self.total * rows)
            within = float((coefficients**2).sum()) - lean**2 / cells
            return np.asarray(self.contrast * max(within, 0.0) + self.total * (lean / cells) ** 2)
        return np.asarray(self._fourth(coefficients, power))

    def _fourth(self, coefficients: Floats, power: int) -> float:
        """Joint fourth cumulant of a question, 4 - power times, and of the sum, from the draws."""
        noise, rows = self.noise(coefficients), self.noise(np.ones(self.numbers.shape))
        a, b, c = (noise**2).mean(), (noise * rows).mean(), (rows**2).mean()
        normal = [3 * a * a, 3 * a * b, a * c + 2 * b * b, 3 * b * c, 3 * c * c][power]
        return float((noise ** (4 - power) * rows**power).mean() - normal)

    def joints(self, order: int, axes: int, rest: Floats) -> list[Floats]:
        """All values are treated alike, so one cell speaks for all."""
        first_cell = np.zeros(self.numbers.shape)
        first_cell[(0,) * axes] = rest
        return [np.full(self.numbers.shape[:axes], self.joint(order, first_cell, p)) for p in range(order + 1)]
