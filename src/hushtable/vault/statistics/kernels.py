"""Kernels: compiled loops that count the parities or contingency tables of all small attribute sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from .base import Codes

__all__ = ["contingency_tables", "odd_counts"]

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]

# One block is DEEP words (64 rows each) of every column. DEEP = 2^k - 1 words fill k bit planes exactly, and
# 31 words of 100 columns (25 KB) still fit the first-level cache.
DEEP = 31
# Columns that one vector instruction works on; also the padding of the column count.
LANES = 4
# Rows packed at a time: enough to keep threads busy, few enough that the packed words stay in cache.
PACKED = DEEP * 64 * 64
# Rows whose mixed-radix codes are kept in the first-level cache while all tables of a task are counted.
ROWS = 4096
# Tables of at most this many cells are counted in four copies, because adding one to the same cell twice in a
# row waits for the memory; larger tables rarely hit the same cell twice in a row.
SMALL = 512
COPIES = 4


def odd_counts(codes: Codes, order: int, threads: int | None = None) -> Counts:
    """For every set of 1 to `order` columns, the number of rows with an odd number of nonzero codes in it.

    Sets are ordered by size, then colexicographically. One xor and one bit count per set and 64 rows: the xor
    of the upper members is kept while the smallest member runs.
    """
    width, rows = codes.shape
    starts = np.cumsum([0] + [comb(width, i) for i in range(1, order + 1)])
    out = np.zeros(int(starts[-1]), dtype=np.int64)
    tasks = [
        (size, first, last, out[starts[size - 1] + comb(first, size) :])
        for size in range(2, order + 1)
        for first, last in _shares(width, size, _threads(threads))
    ]
    if order >= 1:
        # Column `width` is all zero, so that the sets of one member are the pairs with it.
        tasks.append((2, width, width + 1, out))
    with _Workers(threads) as workers:
        for begin in range(0, rows, PACKED):
            blocks = _pack(codes[:, begin : begin + PACKED], workers)
            workers.run(partial(_count_odd, blocks), tasks)
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
    size = max(order, 2)
    ranges = [(width, width + 1)] if order == 1 else _shares(width, order, _threads(threads))
    skipped = [0 if order == 1 else comb(first, size) for first, _ in ranges]
    tasks = [(*tops, starts[skip:], out) for tops, skip in zip(ranges, skipped, strict=True)]
    with _Workers(threads) as workers:
        for begin in range(0, rows, 64 * ROWS):
            part = np.zeros((width + 1, min(64 * ROWS, rows - begin)), dtype=codes.dtype)
            np.minimum(codes[:, begin : begin + 64 * ROWS], last_code, out=part[:-1])
            workers.run(partial(_count_tables, part, reach, size), tasks)
    return out


def _threads(asked: int | None) -> int:
    return (os.cpu_count() or 1) if asked is None else max(1, asked)


class _Workers:
    """Runs tasks that do not hold the interpreter lock on some threads; on one thread, without any pool."""

    def __init__(self, threads: int | None) -> None:
        self.count = _threads(threads)
        self._pool = ThreadPoolExecutor(self.count) if self.count > 1 else None

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, work: Callable[..., object], tasks: Iterable[tuple[Any, ...]]) -> None:
        """Calls `work` with every task's arguments; returns when all are done."""
        if self._pool is None:
            for task in tasks:
                work(*task)
            return
        for done in [self._pool.submit(work, *task) for task in tasks]:
            done.result()


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


def _pack(codes: Codes, workers: _Workers) -> Words:
    """Bits of the columns as (block, column / LANES, word, column % LANES), zero where there is no row."""
    width, rows = codes.shape
    blocks, groups = -(-rows // (DEEP * 64)), width // LANES + 1
    packed = np.zeros((blocks, groups, DEEP, LANES), dtype=np.uint64)

    def some(first: int, last: int) -> None:
        # A few columns at a time, so that the bytes are still in cache when they are put in order.
        for group in range(first, last):
            part = codes[group * LANES : (group + 1) * LANES]
            # A code other than 0 counts as 1. Contiguous bytes are packed faster than anything else.
            bits = np.ascontiguousarray(part if part.dtype == np.uint8 else part != 0)
            raw = np.zeros((LANES, blocks * DEEP * 8), dtype=np.uint8)
            raw[: len(part), : -(-rows // 8)] = np.packbits(bits, axis=1, bitorder="little")
            packed[:, group] = raw.view("<u8").reshape(LANES, blocks, DEEP).transpose(1, 2, 0)

    cuts = [groups * i // workers.count for i in range(workers.count + 1)]
    workers.run(some, pairwise(cuts))
    return packed


_WORD = ir.IntType(64)
_LANE = ir.VectorType(_WORD, LANES)
_POINTER = types.CPointer(types.uint64)


def _planes(builder: Any, word: Callable[[int], Any], first: int, count: int) -> list[Any]:
    """Bit planes of the sum, at each bit position, of `count` = 2^k - 1 words: plane i counts for 2^i.

    Carry-save addition: two halves and one more word, added plane by plane with the carry passed upwards, 5
    operations a word where a bit count takes 8 [MulKL18].
    """
    if count == 1:
        return [word(first)]
    half = count // 2
    low, high = _planes(builder, word, first, half), _planes(builder, word, first + half, half)
    carry, planes = word(first + 2 * half), []
    for p, q in zip(low, high, strict=True):
        either = builder.xor(p, q)
        planes.append(builder.xor(either, carry))
        carry = builder.or_(builder.and_(p, q), builder.and_(either, carry))
    return [*planes, carry]


@intrinsic
def _tally(_: Any, columns: Any, prefix: Any, counts: Any) -> Any:
    """Adds to counts[lane] the number of ones in columns[:, lane] ^ prefix, over DEEP words.

    Written in vector instructions, LANES columns at once, because the compiler does not find them in a loop
    this deep (measured: 7 times slower).
    """

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        columns, prefix, counts = arguments
        lanes = builder.bitcast(columns, _LANE.as_pointer())
        nothing, zero = ir.Constant(_LANE, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        same = ir.Constant(ir.VectorType(zero.type, LANES), [0] * LANES)

        def word(k: int) -> Any:
            at = [ir.Constant(_WORD, k)]
            lower = builder.load(builder.gep(lanes, at), align=8)
            upper = builder.insert_element(nothing, builder.load(builder.gep(prefix, at)), zero)
            return builder.xor(lower, builder.shuffle_vector(upper, nothing, same))

        name, kind = f"llvm.ctpop.v{LANES}i64", ir.FunctionType(_LANE, [_LANE])
        ones = cgutils.get_or_insert_function(builder.module, kind, name)
        place = builder.bitcast(counts, _LANE.as_pointer())
        total = builder.load(place, align=8)
        for i, plane in enumerate(_planes(builder, word, 0, DEEP)):
            shift = ir.Constant(_LANE, [i] * LANES)
            total = builder.add(total, builder.shl(builder.call(ones, [plane]), shift))
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    return types.void(_POINTER, _POINTER, _POINTER), generate


@intrinsic
def _address(_: Any, array: Any, index: Any) -> Any:
    """Address of array[index], for `_tally`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return _POINTER(array, types.intp), generate


@njit(cache=True, nogil=True)
def _next(members, size):  # type: ignore[no-untyped-def]
    """Steps members[1:size] to the next in colex order; returns the highest place that changed."""
    level = 1
    while level < size - 1 and members[level] + 1 == members[level + 1]:
        members[level] = level
        level += 1
    members[level] += 1
    return level


@njit(cache=True, nogil=True)
def _count_odd(blocks, size, first, last, out):  # type: ignore[no-untyped-def]
    """Adds to `out` the odd counts of the sets of `size` >= 2 whose largest member is in [first, last).

    prefix[j] is the xor of the columns members[j], ..., members[size - 1].
    """
    groups = blocks.shape[1]
    prefix = np.zeros((size + 1, DEEP), dtype=np.uint64)
    spare = np.empty(LANES, dtype=np.int64)
    for b in range(blocks.shape[0]):
        block = blocks[b]
        flat = block.reshape(groups * DEEP * LANES)
        members = np.arange(size)
        members[size - 1] = first
        start, level = 0, size - 1
        while members[size - 1] < last:
            for j in range(level, 0, -1):
                group, lane = members[j] // LANES, members[j] % LANES
                for k in range(DEEP):
                    prefix[j, k] = prefix[j + 1, k] ^ block[group, k, lane]
            below, upper = members[1], _address(prefix, DEEP)
            for group in range(below // LANES):
                _tally(_address(flat, group * DEEP * LANES), upper, _address(out, start + group * LANES))
            rest = below % LANES
            if rest:
                # Counts past the end belong to other sets, so the last ones are made aside.
                spare[:] = 0
                _tally(_address(flat, (below - rest) * DEEP), upper, _address(spare, 0))
                for a in range(rest):
                    out[start + below - rest + a] += spare[a]
            start += below
            level = _next(members, size)


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
            level = _next(members, size)


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
