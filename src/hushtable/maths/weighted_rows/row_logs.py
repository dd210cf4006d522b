"""Row logs: how much the weights of rows differ between a model and its replicates, row by row or cell by cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import GroupedSet

__all__ = ["MOST_DIGITS", "MOST_LOG", "CellLogs", "RowLogs", "WeightLogs", "cell_logs", "row_logs"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# No logarithm is beyond MOST_LOG.
MOST_LOG = 8
# Logarithms of cells are kept in parts of 1 / 2^digits, with so many digits that a cell is known to half a row.
FEWEST_DIGITS, MOST_DIGITS, PARTS_OF_A_ROW = 3, 20, 2


class WeightLogs(ABC):
    """Logarithms of (new weight / weight), for every row that carries replicates and every replicate."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many replicates there are."""

    @abstractmethod
    def of_rows(self, codes: NDArray[np.uint16]) -> Floats:
        """Shape (rows, replicates), up to a constant each; `codes` are the rows' base groups."""


@dataclass(frozen=True, eq=False)
class RowLogs(WeightLogs):
    """One number a row and replicate, in parts of 1 / unit."""

    numbers: Integers
    """Shape (replicates, rows)."""
    unit: int

    @property
    def count(self) -> int:
        return len(self.numbers)

    def of_rows(self, codes: NDArray[np.uint16]) -> Floats:
        return np.asarray(self.numbers.T / self.unit)


@dataclass(frozen=True, eq=False)
class CellLogs(WeightLogs):
    """A row's is the sum over tables of its cell's number: raking changes weights cell by cell. So it is few numbers
    for many rows."""

    sets: tuple[GroupedSet, ...]
    """Tables of base groups."""
    digits: Integers
    """Of every cell of all tables."""
    numbers: Integers
    """Shape (replicates, cells of all tables), in parts of 1 / 2^digits."""

    @property
    def count(self) -> int:
        return len(self.numbers)

    def of_rows(self, codes: NDArray[np.uint16]) -> Floats:
        moves = np.ascontiguousarray(self.numbers.T.astype(np.float32) * np.float32(2.0) ** -self.digits[:, None])
        out, begin = np.zeros((codes.shape[1], self.count), dtype=np.float32), 0
        for grouped in self.sets:
            cell = np.zeros(codes.shape[1], dtype=np.intp)
            for member, groups, size in zip(grouped.members, grouped.maps, grouped.shape, strict=True):
                cell = cell * size + groups[codes[member]]
            out += moves[begin : begin + grouped.cells].take(cell, axis=0)
            begin += grouped.cells
        return out.astype(np.float64)


def row_logs(logs: Floats, unit: int) -> RowLogs:
    """From logarithms, shape (rows, replicates)."""
    return RowLogs(np.rint(np.clip(logs.T, -MOST_LOG, MOST_LOG) * unit).astype(np.int64), unit)


def cell_logs(sets: Sequence[GroupedSet], moves: Floats, counts: Floats) -> CellLogs:
    """From what raking has changed in theta, shape (cells, replicates), and the model's rows in each cell.

    Cells without rows do not matter. One that is all but empty may have many in a replicate.
    """
    most = counts * np.exp(np.clip(moves, 0.0, MOST_LOG).max(axis=1, initial=0.0))
    digits = np.clip(np.ceil(np.log2(np.maximum(PARTS_OF_A_ROW * most, 1.0))), FEWEST_DIGITS, MOST_DIGITS).astype(
        np.int64
    )
    kept = np.where(counts[:, None] > 0, np.clip(moves, -MOST_LOG, MOST_LOG), 0.0)
    return CellLogs(tuple(sets), digits, np.rint(kept.T * 2.0**digits).astype(np.int64))
