"""Sparse vector: one series of comparisons with a noisy threshold, and what stays secret of it."""

from __future__ import annotations

import os
from fractions import Fraction

from ...budget import Price
from ...errors import BadPlan, BadState
from ...words import readable
from .randomness import Randomness
from .samplers import laplace

__all__ = ["SparseVector", "sparse_vector_shares"]


class SparseVector:
    """One sparse-vector series: holds the noisy threshold and noise to come, so it never leaves the vault."""

    # Comparison noise is drawn this much at a time: one draw costs nearly as much as hundreds.
    BLOCK = 256

    def __init__(
        self, change: int, threshold: int | None, noise: Fraction, *, left: int, unpaid: int, each: Price
    ) -> None:
        self.change, self.threshold, self.noise = change, threshold, noise
        self.left, self.unpaid, self.each = left, unpaid, each
        self._drawn: list[int] = []
        self._process = os.getpid()

    @property
    def secret(self) -> int:
        """The noisy threshold; BadState where it was drawn by a process that is gone."""
        if self.threshold is None:
            raise BadState("this watch was open when the release was interrupted, and its threshold is gone with it")
        return self.threshold

    def draw(self, randomness: Randomness) -> int:
        """Fresh comparison noise: every draw is handed out once."""
        # A forked process has a copy of the threshold and of the noise; used in both, neither would be fresh.
        if os.getpid() != self._process:
            raise BadPlan("this watch belongs to the process that opened it; open one in this process")
        if not self._drawn:
            self._drawn = laplace(self.noise, self.BLOCK, randomness).tolist()
        return self._drawn.pop()

    def __repr__(self) -> str:
        return f"SparseVector(crossings left: {self.left}, noise {readable(self.noise)})"


def sparse_vector_shares(epsilon: Fraction, crossings: int) -> tuple[Fraction, Fraction]:
    """Epsilon for the threshold and for the comparisons, 1 : (2c)^(2/3): the least noise in their difference."""
    ratio = Fraction(round((2 * crossings) ** (2 / 3) * 2**20), 2**20)
    first = epsilon / (1 + ratio)
    return first, epsilon - first
