"""Cell vectors: sums over rows of whole vectors that depend on a few columns, in levels that have their own noise."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ...budget import Neighbours
from ...laws import Law
from ...maths.geometry.bodies import Ints
from ...maths.geometry.cut_body import CutBody
from ...maths.interactions.layout import CoordinateNoise
from .base import Codes, Sums
from .chosen_tables import ChosenTables
from .joint import JointStatistic

__all__ = ["CellVectors"]


class CellVectors(JointStatistic):
    """For each level a matrix: a column for every combination of the codes of `columns`, in C order.

    vectors  the matrices, of whole numbers, one a level; each level is a group
    cuts     for each level, planes around its changes: see `CutBody`. Any will do; the coordinates where none are given
    What is accumulated is the table of the columns.
    """

    name: ClassVar[str] = "cell-vectors"

    def __init__(
        self,
        sizes: Sequence[int],
        columns: Sequence[int],
        vectors: Sequence[Ints],
        cuts: Sequence[Ints] | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        self._table = ChosenTables(sizes, [tuple(columns)], threads=threads)
        self.vectors = tuple(np.asarray(matrix, dtype=np.int64) for matrix in vectors)
        self.cuts = tuple(cuts or [np.eye(len(matrix), dtype=np.int64) for matrix in self.vectors])
        cells = len(self._table.zeros())
        if len(self.cuts) != len(self.vectors) or any(matrix.shape[1] != cells for matrix in self.vectors):
            raise ValueError(f"every level is a matrix of {cells} columns, with its cuts")
        self.groups = len(self.vectors)

    def zeros(self) -> Sums:
        """The table of no rows."""
        return self._table.zeros()

    def accumulate(self, codes: Codes) -> Sums:
        """The table of the columns."""
        return self._table.accumulate(codes)

    def to_coordinates(self, sums: Sums) -> Sums:
        """Each level's vector, summed over all rows."""
        return np.concatenate([matrix @ sums for matrix in self.vectors])

    def rows(self, sums: Sums) -> int:
        """The table holds all rows."""
        return int(sums.sum())

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every coordinate of a level."""
        index = np.repeat(np.arange(self.groups, dtype=np.int32), [len(matrix) for matrix in self.vectors])
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Weight x |change|^power, summed, of the worst row or pair of rows: all of them are tried."""
        each = [np.unique(matrix, axis=1) if len(self.vectors) == 1 else matrix for matrix in self.vectors]
        worst = Fraction(0)
        for first in range(each[0].shape[1]):
            of = [matrix if neighbours == "add-remove" else matrix - matrix[:, [first]] for matrix in each]
            moved = [(np.abs(change) ** power).sum(axis=0) for change in of]
            pairs = {tuple(int(m[i]) for m in moved) for i in range(len(moved[0]))}
            for pair in pairs:
                worst = max(worst, sum((w * m for w, m in zip(weights, pair, strict=True)), Fraction(0)))
            if neighbours == "add-remove":
                break
        return worst

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that any coordinate changes by."""
        whole = np.concatenate(self.vectors)
        return int(np.abs(whole).max() if neighbours == "add-remove" else (whole.max(axis=1) - whole.min(axis=1)).max())

    def body(self, group: int, neighbours: Neighbours) -> CutBody:
        """`CutBody` bounds its cuts by all rows there can be."""
        return CutBody(self.vectors[group], neighbours == "add-remove", self.cuts[group])
