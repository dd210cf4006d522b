"""Edges: what all statistics of a graph's edges share, which is how a row is read."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.vertex import Vertex
from .base import Statistic, Sums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EdgeStatistic"]


class EdgeStatistic(Statistic, ABC):
    """Sums over edges. Its totals begin with the number of rows, of which some are no edges."""

    def __init__(self, ends: tuple[Vertex, Vertex]) -> None:
        if not ends[0].same_as(ends[1]):
            raise ValueError("both ends of an edge have the same vertices")
        self.ends, self.vertices = ends, ends[0].count

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Those of the two ends."""
        return tuple(end.name for end in self.ends)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> NDArray[np.int64]:
        """Both ends of every row as numbers, the smaller first; -1 for rows that are no edges."""
        from ..vertex_codes import encode_edges

        return encode_edges(self.ends, batch)

    def rows(self, sums: Sums) -> int:
        """All rows, also those that are no edges."""
        return int(sums[0])
