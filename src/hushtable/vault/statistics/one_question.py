"""One question: the number of rows for which a condition on a few attributes is true."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from .base import Codes
from .one_number import OneNumber

__all__ = ["OneQuestion"]


class OneQuestion(OneNumber):
    """One count: the rows whose codes at `positions` fall into the cells where `true` is set (flat, C order).

    A row adds 0 or 1, so adding, removing or replacing one changes the count by at most 1.
    """

    name: ClassVar[str] = "one-question"

    def __init__(self, sizes: Sequence[int], positions: Sequence[int], true: NDArray[np.bool_]) -> None:
        self.positions, self.true = tuple(positions), true
        self._own = tuple(sizes[p] for p in self.positions)
        if len(true) != prod(self._own):
            raise ValueError(f"{len(true)} truth values for {prod(self._own)} combinations of codes")

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(2, dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """How many rows it is true for, and how many there are."""
        cells = np.zeros(codes.shape[1], dtype=np.int64)
        for position, size in zip(self.positions, self._own, strict=True):
            cells *= size
            cells += np.minimum(codes[position], size - 1)
        return np.array([self.true[cells].sum(), codes.shape[1]], dtype=np.int64)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The count alone."""
        return sums[:1]

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Kept beside the count."""
        return int(sums[1])

    def largest_change(self, neighbours: Neighbours) -> int:
        """1, unless no row can change it: never true, or true of every row while their number stays the same."""
        return int(self.true.any() and (neighbours == "add-remove" or not self.true.all()))
