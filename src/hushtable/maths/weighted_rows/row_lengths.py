"""RowLengths: how many rare values the model's rows have, kept at the released lengths while their tables are fitted.

That some rows are long makes every two rare values meet more often than by chance, and no pair has to say so. It also
holds the fit together: a thousand weak attractions between rare values would draw rows into having nearly all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .rare_design import Lengths, RareColumns

__all__ = ["NO_LENGTHS", "RowLengths", "row_lengths"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# A cell's factor changes at most by this factor in one sweep, so that few rows do not take over.
MOST = 4.0


@dataclass(frozen=True, eq=False)
class RowLengths:
    """Cells of `rare_design.length_cell` over base groups, and the share of the rows that each should have."""

    group: Integers
    """Of every attribute the base group of its rare value; -1 if it is not rare."""
    order: Integers
    """Of every rare attribute its number among them."""
    wanted: Floats

    def rake(self, codes: NDArray[np.uint16], weights: Floats, factors: Floats) -> None:
        """Changes the weights of rows, and the factors of their cells, so that the cells have their shares."""
        from .kernels import length_cells

        cell = length_cells(codes, self.group, self.order)
        present = np.bincount(cell, weights, minlength=len(self.wanted)) / weights.sum()
        change = np.divide(self.wanted, present, out=np.ones_like(present), where=present > 0)
        change = np.clip(change, 1 / MOST, MOST)
        factors *= change
        weights *= change[cell]


NO_LENGTHS = RowLengths(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


def row_lengths(columns: RareColumns, lengths: Lengths, width: int) -> RowLengths:
    """For columns of two values whose base groups are their codes."""
    group, order = np.full(width, -1, dtype=np.int64), np.zeros(width, dtype=np.int64)
    group[list(columns.rare)] = 1 - np.array(columns.usual, dtype=np.int64)
    order[list(columns.rare)] = np.arange(len(columns.rare))
    return RowLengths(group, order, lengths.cells / lengths.cells.sum())
