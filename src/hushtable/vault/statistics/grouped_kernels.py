"""Kernels of grouped tables: each row's cell is the sum of its members' strided groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...maths.weighted_rows.tables import GroupedSet
from .base import Codes

__all__ = ["count_grouped"]

# Rows whose cells are kept in the first-level cache while all members of a table are added up.
ROWS = 4096


def count_grouped(
    codes: Codes, sizes: Sequence[int], sets: Sequence[GroupedSet], starts: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Adds the counts of every table to `out`. A code beyond its attribute's size counts as the last value."""
    if codes.shape[1] == 0:
        return
    last = np.minimum(np.array(sizes)[:, None] - 1, np.iinfo(codes.dtype).max).astype(codes.dtype)
    kept = np.ascontiguousarray(np.minimum(codes, last))
    lines, maps, place = [], [np.zeros(1, dtype=np.int64)], 1
    spans = np.cumsum([0, *(len(grouped.members) for grouped in sets)])
    for grouped in sets:
        stride = grouped.cells
        for member, groups, size in zip(grouped.members, grouped.maps, grouped.shape, strict=True):
            stride //= size
            lines.append((member, place))
            maps.append(groups * stride)
            place += len(groups)
    _count(kept, np.array(lines, dtype=np.int64).reshape(-1, 2), spans, np.concatenate(maps), starts, out)


@njit(cache=True, nogil=True)
def _count(codes: Any, lines: Any, spans: Any, maps: Any, starts: Any, out: Any) -> None:
    rows = codes.shape[1]
    cell = np.empty(ROWS, dtype=np.int64)
    for begin in range(0, rows, ROWS):
        count = min(ROWS, rows - begin)
        for table in range(len(spans) - 1):
            cell[:count] = starts[table]
            for line in range(spans[table], spans[table + 1]):
                column, groups = codes[lines[line, 0]], maps[lines[line, 1] :]
                for r in range(count):
                    cell[r] += groups[column[begin + r]]
            for r in range(count):
                out[cell[r]] += 1
