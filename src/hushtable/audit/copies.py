"""Copies: one statistic many times over, so that one measurement is many independent releases of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..budget import Neighbours
from ..domain import Domain
from ..laws import Law
from ..maths.interactions.layout import CoordinateNoise
from ..vault.statistics import Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Copies"]


class Copies(Statistic):
    """Every coordinate `times` times; each copy gets noise of its own from the same door."""

    name: ClassVar[str] = "copies"

    def __init__(self, one: Statistic, times: int) -> None:
        self.one, self.times, self.groups = one, times, one.groups

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Those of the one."""
        return self.one.whole.columns(domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """As the one does."""
        return self.one.whole.read(batch, domain)

    def accumulate(self, codes: Any) -> Any:
        """Summed once."""
        return self.one.whole.accumulate(codes)

    def zeros(self) -> Any:
        """The sum over no rows."""
        return self.one.whole.zeros()

    def to_coordinates(self, sums: Any) -> NDArray[np.int64]:
        """The coordinates of the one, again and again."""
        return np.tile(self.one.own_part(self.one.whole.to_coordinates(sums)), self.times)

    def rows(self, sums: Any) -> int:
        """The number of rows."""
        return self.one.whole.rows(sums)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same for every copy."""
        scales = self.one.scales(law, per_group)
        return CoordinateNoise(law=law, table=scales.table, index=np.tile(scales.index, self.times))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """As often as there are copies."""
        return self.times * self.one.sensitivity(power=power, weights=weights, neighbours=neighbours)

    def largest_change(self, neighbours: Neighbours) -> int:
        """That of the one."""
        return self.one.largest_change(neighbours)
