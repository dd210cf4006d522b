"""Decided counts: for each of some inputs, the number of lists that decide 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...domain.decision_list import DecisionList
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Codes, Statistic, Sums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DecidedCounts"]


class DecidedCounts(Statistic):
    """One count an input, all of them one block, whose distance from public counts may be told.

    A list decides 0 or 1 at every input, so that adding, removing or replacing one changes each count by at most 1;
    a list without rules whose default is turned changes them all.
    """

    name: ClassVar[str] = "decided-counts"
    groups = 1

    def __init__(self, attribute: DecisionList, queries: NDArray[np.bool_]) -> None:
        self.attribute, self.queries = attribute, queries

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The one column of lists."""
        return (self.attribute.name,)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Codes:
        """Lists as `encode_long_rules` writes them."""
        from ..coding import encode_long_rules

        return encode_long_rules(self.attribute, batch.column(0))

    def zeros(self) -> Sums:
        """The sums over no rows."""
        return np.zeros(1 + len(self.queries), dtype=np.int64)

    def accumulate(self, codes: Codes) -> Sums:
        """The number of rows, then how many decide 1 at each input."""
        from .long_list_kernel import decided

        out = self.zeros()
        out[0] = codes.shape[1]
        decided(np.ascontiguousarray(codes), self.queries.astype(np.int64), out[1:])
        return out

    def to_coordinates(self, sums: Sums) -> Sums:
        """The counts alone."""
        return sums[1:]

    def rows(self, sums: Sums) -> int:
        """Kept before the counts."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every count."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=np.zeros(len(self.queries), dtype=np.int32))

    def block_starts(self) -> Sums:
        """One block."""
        return np.array([0, len(self.queries)], dtype=np.int64)

    def block_change(self, neighbours: Neighbours) -> int:
        """Every count by 1."""
        return len(self.queries)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: every count by 1."""
        (weight,) = weights
        return weight * len(self.queries)

    def largest_change(self, neighbours: Neighbours) -> int:
        """1."""
        return 1
