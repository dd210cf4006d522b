"""Histogram: how many rows have each combination of all attributes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from ...errors import TooLarge
from .base import Codes, Sums
from .table_statistic import OneTable

__all__ = ["Histogram"]


class Histogram(OneTable):
    """The contingency table of all attributes, in C order: one group, one noise scale. At most `cap` cells."""

    name: ClassVar[str] = "histogram"

    def __init__(self, sizes: Sequence[int], *, cap: int = 1 << 26, threads: int | None = None) -> None:
        self.sizes = tuple(sizes)
        self.cells = prod(self.sizes)
        if self.cells > cap:
            raise TooLarge(order=len(self.sizes), numbers=self.cells, cap=cap, fits=0)
        self.threads = threads

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of the cells."""
        from .kernels import contingency_tables

        return contingency_tables(codes, self.sizes, len(self.sizes), self.starts, self.threads)
