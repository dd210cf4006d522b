"""List counts: how many rows have one of some keys, for lists that come one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadPlan
from .base import Sums
from .one_number import OneNumber

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ListCount"]


class ListCount(OneNumber):
    """One number: the sum over rows of the whole-number weight of the row's key, 0 for keys that are not listed."""

    name: ClassVar[str] = "list-count"

    def __init__(self, attributes: Sequence[Attribute], weights: Mapping[bytes, int]) -> None:
        if any(weight < 0 for weight in weights.values()):
            raise BadPlan("the weights of a list are not negative")
        self.attributes, self.weights = tuple(attributes), dict(weights)

    @property
    def keys(self) -> pa.Array:
        """The keys of the list, in its order."""
        import pyarrow as pa

        return pa.array(list(self.weights), pa.large_binary())

    def weighed(self, counts: NDArray[np.int64], rows: int) -> Sums:
        """Its sums over so many rows, from how often each of `keys` is among them."""
        weights = np.array(list(self.weights.values()), dtype=np.int64)
        return np.array([counts @ weights, rows], dtype=np.int64)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(attribute.name for attribute in self.attributes)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> pa.Array:
        """The keys of the rows."""
        from ..coding import read_keys

        return read_keys(self.attributes, batch)

    def zeros(self) -> Sums:
        return np.zeros(2, dtype=np.int64)

    def accumulate(self, codes: pa.Array) -> Sums:
        """The sum of weights over one block of keys, and how many rows it has."""
        import pyarrow.compute as pc

        places = np.asarray(pc.drop_null(pc.index_in(codes, self.keys)), dtype=np.int64)
        return self.weighed(np.bincount(places, minlength=len(self.weights)), len(codes))

    def to_coordinates(self, sums: Sums) -> Sums:
        """The sum of weights alone."""
        return sums[:1]

    def rows(self, sums: Sums) -> int:
        """Kept beside the sum."""
        return int(sums[1])

    def largest_change(self, neighbours: Neighbours) -> int:
        """The largest weight."""
        return max(self.weights.values(), default=0)
