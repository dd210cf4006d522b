"""Bucket errors: how far a sum of buckets of a sketch strays, learnt from the released buckets themselves."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..questions.answer import Floats, interval_factor

__all__ = ["BucketErrors"]

DRAWS = 65_536
# An empirical quantile needs some buckets beyond it; from there on it grows as a normal one does.
BEYOND = 10
# Sums of 2^12 buckets are normal enough.
TIERS = 12


class BucketErrors:
    """The law of the error of a list: that of a sum of as many buckets as it has values.

    What stands in a bucket that holds no value of the list is noise and collisions, drawn by the key of the hash; so
    the buckets are a sample of the error of one value, and sums of k buckets a sample of that of k. Collisions are
    rare and large: their standard deviation alone is too wide for most lists and too narrow for a few.
    """

    def __init__(self, residual: Floats, *, signed: bool) -> None:
        self._residual, self._signed = residual, signed

    @cached_property
    def _tiers(self) -> list[Floats]:
        """|sum of 2^i buckets| over its standard deviation, sorted; always the same draws, which protect nothing."""
        draw = np.random.default_rng(0)
        size = np.sqrt((self._residual**2).mean())
        sums = draw.choice(self._residual, DRAWS) / (size or 1.0)
        sums *= draw.choice([-1.0, 1.0], DRAWS) if self._signed else 1.0
        tiers = [np.sort(np.abs(sums))]
        for _ in range(TIERS):
            sums = (sums + draw.permutation(sums)) / np.sqrt(2.0)
            tiers.append(np.sort(np.abs(sums)))
        return tiers

    def reach(self, confidence: float, values: Floats) -> Floats:
        """Half width, in standard deviations, of the interval for a sum over so many buckets of equal weight."""
        normal = float(interval_factor(confidence))
        most = max(0.5, 1 - BEYOND / min(DRAWS, len(self._residual)))
        if confidence > most:
            return self.reach(most, values) * (normal / float(interval_factor(most)))
        factors = [float(tier[int(np.ceil(confidence * DRAWS)) - 1]) for tier in self._tiers]
        return np.interp(np.log2(np.maximum(values, 1.0)), np.arange(TIERS + 2), [*factors, normal])
