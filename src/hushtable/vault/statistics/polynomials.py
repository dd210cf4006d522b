"""Polynomials: the sum over rows of the coefficients of each row's polynomial."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...budget import Neighbours
from ...laws import Law
from ...maths.families.row_polynomials import RowPolynomials
from ...maths.interactions.layout import CoordinateNoise
from .base import Codes, Statistic, Sums

__all__ = ["PolynomialSums"]

# Work up to which the worst pair of rows is searched for instead of bounded.
MOST_WORK = 1 << 26


class PolynomialSums(Statistic):
    """The number of rows, then for every term the sum of the rows' coefficients, each row cut to its bounds.

    Where the columns have few cells, the function of the family was evaluated on every one of them before any row is
    read, and never sees one. Else it is compiled, and sees a copy of one row at a time. Groups: the number of rows,
    then all coefficients.
    """

    name: ClassVar[str] = "polynomials"
    groups = 2

    def __init__(self, polynomials: RowPolynomials) -> None:
        self.polynomials, self.family = polynomials, polynomials.family

    @cached_property
    def _table(self) -> Sums:
        """The bounded coefficients of every cell."""
        from .polynomial_kernel import bounded

        return bounded(self.family, self.polynomials.table)

    def zeros(self) -> Sums:
        """The sum over no rows: their number, then cells or coefficients."""
        length = self.polynomials.cells if self.polynomials.listed else len(self.family.terms)
        return np.zeros(1 + length, dtype=np.int64)

    def accumulate(self, codes: Codes) -> Sums:
        """How many rows there are, and how many of each cell; or their summed coefficients."""
        from .polynomial_kernel import summed

        out, sizes = self.zeros(), self.polynomials.sizes
        # Coding keeps codes below the sizes; this keeps any other from reading beyond the table.
        own = [
            np.minimum(codes[p], size - 1).astype(np.int64)
            for p, size in zip(self.polynomials.positions, sizes, strict=True)
        ]
        out[0] = codes.shape[1]
        if self.polynomials.listed:
            out[1:] = np.bincount(np.ravel_multi_index(own, sizes), minlength=self.polynomials.cells)
        else:
            out[1:] = summed(self.polynomials, np.array(own))
        return out

    def to_coordinates(self, sums: Sums) -> Sums:
        """The number of rows, then the coefficients."""
        return np.append(sums[:1], sums[1:] @ self._table) if self.polynomials.listed else sums

    def rows(self, sums: Sums) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every coefficient."""
        index = np.ones(1 + len(self.family.terms), dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Weight x the longest row, or the farthest pair; the number of rows only when one is added or removed.

        Exact where every cell is known and pairs are few. Else from above: two rows of length L are at most 2 L apart;
        where no coefficient is negative, their squared distance is at most 2 L^2, since a.b >= 0; and no coefficient
        leaves its range.
        """
        rows, each = weights
        if neighbours == "add-remove":
            return rows + each * self._longest(power)
        return each * self._farthest(power)

    def _longest(self, power: int) -> int:
        if self.polynomials.listed:
            return int((np.abs(self._table) ** power).sum(axis=1).max())
        return self.family.l1 if power == 1 else self.family.squared

    def _farthest(self, power: int) -> int:
        low, high = self._range
        spread = len(self.family.terms) * int((high - low) ** power)
        if self.polynomials.listed:
            distinct = np.unique(self._table, axis=0)
            if len(distinct) ** 2 * distinct.shape[1] <= MOST_WORK:
                return max(int((np.abs(distinct - row) ** power).sum(axis=1).max()) for row in distinct)
            ranges = distinct.max(axis=0) - distinct.min(axis=0)
            spread = int((ranges**power).sum())
        apart = 2 if power == 1 or low >= 0 else 4
        return min(apart * self._longest(power), spread)

    @cached_property
    def _range(self) -> tuple[int, int]:
        if self.polynomials.listed:
            return min(int(self._table.min()), 0), max(int(self._table.max()), 0)
        return self.family.range

    def largest_change(self, neighbours: Neighbours) -> int:
        """From one end of the range to the other, or one end; the number of rows changes by 1."""
        low, high = self._range
        if neighbours == "add-remove":
            return max(-low, high, 1)
        if self.polynomials.listed:
            return int((self._table.max(axis=0) - self._table.min(axis=0)).max())
        return high - low
