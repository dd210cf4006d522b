"""What statistics of real columns share: reading rows as numbers on [-1, 1] and as cells of categories."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Binned
from ...errors import BadData
from ...maths.smooth.axes import Axis, Block
from .base import Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RealRows", "RealStatistic"]

# Sums stay below this, and so do draws of noise, so that their total fits 64 bits.
ROOM = 2**62


@dataclass(frozen=True)
class RealRows:
    """Some rows: scaled numbers, shape (distinct axes, rows), NaN where missing, and the cell of each row."""

    x: NDArray[np.float64]
    cells: NDArray[np.int64]


class RealStatistic(Statistic, ABC):
    """Sums of whole numbers that depend on real columns; a row has at most `unit` in any coordinate."""

    unit: int

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        self.by = self.blocks[0].by

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The distinct axes of all blocks."""
        return tuple(dict.fromkeys(axis for block in self.blocks for axis in block.axes))

    @cached_property
    def chosen(self) -> list[list[int]]:
        """For each block, which of the distinct axes it has."""
        return [[self.axes.index(axis) for axis in block.axes] for block in self.blocks]

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The real columns, each once, then the categories."""
        return (*dict.fromkeys(axis.name for axis in self.axes), *(a.name for a in self.by))

    def read(self, batch: pa.RecordBatch, domain: Domain) -> RealRows:
        """Numbers as `real_numbers` reads them, categories as `encode` does."""
        from ..coding import encode, real_numbers

        attributes = {a.name: a for a in domain.closed}
        numbers = {
            name: real_numbers(cast(Binned, attributes[name]), batch.column(i))
            for i, name in enumerate(self.columns(domain)[: len({axis.name for axis in self.axes})])
        }
        cells = np.zeros(batch.num_rows, dtype=np.int64)
        for i, attribute in enumerate(self.by, start=len(numbers)):
            cells = cells * attribute.size + encode(attribute, batch.column(i))
        x = [axis.scaled(numbers[axis.name]) for axis in self.axes]
        return RealRows(np.array(x).reshape(len(x), batch.num_rows), cells)

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def check_room(self, sums: NDArray[np.int64]) -> None:
        """BadData when so many rows were read that a sum may have left 64 bits: far more than the plan said."""
        if int(sums[0]) * self.unit >= ROOM:
            raise BadData(
                "the table has far more rows than the plan was made for; plan again with about how many there are "
                "(rows); nothing was spent"
            )
