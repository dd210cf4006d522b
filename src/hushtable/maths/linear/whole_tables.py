"""WholeTables: every candidate is the whole contingency table of one attribute set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import TooLarge
from ..interactions.layout import InteractionLayout
from .base import MOST_CELLS, Counts, LinearClass, Values

__all__ = ["WholeTables"]


class WholeTables(LinearClass):
    """One candidate a set, one coordinate a cell: the coordinates are the cells."""

    single = False

    def __init__(self, sizes: Sequence[int], sets: Sequence[Sequence[int]]) -> None:
        super().__init__(sizes, sets)
        self.starts = self.cell_starts

    @classmethod
    def of_width(cls, sizes: Sequence[int], width: int) -> WholeTables:
        """The tables of all sets of exactly `width` attributes, in the colex order of the statistic `Tables`."""
        cells = InteractionLayout.cells(sizes, width)
        if cells > MOST_CELLS:
            fits = max((w for w in range(1, width) if InteractionLayout.cells(sizes, w) <= MOST_CELLS), default=0)
            raise TooLarge(order=width, numbers=cells, cap=MOST_CELLS, fits=fits)
        return cls(sizes, InteractionLayout(tuple(sizes), width).sets[width].tolist())

    def set_of(self, candidate: int) -> int:
        """The candidates are the sets."""
        return candidate

    def functions(self, candidate: int) -> Counts:
        """The identity; made on demand, because nothing else needs it."""
        place = self.place(candidate)
        return np.eye(place.stop - place.start, dtype=np.int64)

    def apply(self, cells: Values) -> Values:
        """The cells themselves, not a copy."""
        return cells

    def ranges(self) -> tuple[Counts, Counts]:
        """A row is in a cell or not; in the only cell of a table it always is."""
        cells = np.diff(self.cell_starts)
        return np.repeat((cells == 1).astype(np.int64), cells), np.ones(int(self.cell_starts[-1]), dtype=np.int64)

    def norms(self, power: int) -> Counts:
        """A row counts in one cell of each table."""
        return np.ones(int(self.cell_starts[-1]), dtype=np.int64)
