"""Part: some neighbouring coordinates of another statistic, priced by what one row can change in them alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Codes, Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Part"]

Sums = NDArray[np.int64]


class Part(Statistic):
    """Coordinates [start, stop) of `whole`. Its sums are those of `whole`, so no row is read again for it.

    added     by how much each coordinate that changes does, in the worst case, when a row is added or removed
    replaced  the same when a row is replaced
    One group: its scale is the noise of every coordinate itself, whatever the groups of `whole` measure in.
    """

    name: ClassVar[str] = "part"

    def __init__(
        self,
        whole: Statistic,
        start: int,
        stop: int,
        *,
        added: tuple[int, ...],
        replaced: tuple[int, ...],
    ) -> None:
        self._whole, self.start, self.stop, self.groups = whole, start, stop, 1
        self._changes = {"add-remove": added, "replace": replaced}

    @property
    def whole(self) -> Statistic:
        """The statistic it is cut from."""
        return self._whole

    def own_part(self, finished: Sums) -> Sums:
        """A view, not a copy."""
        return finished[self.start : self.stop]

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Those of the whole."""
        return self.whole.columns(domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """As the whole reads it."""
        return self.whole.read(batch, domain)

    def zeros(self) -> Sums:
        """The whole's sum over no rows."""
        return self.whole.zeros()

    def accumulate(self, codes: Codes) -> Sums:
        """The sums of the whole."""
        return self.whole.accumulate(codes)

    def to_coordinates(self, sums: Sums) -> Sums:
        """From the sums of the whole to the coordinates of the part."""
        return self.own_part(self.whole.to_coordinates(sums))

    def rows(self, sums: Sums) -> int:
        """The number of rows that went into the sums of the whole."""
        return self.whole.rows(sums)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every coordinate."""
        (scale,) = per_group
        return CoordinateNoise(law=law, table=(scale,), index=np.zeros(self.stop - self.start, dtype=np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: one worst pair of rows is the worst for either power."""
        (weight,) = weights
        moved: int = sum(change**power for change in self._changes[neighbours])
        return weight * moved

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""
        return max(self._changes[neighbours], default=0)

    @classmethod
    def table(cls, whole: Statistic, start: int, stop: int) -> Part:
        """The cells of one contingency table: a row is in one of them, so replacing it moves 1 between two."""
        return cls(whole, start, stop, added=(1,), replaced=(1, 1) if stop - start > 1 else ())
