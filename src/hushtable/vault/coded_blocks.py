"""Coded blocks: the codes of all rows in memory, where they fit, so that a later pass reads nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from .statistics.base import Codes, Statistic, T, Total, add_up

__all__ = ["CodedBlocks"]

# Bytes that codes may take: 25 million rows of 20 columns with at most 256 values.
MOST_BYTES = 500_000_000


class CodedBlocks:
    """Codes of blocks of rows, one array a block. Never leaves the vault."""

    def __init__(self) -> None:
        self._blocks: list[Codes] = []
        self._bytes, self.complete = 0, True

    @classmethod
    def room_for(cls, rows: int, domain: Domain) -> CodedBlocks | None:
        """Empty ones, or None where so many rows would take too much memory."""
        width = 1 if max(domain.sizes, default=0) <= 256 else 2
        return cls() if rows * len(domain.closed) * width <= MOST_BYTES else None

    @staticmethod
    def serves(wanted: Total[T], domain: Domain) -> bool:
        """Whether codes are all that it reads."""
        kind = type(wanted)
        return kind.read is Statistic.read and kind.columns is Statistic.columns

    def add(self, codes: Codes) -> None:
        """One more block."""
        self._blocks.append(codes)

    def add_if_room(self, codes: Codes) -> None:
        """One more block, or no longer any: then they are not `complete`."""
        self._bytes += codes.nbytes
        self.complete = self._bytes <= MOST_BYTES
        if self.complete:
            self._blocks.append(codes)
        else:
            self._blocks.clear()

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Drops all other rows."""
        start = 0
        for number, block in enumerate(self._blocks):
            mask = rows[start : start + block.shape[1]]
            start += block.shape[1]
            if not mask.all():
                few = np.empty((len(block), int(mask.sum())), dtype=block.dtype)
                for codes, every in zip(few, block, strict=True):
                    np.compress(mask, every, out=codes)
                self._blocks[number] = few

    def total(self, wanted: Total[T]) -> T:
        """The total over all rows."""
        return add_up(wanted, map(wanted.accumulate, self._blocks))
