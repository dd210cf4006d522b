"""Noises: independent noises of one release, by number, and how much of each an answer has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Noises"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Noises:
    """Answers that are linear in released numbers: what two of them share follows from their weights alone."""

    numbers: NDArray[np.int64]
    """Which noises of the release, ascending, each once."""
    weights: Floats
    """What the answer moves by when a noise is one standard deviation: a line a noise, and a column a cell, if any."""
    kurtosis: float = 0.0
    """Excess kurtosis of a noise, at most: 0 for normal noise, 3 for Laplace's."""

    @classmethod
    def of(cls, numbers: NDArray[np.int64], weights: Floats, kurtosis: float = 0.0) -> Noises:
        """From numbers in any order."""
        order = np.argsort(numbers, kind="stable")
        return cls(numbers[order], weights[order], kurtosis)

    def mapped(self, change: Callable[[Floats], Floats]) -> Noises:
        """With other weights."""
        return replace(self, weights=change(self.weights))

    def plus(self, other: Noises) -> Noises:
        """Of a sum."""
        numbers = np.union1d(self.numbers, other.numbers)
        weights = np.zeros((len(numbers), *np.broadcast_shapes(self.weights.shape[1:], other.weights.shape[1:])))
        for part in (self, other):
            weights[np.searchsorted(numbers, part.numbers)] += part.weights
        return Noises(numbers, weights, max(self.kurtosis, other.kurtosis))

    def variance(self) -> Floats:
        """Of all together."""
        return np.asarray((self.weights**2).sum(axis=0))

    def fourth(self) -> Floats:
        """The fourth cumulant of all together, at most."""
        return np.asarray(self.kurtosis * (self.weights**4).sum(axis=0))
