"""ListedQueries: any list of queries with weights on the cells of their attribute sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Counts, LinearClass, Values

__all__ = ["ListedQueries"]

# Entries worked on at a time: the products of a chunk stay in the cache.
CHUNK = 1 << 18


class ListedQueries(LinearClass):
    """One coordinate a candidate, in the order given. Only the weights that are not 0 are kept.

    set_numbers  which of `sets` each query looks at
    entries      entries[q] is the first weight of query q; one more entry marks the end
    places       for every weight its cell within the table of the query's set
    weights      whole numbers from 1 to `grid`
    """

    def __init__(
        self,
        sizes: Sequence[int],
        sets: Sequence[Sequence[int]],
        *,
        set_numbers: NDArray[np.integer],
        entries: NDArray[np.integer],
        places: NDArray[np.integer],
        weights: NDArray[np.integer],
        grid: int = 1,
    ) -> None:
        super().__init__(sizes, sets)
        self.grid = grid
        self._set_numbers = np.asarray(set_numbers, dtype=np.int64)
        self._entries = np.asarray(entries, dtype=np.int64)
        self.starts = np.arange(len(self._set_numbers) + 1, dtype=np.int64)
        counts = np.diff(self._entries)
        if not len(counts) or counts.min() < 1 or not 1 <= int(weights.min()) <= int(weights.max()) <= grid < 1 << 16:
            raise ValueError(f"every query needs a weight, and weights are whole numbers from 1 to {grid} < 65536")
        first = self.cell_starts[self._set_numbers]
        room = np.diff(self.cell_starts)[self._set_numbers]
        if places.min() < 0 or (np.maximum.reduceat(places, self._entries[:-1]) >= room).any():
            raise ValueError("a weight lies outside the table of its set")
        # The cap on cells keeps every place below 2^31.
        self._cells = (np.repeat(first, counts) + places).astype(np.int32)
        self._weights = np.asarray(weights, dtype=np.uint8 if grid < 256 else np.uint16)

    @classmethod
    def of(
        cls, sizes: Sequence[int], queries: Iterable[tuple[Sequence[int], NDArray[Any]]], *, grid: int = 1
    ) -> ListedQueries:
        """From pairs (members of the set, weights of all its cells in C order); sets are found and ordered."""
        number_of: dict[tuple[int, ...], int] = {}
        numbers, places, weights = [], [], []
        for members, function in queries:
            flat = np.ravel(function)
            numbers.append(number_of.setdefault(tuple(members), len(number_of)))
            places.append(np.flatnonzero(flat).astype(np.int32))
            weights.append(flat[places[-1]].astype(np.uint16))
        # Sets that share their last members stand together: their kernel builds shared codes once.
        ordered = sorted(number_of, key=lambda members: members[::-1])
        rank = np.empty(len(number_of), dtype=np.int64)
        rank[[number_of[members] for members in ordered]] = np.arange(len(number_of))
        return cls(
            sizes,
            ordered,
            set_numbers=rank[numbers],
            entries=np.cumsum([0, *map(len, places)]),
            places=np.concatenate(places),
            weights=np.concatenate(weights),
            grid=grid,
        )

    def set_of(self, candidate: int) -> int:
        return int(self._set_numbers[candidate])

    def functions(self, candidate: int) -> Counts:
        """The weights of one query, zeros filled in."""
        cells, mine = self.cells_of(candidate), slice(*self._entries[candidate : candidate + 2])
        row = np.zeros((1, cells.stop - cells.start), dtype=np.int64)
        row[0, self._cells[mine] - cells.start] = self._weights[mine]
        return row

    def apply(self, cells: Values) -> Values:
        """Weighted sums of cells, a chunk of queries at a time."""
        out = np.empty(len(self), dtype=cells.dtype)
        for first, last in self._chunks():
            mine = slice(self._entries[first], self._entries[last])
            products = cells[self._cells[mine]] * self._weights[mine]
            out[first:last] = np.add.reduceat(products, self._entries[first:last] - self._entries[first])
        return out

    def _chunks(self) -> Iterator[tuple[int, int]]:
        """Runs of queries with about CHUNK weights, at least one query each."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self._entries, self._entries[first] + CHUNK, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last

    def ranges(self) -> tuple[Counts, Counts]:
        """A query with fewer weights than cells is 0 somewhere."""
        begin = self._entries[:-1]
        low = np.minimum.reduceat(self._weights, begin).astype(np.int64)
        everywhere = np.diff(self._entries) == np.diff(self.cell_starts)[self._set_numbers]
        return np.where(everywhere, low, 0), np.maximum.reduceat(self._weights, begin).astype(np.int64)

    def norms(self, power: int) -> Counts:
        out = np.zeros(int(self.cell_starts[-1]), dtype=np.int64)
        np.add.at(out, self._cells, self._weights.astype(np.int64) ** power)
        return out
