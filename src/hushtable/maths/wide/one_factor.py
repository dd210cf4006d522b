"""One factor: public reference tables whose columns lean on one hidden number, from not at all to nearly equal.

What the guess of a wide question misses depends on how strongly columns depend on each other. These tables have the
chances of the conditions that were released, and one strength of dependence: each condition is likelier where a hidden
normal number is high, so that any two have that (tetrachoric) correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from .symmetric import Bits, assisted, sets_of
from .tilted import independent_law

__all__ = ["OneFactor"]

Floats = NDArray[np.float64]
# Values of the hidden number; more change no answer by more than 1e-4.
NODES = 21
# Chances nearer to 0 or 1 are taken for these, so that every condition has a normal threshold.
SURE = 1e-4


@dataclass(frozen=True, eq=False)
class OneFactor:
    """The rows that one question sees: the chances of its conditions, and how strongly these depend."""

    chances: Floats
    strength: float

    @cached_property
    def _given(self) -> Floats:
        """The chance of every condition, given the hidden number: one line a node."""
        from scipy.special import ndtr, ndtri

        thresholds = ndtri(np.clip(self.chances, SURE, 1 - SURE))
        lean = np.sqrt(self.strength) * _nodes()[0][:, None]
        return np.asarray(ndtr((thresholds + lean) / np.sqrt(1 - self.strength)))

    def truth(self, values: Floats) -> float:
        """The share of rows for which the question is true."""
        return float(sum(w * (independent_law(p) @ values) for w, p in zip(_nodes()[1], self._given, strict=True)))

    def guess(self, values: Floats, noise: Floats, source: np.random.Generator) -> float:
        """What a release would guess whose mean of a product of i centred bits has noise of deviation `noise[i]`."""
        k = len(self.chances)
        numbers, variances = [np.ones(1)], [np.zeros(1)]
        for size in range(1, min(len(noise) - 1, k) + 1):
            sets = sets_of(k, size)
            product = np.ones((NODES, len(sets)))
            for member in sets.T:
                product *= self._given[:, member] - 0.5
            drawn = noise[size] * source.standard_normal(len(sets))
            numbers.append(_nodes()[1] @ product + drawn)
            variances.append(np.full(len(sets), noise[size] ** 2))
        found = assisted(Bits(np.full(k, 0.5), tuple(numbers), tuple(variances)), values)
        return min(max(found.value, 0.0), 1.0)


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Gauss and Hermite's: values of a normal number and their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()
