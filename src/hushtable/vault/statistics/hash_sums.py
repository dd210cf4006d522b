"""Hash sums: every row adds its sign to one bucket, chosen by a keyed hash of its key."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...domain.attributes import Attribute
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.keys.sketches import Places, Sketch
from .base import Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HashSums"]


class HashSums(Statistic):
    """The number of rows, then the buckets of a sketch. Two groups, in this order.

    Whatever the hash does, one row moves one bucket by 1; so the sensitivity holds for every key, and the key may be
    published.
    """

    name: ClassVar[str] = "hash-sums"
    groups = 2

    def __init__(self, attributes: Sequence[Attribute], sketch: Sketch) -> None:
        self.attributes, self.sketch = tuple(attributes), sketch

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(attribute.name for attribute in self.attributes)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Places:
        """The bucket and the sign of every row."""
        from ..coding import read_keys

        return self.sketch.places(read_keys(self.attributes, batch))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(1 + self.sketch.width, dtype=np.int64)

    def accumulate(self, codes: Places) -> NDArray[np.int64]:
        """The number of rows, then the buckets."""
        return np.concatenate([[len(codes.buckets)], self.sketch.sums(codes)])

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every bucket."""
        index = np.ones(1 + self.sketch.width, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact. Replaced, a row leaves one bucket and enters another: 1 + 1 for either power.

        Signed, it may also turn its sign within one bucket, a change of 2, whose square is 4. Unsigned, a row that
        stays in its bucket changes nothing, so a single bucket is constant.
        """
        rows, bucket = weights
        if neighbours == "add-remove":
            return rows + bucket
        return bucket * self._moved**power if self.sketch.signed else 2 * bucket * (self.sketch.width > 1)

    @property
    def _moved(self) -> int:
        """The most that one replaced row changes a single bucket."""
        return 2 if self.sketch.signed else int(self.sketch.width > 1)

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""
        return 1 if neighbours == "add-remove" else self._moved
