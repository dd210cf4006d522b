"""Projected sums: every row adds the signs of its key to all coordinates of a projection."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...domain import Domain
from ...domain.attributes import Attribute
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.keys.projection import Projection
from .base import Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ProjectedSums"]


class ProjectedSums(Statistic):
    """The number of rows, then the coordinates of a projection. Two groups, in this order.

    Whatever the signs are, one row adds 1 or -1 to every coordinate; so the sensitivity holds for every key, also for
    one whose signs are not independent, and the key may be published.
    """

    name: ClassVar[str] = "projected-sums"
    groups = 2

    def __init__(self, attributes: Sequence[Attribute], projection: Projection) -> None:
        self.attributes, self.projection = tuple(attributes), projection

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(attribute.name for attribute in self.attributes)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> NDArray[np.uint64]:
        """Where the key of every row stands."""
        from ..coding import read_keys

        return self.projection.digests(read_keys(self.attributes, batch))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(1 + self.projection.height, dtype=np.int64)

    def accumulate(self, codes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of rows, then the coordinates."""
        points, counts = np.unique(codes, return_counts=True)
        return np.concatenate([[len(codes)], self.projection.sums(points, counts.astype(np.int64))])

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every coordinate."""
        index = np.ones(1 + self.projection.height, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """A row has 1 or -1 in every coordinate, exactly; a replaced one turns some of these, at most all, by 2.

        The source has the former only [BluR11, Thm. 4.5]. Two keys whose signs are all opposite are not likely, but
        nothing forbids them.
        """
        rows, coordinate = weights
        height = self.projection.height
        return rows + coordinate * height if neighbours == "add-remove" else coordinate * height * 2**power

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""
        return touched(neighbours)
