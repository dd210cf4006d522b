"""RareSums: columns and pairs of two-valued columns, most of which rarely leave their usual value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.weighted_rows.rare_columns import RareColumns
from ...maths.weighted_rows.rare_lengths import length_cell
from .base import Codes, Statistic, Sums
from .rare_sensitivity import added, replaced
from .table_statistic import OneTable

__all__ = ["RareLengths", "RareSums"]

# Rows whose products are summed at once. Sums of whole numbers below 2^53 are exact in floating point.
ROWS = 16_384


class RareLengths(OneTable):
    """How many rows have 0, 2, 3, ... rare values, and how many have that of one column alone: a row is in one cell."""

    name: ClassVar[str] = "rare-lengths"

    def __init__(self, columns: RareColumns) -> None:
        self.columns_of = columns
        self.cells = max(2 * len(columns.rare), 1)

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        cells = length_cell(self.columns_of.is_rare(codes))
        return np.bincount(cells, minlength=self.cells).astype(np.int64)


class RareSums(Statistic):
    """Sums over rows in five groups of coordinates, each with its own noise.

    Of a row let z = +1 or -1 for every even column, x = 1 or 0 for every rare column (1: the rare value), and
    k = sum of x its length. With public whole-number weights s = single[k] and b = both[k]:

        even z_i    rare s x_j    even pairs z_i z_i'    mixed pairs s z_i x_j    rare pairs b x_j x_j'

    A row has squared length E + k s^2 + E (E - 1) / 2 + E k s^2 + k (k - 1) b^2 / 2: falling weights bound it
    whatever the number of columns, and no row is cut into pieces.
    """

    name: ClassVar[str] = "rare-sums"
    groups = 5

    def __init__(self, columns: RareColumns, single: Sequence[int], both: Sequence[int]) -> None:
        self.columns_of = columns
        self.single, self.both = [int(w) for w in single], [int(w) for w in both]
        lengths = len(columns.rare) + 1
        if len(self.single) != lengths or len(self.both) != lengths or min(*self.single, *self.both) < 0:
            raise ValueError(f"{lengths} weights of 0 or more are needed, one for every length of a row")

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows; the number of rows comes first."""
        return np.zeros(1 + sum(self.columns_of.counts), dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """All sums, by products of matrices of whole numbers."""
        out = self.zeros()
        single, both = np.array(self.single, dtype=np.float64), np.array(self.both, dtype=np.float64)
        even_pairs, rare_pairs = (np.triu_indices(len(c), 1) for c in (self.columns_of.even, self.columns_of.rare))
        for begin in range(0, codes.shape[1], ROWS):
            some = codes[:, begin : begin + ROWS]
            x = self.columns_of.is_rare(some).astype(np.float64)
            z = self.columns_of.signs(some).astype(np.float64)
            length = x.sum(axis=0).astype(np.int64)
            weighed = x * single[length]
            parts = [z.sum(axis=1), weighed.sum(axis=1), (z @ z.T)[even_pairs], (z @ weighed.T).ravel(),
                     ((x * both[length]) @ x.T)[rare_pairs]]  # fmt: skip
            out[1:] += np.rint(np.concatenate(parts)).astype(np.int64)
        out[0] = codes.shape[1]
        return out

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """All but the number of rows."""
        return sums[1:]

    def rows(self, sums: NDArray[np.int64]) -> int:
        """Kept beside the sums."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all sums of a group."""
        index = np.repeat(np.arange(self.groups, dtype=np.int32), self.columns_of.counts)
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact for both relations: the worst row, or the worst two rows, of all lengths and overlaps."""
        worst = added if neighbours == "add-remove" else replaced
        return worst(len(self.columns_of.even), self.single, self.both, power=power, weights=weights)

    def largest_change(self, neighbours: Neighbours) -> int:
        """A sign turns over (2), with it s x twice (mixed pairs), or a product of rare values comes or goes."""
        evens, rares = len(self.columns_of.even), len(self.columns_of.rare)
        turns = touched(neighbours)
        single = max(self.single[1:], default=0) * (turns if evens else 1)
        return max(turns * (evens > 0), single, max(self.both[2:], default=0) if rares > 1 else 0)
