"""Edge degrees: how many edges a graph has, and how many each vertex has."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Sums
from .edges import EdgeStatistic

__all__ = ["EdgeDegrees"]


class EdgeDegrees(EdgeStatistic):
    """The number of edges, then the degree of every vertex. Two groups, in this order.

    A row that is an edge adds 1 to the first number and 1 to the degrees of its two ends; other rows add nothing.
    """

    name: ClassVar[str] = "edge-degrees"
    groups = 2

    def zeros(self) -> Sums:
        """Rows, edges, degrees."""
        return np.zeros(2 + self.vertices, dtype=np.int64)

    def accumulate(self, codes: NDArray[np.int64]) -> Sums:
        """The number of rows, of edges, and the degrees."""
        ends = codes[:, codes[0] >= 0]
        degrees = np.bincount(ends.ravel(), minlength=self.vertices)
        return np.concatenate([[codes.shape[1], ends.shape[1]], degrees]).astype(np.int64)

    def to_coordinates(self, sums: Sums) -> Sums:
        """All but the number of rows."""
        return sums[1:]

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every degree."""
        index = np.ones(1 + self.vertices, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Every coordinate changes by 0 or 1, so both powers count those that change.

        One row more or less: the number of edges and two degrees, so that the degrees have L1 = 2 and L2 = sqrt(2).
        One row replaced: by one that is no edge, the same; by another edge, the degrees of all ends that they do not
        share, which are 4 of four vertices or more (L1 = 4, L2 = 2), 2 of three and none of two.
        """
        edges, each = weights
        apart = {2: 0, 3: 2}.get(self.vertices, 4)
        return edges + 2 * each if neighbours == "add-remove" else max(edges + 2 * each, apart * each)

    def largest_change(self, neighbours: Neighbours) -> int:
        """1: a vertex is one end of an edge at most."""
        return 1
