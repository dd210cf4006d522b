"""List sums: how many rows have a key of each of some lists."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...domain.attributes import Attribute
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ListSums"]

# Beyond this many kinds of keys their differences are bounded instead of compared pair by pair.
MOST_KINDS = 2000


class ListSums(Statistic):
    """The number of rows, then the count of each list. Two groups, in this order.

    `lists` has the keys of every list. A row adds 1 to each list that has its key.
    """

    name: ClassVar[str] = "list-sums"
    groups = 2

    def __init__(self, attributes: Sequence[Attribute], lists: Sequence[Sequence[bytes]]) -> None:
        self.attributes, self.count = tuple(attributes), len(lists)
        places: dict[bytes, list[int]] = {}
        for number, keys in enumerate(lists):
            for key in dict.fromkeys(keys):
                places.setdefault(key, []).append(number)
        self._places = places

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(attribute.name for attribute in self.attributes)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> pa.Array:
        """The keys of the rows."""
        from ..coding import read_keys

        return read_keys(self.attributes, batch)

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(1 + self.count, dtype=np.int64)

    def accumulate(self, codes: pa.Array) -> NDArray[np.int64]:
        """The number of rows, then the counts."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(list(self._places), pa.large_binary())
        places = np.asarray(pc.drop_null(pc.index_in(codes, known)), dtype=np.int64)
        each = np.bincount(places, minlength=len(known)).astype(np.int64)
        sums = self.zeros()
        sums[0] = len(codes)
        for count, numbers in zip(each.tolist(), self._places.values(), strict=True):
            if count:
                sums[1:][numbers] += count
        return sums

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every list."""
        index = np.ones(1 + self.count, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    @cached_property
    def _kinds(self) -> list[frozenset[int]]:
        """Which lists a key can be in; a key of the universe is in none, unless all keys are listed, which none can."""
        return [frozenset(), *{frozenset(numbers) for numbers in self._places.values()}]

    @cached_property
    def _farthest(self) -> int:
        """The most lists that two keys differ in; twice the most that one is in where the kinds are too many."""
        kinds = self._kinds
        if len(kinds) > MOST_KINDS:
            return 2 * max(map(len, kinds))
        return max((len(a ^ b) for i, a in enumerate(kinds) for b in kinds[:i]), default=0)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Every list changes by 0 or 1, so both powers count the lists that change."""
        rows, each = weights
        if neighbours == "add-remove":
            return rows + each * max(map(len, self._kinds))
        return each * self._farthest

    def largest_change(self, neighbours: Neighbours) -> int:
        """1, unless nothing is listed and rows are replaced."""
        return int(neighbours == "add-remove" or bool(self._places))
