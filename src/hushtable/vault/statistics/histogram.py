"""Histogram: how many rows have each combination of all attributes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...errors import TooLarge
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from .base import Codes, Statistic

__all__ = ["Histogram"]


class Histogram(Statistic):
    """The contingency table of all attributes, in C order: one group, one noise scale.

    One row adds 1 to one cell; replacing it moves 1 from one cell to another. At most `cap` cells.
    """

    name: ClassVar[str] = "histogram"

    def __init__(self, sizes: Sequence[int], *, cap: int = 1 << 26, threads: int | None = None) -> None:
        self.sizes = tuple(sizes)
        self.cells = prod(self.sizes)
        if self.cells > cap:
            raise TooLarge(order=len(self.sizes), numbers=self.cells, cap=cap, fits=0)
        self.groups = 1
        self.threads = threads

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(self.cells, dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """Counts of the cells."""
        from .kernels import contingency_tables

        starts = np.array([0, self.cells], dtype=np.int64)
        return contingency_tables(codes, self.sizes, len(self.sizes), starts, self.threads)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums.sum())

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every cell."""
        (scale,) = per_group
        return CoordinateNoise(law=law, table=(scale,), index=np.zeros(self.cells, dtype=np.int32))

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """One cell changes by 1, or two cells do; the same for either power."""
        if power not in (1, 2):
            raise ValueError(f"power must be 1 (Laplace) or 2 (Gaussian), not {power}")
        (weight,) = weights
        # A table with one cell looks the same whichever row is replaced.
        moved = 1 if neighbours == "add-remove" else 2 * (self.cells > 1)
        return weight * moved

    def largest_change(self, neighbours: Neighbours) -> int:
        """A cell changes by 1, unless there is only one and a row of it is replaced."""
        return int(neighbours == "add-remove" or self.cells > 1)
