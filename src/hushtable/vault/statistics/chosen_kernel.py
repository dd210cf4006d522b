"""Chosen kernel: a compiled loop that counts the contingency tables of any list of attribute sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .base import Codes

# numba keeps compiled code by the time of one file: after a change to these two, touch this file as well.
from .kernels import COPIES, ROWS, SMALL, _count_cells, _extend
from .workers import Workers

__all__ = ["chosen_tables"]

Counts = NDArray[np.int64]


def chosen_tables(
    codes: Codes, sizes: Sequence[int], sets: Sequence[Sequence[int]], starts: Counts, threads: int | None = None
) -> Counts:
    """The contingency tables of `sets`, one after the other, each in C order of its ascending members.

    Table s stands at `starts[s]`; starts[-1] is the total, below 2^32. Sets next to each other that end in the
    same members share the work on these. A code beyond its attribute's size counts as the last value, so that no
    input can write outside its table.
    """
    used = sorted({j for members in sets for j in members})
    column = {j: i for i, j in enumerate(used)}
    ends = np.cumsum([0, *map(len, sets)])
    members = np.array([column[j] for chosen in sets for j in chosen], dtype=np.int64)
    reach = np.array([sizes[j] for j in used], dtype=np.int64)
    last_code = np.minimum(reach[:, None] - 1, np.iinfo(codes.dtype).max).astype(codes.dtype)
    out = np.zeros(int(starts[-1]), dtype=np.int64)
    workers = Workers(threads)
    tasks = [(first, last, out) for first, last in _shares(ends, workers.count)]
    for begin in range(0, codes.shape[1], 64 * ROWS):
        part = np.empty((len(used), min(64 * ROWS, codes.shape[1] - begin)), dtype=codes.dtype)
        np.minimum(codes[used, begin : begin + 64 * ROWS], last_code, out=part)
        workers.run(partial(_count_sets, part, reach, members, ends, starts), tasks)
    return out


def _shares(ends: Counts, threads: int) -> list[tuple[int, int]]:
    """Ranges of sets with about as many members each; several a thread, to even out."""
    sets = len(ends) - 1
    shares = min(sets, 8 * threads) if threads > 1 else 1
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], shares + 1)).tolist()
    return [(first, last) for first, last in pairwise(cuts) if first < last]


@njit(cache=True, nogil=True)
def _count_sets(codes, sizes, members, ends, starts, first, last, out):  # type: ignore[no-untyped-def]
    """Adds to `out` the tables of the sets first, ..., last - 1; set s has members[ends[s]:ends[s + 1]].

    tail[t] holds each row's mixed-radix code of the last t members of a set, and cells[t] how many there are.
    """
    rows = codes.shape[1]
    deepest = 1
    for s in range(first, last):
        deepest = max(deepest, ends[s + 1] - ends[s])
    tail = np.zeros((deepest, ROWS), dtype=np.uint32)
    cells = np.ones(deepest, dtype=np.int64)
    copies = np.zeros((COPIES, SMALL), dtype=np.uint32)
    for begin in range(0, rows, ROWS):
        block = codes[:, begin : min(begin + ROWS, rows)]
        kept = 0  # how many of `tail` the set before has left behind
        for s in range(first, last):
            inner = ends[s + 1] - ends[s] - 1
            shared = 0
            while shared < min(inner, kept) and members[ends[s + 1] - 1 - shared] == members[ends[s] - 1 - shared]:
                shared += 1
            for t in range(shared, inner):
                j = members[ends[s + 1] - 1 - t]
                cells[t + 1] = cells[t] * sizes[j]
                _extend(block[j], np.uint32(cells[t]), tail[t], tail[t + 1])
            kept = inner
            counts = out[starts[s] : starts[s + 1]]
            _count_cells(block[members[ends[s]]], np.uint32(cells[inner]), tail[inner], copies, counts)
