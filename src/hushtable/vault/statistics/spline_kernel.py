"""Spline kernel: splits every row's units among the cells of its splines, in whole numbers."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["add_splines"]


def add_splines(
    x: NDArray[np.float64],
    cells: NDArray[np.int64],
    pieces: NDArray[np.float64],
    sizes: NDArray[np.int64],
    unit: int,
    out: NDArray[np.int64],
) -> None:
    """Adds to `out` (one dimension: cell, then the functions of each axis) the units of every row.

    x has shape (axes, rows) and lies in [-1, 1], NaN for a missing value; `pieces` are those of SplineBasis, and
    `sizes` says how many functions each axis has: one more than splines where a value may be missing.
    """
    _add(np.ascontiguousarray(x.T), cells, pieces, sizes, unit, out)


@njit(cache=True, nogil=True)
def _add(x, cells, pieces, sizes, unit, out):  # type: ignore[no-untyped-def]
    """A row's units are split by the first axis into four whole parts, each of them by the second, and so on.

    A part is rounded down, and what is left over goes to the largest function, so that nothing is ever lost and
    the parts of a row sum to `unit` whatever floating point does. A missing value is a span of its own behind the
    last one: its only function, the fourth from the span's number on, takes all units.
    """
    rows, axes = x.shape
    spans = pieces.shape[0]
    weights = np.empty((axes, 4))
    first = np.empty(axes, dtype=np.int64)
    largest = np.empty(axes, dtype=np.int64)
    parts = np.empty(4**axes, dtype=np.int64)
    places = np.empty(4**axes, dtype=np.int64)
    for i in range(rows):
        for axis in range(axes):
            if np.isnan(x[i, axis]):
                first[axis] = spans
                weights[axis, :3] = 0.0
                weights[axis, 3] = 1.0
                largest[axis] = 3
                continue
            place = (x[i, axis] + 1.0) * (spans / 2.0)
            span = min(max(np.int64(place), 0), spans - 1)
            u = place - span
            first[axis] = span
            top = 0
            for k in range(4):
                piece = pieces[span, k]
                weights[axis, k] = max(((piece[3] * u + piece[2]) * u + piece[1]) * u + piece[0], 0.0)
                if weights[axis, k] > weights[axis, top]:
                    top = k
            largest[axis] = top
        parts[0] = unit
        places[0] = cells[i]
        count = 1
        for axis in range(axes):
            for j in range(count - 1, -1, -1):
                whole, start = parts[j], places[j] * sizes[axis] + first[axis]
                left = whole
                for k in range(4):
                    part = min(np.int64(whole * weights[axis, k]), left)
                    left -= part
                    parts[4 * j + k] = part
                    places[4 * j + k] = start + k
                parts[4 * j + largest[axis]] += left
            count *= 4
        for j in range(count):
            out[places[j]] += parts[j]
