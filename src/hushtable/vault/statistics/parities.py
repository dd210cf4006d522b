"""Parities: for every small set of two-valued attributes, even rows minus odd rows."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan
from ...maths.interactions.layout import InteractionLayout
from .base import Codes
from .interaction import InteractionStatistic
from .part import Part

__all__ = ["Parities"]


class Parities(InteractionStatistic):
    """All interactions of at most `order` attributes of a table whose attributes have two values each.

    Coordinate of a set A: the sum over rows of prod_{j in A} (-1)^{x_j} = n - 2 (rows with an odd number of
    ones in A), the Walsh coefficient of the table. Layout: `InteractionLayout`. What is accumulated is [n, odd
    rows of each set].
    """

    name: ClassVar[str] = "parities"

    def __init__(self, interactions: InteractionLayout, *, threads: int | None = None) -> None:
        if not interactions.binary:
            other = next(size for size in interactions.sizes if size != 2)
            raise BadPlan(f"parities need two values per attribute, not {other}; use residuals")
        super().__init__(interactions, threads=threads)

    def part(self, index: int) -> Part:
        """One coordinate. Replacing a row leaves the number of rows (coordinate 0) and turns a sign or moves a bit."""
        replaced = 0 if index == 0 else 2 if self.interactions.basis == "contrast" else 1
        return Part(self, index, index + 1, added=(1,), replaced=(replaced,))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(self.interactions.length, dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """The number of rows, then for every set the number of rows that are odd on it."""
        from .kernels import odd_counts

        sums = self.zeros()
        sums[0], sums[1:] = codes.shape[1], odd_counts(codes, self.interactions.order, self.threads)
        return sums

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Even rows minus odd rows; in the monomial basis, rows where all bits of the set are 1."""
        signed = sums[0] - 2 * sums
        signed[0] = sums[0]
        return signed if self.interactions.basis == "contrast" else self._monomials(signed)

    def _monomials(self, signed: NDArray[np.int64]) -> NDArray[np.int64]:
        """prod x_j = prod (1 - chi_j) / 2 = 2^-|S| sum over subsets T of (-1)^|T| chi_T, exactly."""
        out = []
        for size, sets in enumerate(self.interactions.sets):
            total = np.zeros(len(sets), dtype=np.int64)
            for smaller in range(size + 1):
                for chosen in combinations(range(size), smaller):
                    total += (-1) ** smaller * signed[self.interactions.ranks(sets[:, list(chosen)])]
            out.append(total >> size)
        return np.concatenate(out)

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])
