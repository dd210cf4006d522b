"""Held rows: the distinct rows of a table in memory, each with how often it occurs, to be asked all the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from .distinct_rows import EveryRow
from .sources import Progress, Source
from .statistics import OneQuestion
from .statistics.base import Additive, Codes, Sums, T, Total, add_up

__all__ = ["HeldRows"]

# Repeated rows are handed to other statistics this many at a time.
BLOCK = 1 << 20
# Cells of exact tables kept for the next question about the same attributes.
MOST_CELLS = 1 << 22


class HeldRows:
    """Codes of the distinct rows (one line an attribute) and their counts. Never leaves the vault."""

    def __init__(self, sizes: tuple[int, ...], codes: Codes, counts: Sums) -> None:
        self._sizes, self._codes, self._counts = sizes, codes, counts
        self._rows = int(counts.sum())
        self._tables: dict[tuple[int, ...], NDArray[np.float64]] = {}
        self._cells = 0

    @classmethod
    def read(cls, source: Source, domain: Domain, progress: Progress | None = None) -> HeldRows:
        """Reads all rows once; BadData when one does not fit the domain."""
        return cls(domain.sizes, *source.total(EveryRow(domain.sizes), domain, progress).codes())

    def total(self, wanted: Total[T], /) -> T:
        """The total over all rows, of what is read from codes. One question takes microseconds, others a pass."""
        return add_up(wanted, self._totals(wanted))

    def _totals(self, wanted: Total[Additive]) -> Iterable[object]:
        if isinstance(wanted, OneQuestion):
            # Counts are whole numbers far below 2^53, which sums of floats keep exactly.
            true = float(self._table(wanted.positions)[wanted.true].sum())
            return [np.array([round(true), self._rows], dtype=np.int64)]
        return map(wanted.accumulate, self._blocks())

    def _blocks(self) -> Iterator[Codes]:
        """All rows, each as often as it occurs."""
        ends = np.cumsum(self._counts)
        for first in range(0, self._rows, BLOCK):
            places = np.arange(first, min(first + BLOCK, self._rows))
            yield self._codes[:, np.searchsorted(ends, places, side="right")]

    def _table(self, positions: tuple[int, ...]) -> NDArray[np.float64]:
        """The exact contingency table of these attributes, flat, remembered."""
        known = self._tables.get(positions)
        if known is not None:
            return known
        own = tuple(self._sizes[p] for p in positions)
        cells = np.zeros(self._codes.shape[1], dtype=np.int64)
        for position, size in zip(positions, own, strict=True):
            cells = cells * size + self._codes[position]
        table = np.bincount(cells, weights=self._counts, minlength=prod(own)).astype(np.float64)
        if self._cells + len(table) > MOST_CELLS:
            self._tables.clear()
            self._cells = 0
        self._tables[positions] = table
        self._cells += len(table)
        return table
