"""Row count: the number of rows alone, for where it is private and nothing else measured tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from .one_number import OneNumber

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RowCount"]


class RowCount(OneNumber):
    """One number. It changes by 1 when a row is added or removed, and not at all when one is replaced."""

    name: ClassVar[str] = "row-count"

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Any column will do."""
        return (domain.names[0],)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> NDArray[np.uint8]:
        """Nothing but how many rows there are."""
        return np.zeros((1, batch.num_rows), dtype=np.uint8)

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(1, dtype=np.int64)

    def accumulate(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The number of rows."""
        return np.array([codes.shape[1]], dtype=np.int64)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum is the coordinate."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def largest_change(self, neighbours: Neighbours) -> int:
        """1 or 0."""
        return int(neighbours == "add-remove")
