"""Distinct rows: which rows of codes occur, and how often; exact, so they never leave the vault."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..maths.keys.keys import byte_lines
from .coding import empty_codes
from .statistics.base import Codes, Statistic, Sums

__all__ = ["DistinctRows", "EveryRow"]

# Blocks are merged when this many rows wait, or as many as are merged already, whichever is more.
WAITING = 1 << 20


class DistinctRows:
    """Rows as bytes, each once, and how often they occur; those of two blocks add up to those of both."""

    def __init__(self, codes: Codes, counts: Sums | None = None) -> None:
        self._height, self._dtype = len(codes), codes.dtype
        times = np.ones(codes.shape[1], dtype=np.int64) if counts is None else counts
        self._merged = _merged(_as_rows(codes), times)
        self._waiting: list[tuple[NDArray[np.void], Sums]] = []

    def __iadd__(self, other: DistinctRows) -> DistinctRows:
        self._waiting += [other._merged, *other._waiting]
        if sum(len(rows) for rows, _ in self._waiting) > max(WAITING, len(self._merged[0])):
            self._all()
        return self

    def _all(self) -> tuple[NDArray[np.void], Sums]:
        if self._waiting:
            parts, self._waiting = [self._merged, *self._waiting], []
            rows, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
            self._merged = _merged(rows, counts)
        return self._merged

    def codes(self) -> tuple[Codes, Sums]:
        """Codes of the rows, one line an attribute, and their counts."""
        rows, counts = self._all()
        return np.ascontiguousarray(rows.view(self._dtype).reshape(len(rows), self._height).T), counts

    def keyed(self) -> tuple[pa.Array, None, Sums]:
        """Rows as bytes and their counts: how they travel between machines."""
        rows, counts = self._all()
        return byte_lines(rows.view(np.uint8).reshape(len(rows), -1)), None, counts

    def add_keyed(self, keys: pa.Array, values: pa.Array, counts: Sums) -> None:
        """Adds such a piece."""
        flat = np.frombuffer(b"".join(keys.to_pylist()), dtype=self._dtype)
        self += DistinctRows(np.ascontiguousarray(flat.reshape(len(keys), self._height).T), counts)


class EveryRow:
    """Its coordinates are the rows that occur, and those are private themselves: only a curator holds it."""

    name: ClassVar[str] = "every-row"
    columns, read = Statistic.columns, Statistic.read

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes

    def zeros(self) -> DistinctRows:
        """No rows."""
        return DistinctRows(empty_codes(self.sizes))

    def accumulate(self, codes: Codes) -> DistinctRows:
        """The rows of one block."""
        rows = empty_codes(self.sizes, codes.shape[1])
        rows[:] = codes
        return DistinctRows(rows)


def _as_rows(codes: Codes) -> NDArray[np.void]:
    """Each row as one value that can be compared as a whole."""
    rows = np.ascontiguousarray(codes.T)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def _merged(rows: NDArray[np.void], counts: Sums) -> tuple[NDArray[np.void], Sums]:
    kept, place = np.unique(rows, return_inverse=True)
    return kept, np.bincount(place, weights=counts, minlength=len(kept)).astype(np.int64)
