"""Edge pairs: how many edges every pair of vertices has."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.graphs.pairs import pair_count, pair_numbers
from ...maths.interactions.layout import CoordinateNoise
from .base import Sums
from .edges import EdgeStatistic

__all__ = ["VertexPairs"]


class VertexPairs(EdgeStatistic):
    """One number a pair of vertices, in the order of `pair_numbers`. A repeated edge counts as often as it is there."""

    name: ClassVar[str] = "edge-pairs"
    groups = 1

    def zeros(self) -> Sums:
        """Rows, then pairs."""
        return np.zeros(1 + pair_count(self.vertices), dtype=np.int64)

    def accumulate(self, codes: NDArray[np.int64]) -> Sums:
        """The number of rows, then how many of them join each pair."""
        ends, sums = codes[:, codes[0] >= 0], self.zeros()
        sums[0] = codes.shape[1]
        np.add.at(sums, 1 + pair_numbers(ends[0], ends[1]), 1)
        return sums

    def to_coordinates(self, sums: Sums) -> Sums:
        """All but the number of rows."""
        return sums[1:]

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every pair."""
        index = np.zeros(pair_count(self.vertices), dtype=np.int32)
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """One row more or less changes one pair by 1; one replaced by another edge, two, where there are two pairs."""
        return weights[0] * min(touched(neighbours), pair_count(self.vertices))

    def largest_change(self, neighbours: Neighbours) -> int:
        """1."""
        return 1
