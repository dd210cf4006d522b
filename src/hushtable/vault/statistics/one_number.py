"""One number: what statistics of a single coordinate share."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Statistic

__all__ = ["OneNumber"]


class OneNumber(Statistic):
    """A single coordinate, so that its largest change says everything about its sensitivity."""

    groups = 1

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """One number, one scale."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=np.zeros(1, dtype=np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: the largest change, to the power."""
        (weight,) = weights
        return weight * Fraction(self.largest_change(neighbours) ** power)
