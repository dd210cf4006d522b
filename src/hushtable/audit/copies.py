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

    def __init__(self, statistic: Statistic, times: int) -> None:
        self.statistic, self.times, self.groups = statistic, times, statistic.groups

    def columns(self, domain: Domain) -> tuple[str, ...]:
        return self.statistic.whole.columns(domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        return self.statistic.whole.read(batch, domain)

    def accumulate(self, codes: Any) -> Any:
        return self.statistic.whole.accumulate(codes)

    def zeros(self) -> Any:
        return self.statistic.whole.zeros()

    def to_coordinates(self, sums: Any) -> NDArray[np.int64]:
        """The coordinates of the statistic, again and again."""
        return np.tile(self.statistic.own_part(self.statistic.whole.to_coordinates(sums)), self.times)

    def rows(self, sums: Any) -> int:
        return self.statistic.whole.rows(sums)

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same for every copy."""
        scales = self.statistic.scales(law, per_group)
        return CoordinateNoise(law=law, table=scales.table, index=np.tile(scales.index, self.times))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """As often as there are copies."""
        return self.times * self.statistic.sensitivity(power=power, weights=weights, neighbours=neighbours)

    def largest_change(self, neighbours: Neighbours) -> int:
        return self.statistic.largest_change(neighbours)
