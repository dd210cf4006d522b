"""List counts: how many rows have one of some keys, for lists that come one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadPlan
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ..key_counts import Counts, KeyCounts
from .base import Statistic
from .one_number import OneNumber

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KeyTotals", "ListCount"]


class KeyTotals(Statistic):
    """The exact counts of all keys, read once, so that lists can be summed from them. Never measured itself."""

    name: ClassVar[str] = "key-totals"
    groups = 0

    def __init__(self, attributes: Sequence[Attribute], secret: bytes) -> None:
        self.source = KeyCounts(attributes, secret)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return self.source.columns(domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """The keys of the rows."""
        return self.source.read(batch, domain)

    def zeros(self) -> Any:
        """The counts of no rows."""
        return self.source.zeros()

    def accumulate(self, codes: Any) -> Any:
        """The counts of one block of rows."""
        return self.source.accumulate(codes)

    def to_coordinates(self, sums: Any) -> Any:
        """The counts, as they are."""
        return sums

    def rows(self, sums: Any) -> int:
        """The number of rows that were counted."""
        return cast(Counts, sums).rows()

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """None: it must not be measured."""
        raise BadPlan("the counts of all keys are not measured; sum a list of them")

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """See `scales`."""
        raise BadPlan("the counts of all keys are not measured; sum a list of them")

    def largest_change(self, neighbours: Neighbours) -> int:
        """See `scales`."""
        raise BadPlan("the counts of all keys are not measured; sum a list of them")


class ListCount(OneNumber):
    """One number: the sum over rows of the whole-number weight of the row's key, 0 for keys that are not listed."""

    name: ClassVar[str] = "list-count"

    def __init__(self, totals: KeyTotals, weights: Mapping[bytes, int]) -> None:
        if any(weight < 0 for weight in weights.values()):
            raise BadPlan("the weights of a list are not negative")
        self.totals, self.weights = totals, dict(weights)

    @property
    def whole(self) -> Statistic:
        """Read once for all lists."""
        return self.totals

    def own_part(self, finished: Any) -> NDArray[np.int64]:
        """The sum over the list."""
        import pyarrow as pa

        keys = pa.array(list(self.weights), pa.large_binary())
        counts = cast(Counts, finished).look_up(*self.totals.source.hashed(keys))
        weights = np.array(list(self.weights.values()), dtype=np.int64)
        return np.array([int(counts @ weights)], dtype=np.int64)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return self.totals.columns(domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """The keys of the rows."""
        return self.totals.read(batch, domain)

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(1, dtype=np.int64)

    def accumulate(self, codes: Any) -> NDArray[np.int64]:
        """The sum over one block of rows."""
        return self.own_part(self.totals.accumulate(codes))

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum is the coordinate."""
        return sums

    def rows(self, sums: Any) -> int:
        """The number of rows behind the counts it is read from."""
        return self.totals.rows(sums)

    def largest_change(self, neighbours: Neighbours) -> int:
        """The largest weight."""
        return max(self.weights.values(), default=0)
