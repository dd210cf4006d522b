"""Kernels: the parities or contingency tables of all small attribute sets, counted by compiled loops."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .base import Codes
from .kernels_odd import DEEP, TILE, count_home, next_members, room_words
from .workers import Workers, kept_words

__all__ = ["contingency_tables", "odd_counts"]

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]

# Most home columns of `count_home`. More would share more work, but between ever more values.
HOMES = 6
# Rows of each home value, at least about, so that the padding of the last is no great waste.
FILL = 1000
# Rows packed at a time: of each value of the most home columns about a full block.
PACKED = 2**HOMES * DEEP * TILE
# Rows packed at once, in the first-level cache.
STRIP = 1024
# Sets of lower columns that must be saved, for each word of 64 columns and one more, by sorting the rows.
WORTH = 700
# Rows times sets that take about a millisecond, which more threads would not shorten.
BRIEF = 2**28
# Rows whose mixed-radix codes are kept in the first-level cache while all tables of a task are counted.
ROWS = 4096
# Tables of at most this many cells are counted in four copies, because adding one to the same cell twice in a
# row waits for the memory; larger tables rarely hit the same cell twice in a row.
SMALL = 512
COPIES = 4


def odd_counts(codes: Codes, order: int, threads: int | None = None) -> Counts:
    """For every set of 1 to `order` columns, the number of rows with an odd number of nonzero codes in it.

    Sets are ordered by size, then colexicographically.
    """
    width, rows = codes.shape
    binomials = _binomials(width, order)
    starts = np.array([0, 0, *np.cumsum(binomials[width, 1:])], dtype=np.int64)
    out = np.zeros(int(starts[-1]), dtype=np.int64)
    if not len(out) or not rows:
        return out
    codes = codes if codes.flags.c_contiguous else codes.copy()
    pieces = -(-rows // PACKED)
    workers = Workers(1 if len(out) * rows < BRIEF else threads)
    for begin, end in pairwise(rows * i // pieces for i in range(pieces + 1)):
        packed = _packed(codes, begin, end, workers)
        room = room_words(width, packed.shape[1], order, HOMES)

        def count(*task: int, packed: Words = packed, room: int = room) -> None:
            count_home(packed, kept_words("room", room), order, binomials, starts, out, *task)

        workers.run(count, _homes(width, order, end - begin, workers.count))
    return out


def contingency_tables(
    codes: Codes, sizes: tuple[int, ...], order: int, starts: Counts, threads: int | None = None
) -> Counts:
    """The contingency tables of all sets of exactly `order` columns, in colex order, one after the other.

    Table r stands at `starts[r]`, in C order of its ascending members; starts[-1] is the total. A code beyond
    its attribute's size counts as the last value, so that no input can write outside its table.
    """
    width, rows = codes.shape
    if order == 0:
        return np.array([rows], dtype=np.int64)
    # One more attribute, with one value, so that the sets of one member are the pairs with it.
    reach = np.array([*sizes, 1], dtype=np.int64)
    last_code = np.minimum(reach[:-1, None] - 1, np.iinfo(codes.dtype).max).astype(codes.dtype)
    out = np.zeros(int(starts[-1]), dtype=np.int64)
    size, workers = max(order, 2), Workers(threads)
    ranges = [(width, width + 1)] if order == 1 else _shares(width, order, workers.count)
    skipped = [0 if order == 1 else comb(first, size) for first, _ in ranges]
    tasks = [(*tops, starts[skip:], out) for tops, skip in zip(ranges, skipped, strict=True)]
    for begin in range(0, rows, 64 * ROWS):
        part = np.zeros((width + 1, min(64 * ROWS, rows - begin)), dtype=codes.dtype)
        np.minimum(codes[:, begin : begin + 64 * ROWS], last_code, out=part[:-1])
        workers.run(partial(_count_tables, part, reach, size), tasks)
    return out


def _binomials(width: int, order: int) -> Counts:
    """The number of sets of k <= `order` of n <= `width` columns, at [n, k]."""
    out = np.zeros((width + 1, order + 1), dtype=np.int64)
    out[:, 0] = 1
    for k in range(1, order + 1):
        out[1:, k] = np.cumsum(out[:-1, k - 1])
    return out


def _homes(width: int, order: int, rows: int, threads: int) -> list[tuple[int, int, int, int]]:
    """Home columns [first, last) from the top down, and which of how many parts of their sets; costliest first.

    One range is empty: the columns below it are no homes, because sorting by them costs more than it saves.
    """
    size = min(HOMES, (rows // FILL).bit_length() - 1)
    homes, first = [], width
    while first > size > 1 and (size - 1) * comb(first - size, order - 1) >= WORTH * (1 + first / 64):
        homes.append((first - size, first))
        first -= size
    costs = [comb(low, order - 1) << (high - low) for low, high in homes]
    homes.append((first, first))
    costs.append(comb(first, order) * -(-rows // (DEEP * TILE)))
    tasks = []
    for cost, home in sorted(zip(costs, homes, strict=True), reverse=True):
        # At most half a thread's share each, to even out; but each part sorts the rows again.
        parts = 1 if threads == 1 else max(1, -(-2 * threads * cost // max(1, sum(costs))))
        tasks += [(*home, part, parts) for part in range(parts)]
    return tasks


def _packed(codes: Codes, begin: int, end: int, workers: Workers) -> Words:
    """Rows [begin, end) as bits: bit c % 64 of word [c // 64, row] says whether the code in column c is not 0."""
    # Full tiles, because rows of zeros are odd on no set; and one more word, so that the next of any column exists.
    words, rows = -(-len(codes) // 64) + 1, -(-(end - begin) // TILE) * TILE
    packed = kept_words("packed", words * rows).reshape(words, rows)
    packed.fill(0)
    cuts = [(end - begin) * i // workers.count for i in range(workers.count + 1)]
    workers.run(partial(_pack, codes, begin, packed), pairwise(cuts))
    return packed


@njit(cache=True, nogil=True)
def _pack(codes, begin, packed, first, last):  # type: ignore[no-untyped-def]
    """Fills packed[:, first:last] from the codes of rows begin + first, ...; eight columns at a time, as bytes."""
    byte = np.empty(STRIP, dtype=np.uint8)
    for at in range(first, last, STRIP):
        count = min(STRIP, last - at)
        for eight in range(0, len(codes), 8):
            for i in range(STRIP):
                byte[i] = 0
            for c in range(eight, min(eight + 8, len(codes))):
                column, bit = codes[c, begin + at : begin + at + count], np.uint8(1 << (c - eight))
                for i in range(count):
                    byte[i] |= bit if column[i] != 0 else np.uint8(0)
            word, shift = packed[eight // 64, at : at + count], np.uint64(eight % 64)
            for i in range(count):
                word[i] |= np.uint64(byte[i]) << shift


def _shares(width: int, size: int, threads: int) -> list[tuple[int, int]]:
    """Ranges of largest members with about the same number of sets each, the costliest first.

    Several shares per thread, to even out; but a share of more sets than the second-level cache has room for
    would fetch its counts from memory for every block of rows.
    """
    total = comb(width, size)
    most = min(16_384, max(1, total // (8 * threads)))
    shares, first = [], size - 1
    for last in range(size, width + 1):
        if last == width or comb(last, size) - comb(first, size) >= most:
            shares.append((first, last))
            first = last
    return shares[::-1]


@njit(cache=True, nogil=True)
def _count_tables(codes, sizes, size, first, last, starts, out):  # type: ignore[no-untyped-def]
    """Adds to `out` the tables of the sets of `size` >= 2 whose largest member is in [first, last).

    prefix[j] holds each row's mixed-radix code of members[j], ..., members[size - 1], and cells[j] how many
    there are. `starts` begins at the first of these sets.
    """
    rows = codes.shape[1]
    prefix = np.zeros((size + 1, ROWS), dtype=np.uint32)
    cells = np.ones(size + 1, dtype=np.int64)
    copies = np.zeros((COPIES, SMALL), dtype=np.uint32)
    for begin in range(0, rows, ROWS):
        block = codes[:, begin : min(begin + ROWS, rows)]
        members = np.arange(size)
        members[size - 1] = first
        table, level = 0, size - 1
        while members[size - 1] < last:
            for j in range(level, 0, -1):
                cells[j] = cells[j + 1] * sizes[members[j]]
                _extend(block[members[j]], np.uint32(cells[j + 1]), prefix[j + 1], prefix[j])
            for a in range(members[1]):
                counts = out[starts[table] : starts[table] + sizes[a] * cells[1]]
                _count_cells(block[a], np.uint32(cells[1]), prefix[1], copies, counts)
                table += 1
            level = next_members(members, size)


@njit(cache=True, nogil=True)
def _extend(column, stride, upper, both):  # type: ignore[no-untyped-def]
    for i in range(len(column)):
        both[i] = np.uint32(column[i]) * stride + upper[i]


@njit(cache=True, nogil=True)
def _count_cells(column, stride, upper, copies, out):  # type: ignore[no-untyped-def]
    """Adds one to out[column[i] * stride + upper[i]] for every row i."""
    count, total = len(column), len(out)
    fours = count // COPIES * COPIES if total <= SMALL else 0
    for i in range(0, fours, COPIES):
        for c in range(COPIES):
            copies[c, np.uint32(column[i + c]) * stride + upper[i + c]] += np.uint32(1)
    for i in range(fours, count):
        out[np.uint32(column[i]) * stride + upper[i]] += 1
    if fours:
        for cell in range(total):
            for c in range(COPIES):
                out[cell] += np.int64(copies[c, cell])
                copies[c, cell] = 0
