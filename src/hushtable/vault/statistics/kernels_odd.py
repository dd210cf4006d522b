"""Kernels of odd rows: compiled loops that count, for all small sets of columns, the rows that are odd on them.

Rows that agree on a few columns, the home columns, are counted together. Let o_v(R) be the number of rows with home
value v that are odd on a set R of lower columns. Then for every set S of home columns at once

    odd(R + S) = odd(S) + sum over v of (-1)^|S & v| o_v(R),

a Walsh transform over v. So one pass over the rows for each R serves R with each home column, where a plain count
takes one pass for each set. All of this is in one file, because numba caches compiled code by its file's time stamp.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["DEEP", "TILE", "count_home", "next_members", "room_words"]

# 64-bit words in one vector instruction.
LANES = 4
# Rows in one vector: the unit to which the rows of each home value are padded.
TILE = 64 * LANES
# Vectors of each column that are added up before their bits are counted. 2^k - 1 fill k bit planes exactly, and 7
# vectors of 100 columns (22 KB) still fit the first-level cache.
DEEP = 7
# Sets counted before their Walsh transform: their counts, one for each home value, stay in the second-level cache.
SETS = 2048


_WORD = ir.IntType(64)
_LANE = ir.VectorType(_WORD, LANES)
_BYTES = ir.VectorType(ir.IntType(8), 8 * LANES)
_POINTER = types.CPointer(types.uint64)


def _planes(builder: Any, words: list[Any]) -> list[Any]:
    """Bit planes of the sum of words at each bit position: plane i counts for 2^i.

    Carry-save addition: three words of one plane make one of it and one of the next, 5 operations a word where a bit
    count takes 8 [MulKL18].
    """
    planes = []
    while words:
        carries = []
        while len(words) > 1:
            p, q, *words = words
            either, carry = builder.xor(p, q), builder.and_(p, q)
            if words:
                third, *words = words
                carry = builder.or_(carry, builder.and_(either, third))
                either = builder.xor(either, third)
            words.append(either)
            carries.append(carry)
        planes.append(words[0])
        words = carries
    return planes


def _ones(builder: Any, words: list[Any]) -> Any:
    """How many bits of the words are set: each byte's bits first, so that bytes are added across only once."""
    name, kind = f"llvm.ctpop.v{8 * LANES}i8", ir.FunctionType(_BYTES, [_BYTES])
    ones = cgutils.get_or_insert_function(builder.module, kind, name)
    total = ir.Constant(_BYTES, [0] * (8 * LANES))
    for plane in reversed(_planes(builder, words)):
        total = builder.add(builder.add(total, total), builder.call(ones, [builder.bitcast(plane, _BYTES)]))
    wide = ir.VectorType(ir.IntType(16), 8 * LANES)
    name, kind = f"llvm.vector.reduce.add.v{8 * LANES}i16", ir.FunctionType(wide.element, [wide])
    across = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.zext(builder.call(across, [builder.zext(total, wide)]), ir.IntType(32))


@intrinsic
def _tally(_: Any, columns: Any, one: Any, other: Any, counts: Any, number: Any, depth: Any) -> Any:
    """Adds to counts[c] the number of ones in columns[c] ^ one ^ other, each of `depth` <= DEEP vectors, c < number.

    Written in vector instructions, because the compiler does not find them (measured: 7 times slower). One loop for
    each depth, so that one ^ other stays in registers.
    """

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        *places, counts, number, depth = arguments
        columns, one, other = (builder.bitcast(place, _LANE.as_pointer()) for place in places)

        def read(start: Any, k: int) -> Any:
            return builder.load(builder.gep(start, [ir.Constant(_WORD, k)]), align=8)

        for deep in range(1, DEEP + 1):
            size = ir.Constant(_WORD, deep)
            with builder.if_then(builder.icmp_signed("==", depth, size)):
                upper = [builder.xor(read(one, k), read(other, k)) for k in range(deep)]
                with cgutils.for_range(builder, number) as loop:
                    lower = builder.gep(columns, [builder.mul(loop.index, size)])
                    ones = _ones(builder, [builder.xor(read(lower, k), upper[k]) for k in range(deep)])
                    place = builder.gep(counts, [loop.index])
                    builder.store(builder.add(builder.load(place), ones), place)
        return context.get_dummy_value()

    kind = types.void(_POINTER, _POINTER, _POINTER, types.CPointer(types.int32), types.intp, types.intp)
    return kind, generate


def _swapped(builder: Any, vectors: list[Any], apart: int) -> list[Any]:
    """Three steps of turning a square of bits: ever smaller quarters swap, of 8 rows that stand `apart` rows apart."""
    for half in (4, 2, 1):
        shift = ir.Constant(_LANE, [half * apart] * LANES)
        mask = ir.Constant(_LANE, [(2**64 - 1) // (2 ** (half * apart) + 1)] * LANES)
        for i in range(8):
            if not i & half:
                upper, lower = vectors[i], vectors[i + half]
                swap = builder.and_(builder.xor(builder.lshr(upper, shift), lower), mask)
                vectors[i], vectors[i + half] = builder.xor(upper, builder.shl(swap, shift)), builder.xor(lower, swap)
    return vectors


@intrinsic
def _transpose(_: Any, rows: Any, half: Any, columns: Any, step: Any, eights: Any) -> Any:
    """From a tile of rows by way of `half` to its first 8 * eights columns, one vector each `step` vectors.

    The lanes are LANES squares of 64 x 64 bits. Which row becomes which bit does not matter, as long as it is the
    same for all columns.
    """

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        *starts, step, eights = arguments
        rows, half, columns = (builder.bitcast(start, _LANE.as_pointer()) for start in starts)

        def places(start: Any, first: Any, apart: Any) -> list[Any]:
            steps = [builder.mul(ir.Constant(_WORD, k), apart) for k in range(8)]
            return [builder.gep(start, [builder.add(first, further)]) for further in steps]

        def swap(sources: list[Any], targets: list[Any], apart: int) -> None:
            vectors = [builder.load(source, align=8) for source in sources]
            for vector, target in zip(_swapped(builder, vectors, apart), targets, strict=True):
                builder.store(vector, target, align=8)

        eight, one = ir.Constant(_WORD, 8), ir.Constant(_WORD, 1)
        with cgutils.for_range(builder, eight) as loop:
            swap(places(rows, loop.index, eight), places(half, loop.index, eight), 8)
        with cgutils.for_range(builder, eights) as loop:
            first = builder.mul(loop.index, eight)
            swap(places(half, first, one), places(columns, builder.mul(first, step), step), 1)
        return context.get_dummy_value()

    return types.void(_POINTER, _POINTER, _POINTER, types.intp, types.intp), generate


@intrinsic
def _address(_: Any, array: Any, index: Any) -> Any:
    """Address of array[index] of a flat array, for the vector instructions."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return types.CPointer(array.dtype)(array, types.intp), generate


@njit(cache=True, nogil=True)
def count_home(packed, room, order, binomials, starts, out, first, last, part, parts):  # type: ignore[no-untyped-def]
    """Adds to `out` the sets with the largest member in [first, last), or below `first` if that is empty.

    Only one of several parts of them. The rows are full tiles; binomials[n, k] counts the sets of k of n columns, and
    starts[k] is where the output has those of k. `room` has `room_words` words to write into.
    """
    sizes, blocks, ordered, room = _sort(packed, room, first, last)
    columns, room = _transposed(ordered, blocks, room, first)
    tables = room.view(np.int32)
    stride = len(columns) // (ordered.shape[1] // TILE)
    odd = _odd_sizes(sizes)
    plain = first == last
    if part == 0 and not plain:
        places = _places(0, 0, first, last, order, binomials, starts)
        _add(np.zeros((len(sizes), 1), dtype=np.int32), odd, places, out)
    turn = 0
    for size in range(1, order + plain):
        low = size - 1
        while low < first:
            high = _reach(binomials[:, size], low, first)
            if turn % parts == part:
                count = binomials[high, size] - binomials[low, size]
                table = tables[: len(sizes) * count].reshape(len(sizes), count)
                table[:] = 0
                for b in range(len(blocks)):
                    value, begin, end = blocks[b, 0], blocks[b, 1], blocks[b, 2]
                    _count_odd(columns[begin * stride :], end - begin, size, low, high, table[value])
                _add(table, odd, _places(size, binomials[low, size], first, last, order, binomials, starts), out)
            turn += 1
            low = high


def room_words(width: int, rows: int, order: int, homes: int) -> int:
    """How many words `count_home` writes at most, of `homes` home columns or none: rows in order, columns, counts."""
    padded = rows + (TILE << homes)
    homed, plain = (max(SETS, comb(width, max(order - less, 0))) for less in (2, 1))
    return rows + padded * -(-width // 64) + padded * -(-width // 8) // 8 + max(homed << homes, plain)


@njit(cache=True, nogil=True)
def _reach(sets, low, width):  # type: ignore[no-untyped-def]
    """The end of a range of largest members, from `low`, with at most SETS sets if it has more than one."""
    high = low + 1
    while high < width and sets[high + 1] - sets[low] <= SETS:
        high += 1
    return high


@njit(cache=True, nogil=True)
def _sort(packed, room, first, last):  # type: ignore[no-untyped-def]
    """Rows by the value of columns [first, last): how many of each value, their blocks, and their words below `first`.

    The rows of each value start at a tile of their own; the zeros after them are odd on no set. Last, the room left.
    """
    rows, values = packed.shape[1], 1 << (last - first)
    if values == 1:
        return np.array([rows]), _blocks(np.array([rows // TILE])), packed, room
    value, places = room[: rows // 8].view(np.uint8), room[rows // 8 : rows // 8 + rows // 2].view(np.uint32)
    _values(packed, first, values, value)
    sizes = np.zeros(values, dtype=np.int64)
    for i in range(rows):
        sizes[value[i]] += 1
    ends = _places_of_rows(value, sizes, places)
    words, room = -(-first // 64) * ends[-1] * TILE, room[rows:]
    ordered = room[:words].reshape(-(-first // 64), ends[-1] * TILE)
    for word in range(len(ordered)):
        source, target = packed[word], ordered[word]
        end = 0
        for v in range(values):
            for i in range(end * TILE + sizes[v], ends[v] * TILE):
                target[i] = 0
            end = ends[v]
        for i in range(rows):
            target[places[i]] = source[i]
    return sizes, _blocks(ends), ordered, room[words:]


@njit(cache=True, nogil=True)
def _values(packed, first, values, out):  # type: ignore[no-untyped-def]
    """Writes each row's value of the columns from `first`, whose bits may lie in two words."""
    low, high = packed[first // 64], packed[min(first // 64 + 1, len(packed) - 1)]
    shift, mask = np.uint64(first % 64), np.uint64(values - 1)
    for i in range(len(out)):
        # In two steps, because a shift by 64 is undefined.
        out[i] = ((low[i] >> shift) | ((high[i] << np.uint64(1)) << (np.uint64(63) - shift))) & mask


@njit(cache=True, nogil=True)
def _places_of_rows(value, sizes, places):  # type: ignore[no-untyped-def]
    """Where the tiles of each value end; writes where each row goes."""
    ends, free = np.empty(len(sizes), dtype=np.int64), np.empty(len(sizes), dtype=np.uint32)
    end = 0
    for v in range(len(sizes)):
        free[v] = end * TILE
        end += -(-sizes[v] // TILE)
        ends[v] = end
    for i in range(len(value)):
        places[i] = free[value[i]]
        free[value[i]] += np.uint32(1)
    return ends


@njit(cache=True, nogil=True)
def _blocks(ends):  # type: ignore[no-untyped-def]
    """The tiles of each value in runs of at most DEEP, about equally long: value, first tile, end."""
    blocks = np.empty((ends[-1] // DEEP + len(ends), 3), dtype=np.int64)
    count = begin = 0
    for v in range(len(ends)):
        while begin < ends[v]:
            runs = -(-(ends[v] - begin) // DEEP)
            end = begin + -(-(ends[v] - begin) // runs)
            blocks[count, 0], blocks[count, 1], blocks[count, 2] = v, begin, end
            begin = end
            count += 1
    return blocks[:count]


@njit(cache=True, nogil=True)
def _transposed(ordered, blocks, room, width):  # type: ignore[no-untyped-def]
    """The columns below `width`, and some more to make eights, as words (block, column, tile of the block, lane).

    Then the room that is left.
    """
    rows, eights = ordered.shape[1], -(-width // 8)
    flat, half = ordered.reshape(ordered.size), np.empty(TILE, dtype=np.uint64)
    stride = 8 * eights * LANES
    columns = room[: rows // TILE * stride]
    for b in range(len(blocks)):
        begin, end = blocks[b, 1], blocks[b, 2]
        for word in range(-(-width // 64)):
            for tile in range(begin, end):
                at = begin * stride + (64 * word * (end - begin) + tile - begin) * LANES
                source, target = _address(flat, word * rows + tile * TILE), _address(columns, at)
                _transpose(source, _address(half, 0), target, end - begin, min(8, eights - 8 * word))
    return columns, room[len(columns) :]


@njit(cache=True, nogil=True)
def _odd_sizes(sizes):  # type: ignore[no-untyped-def]
    """For every set of home columns, the number of rows that are odd on it."""
    odd = np.zeros(len(sizes), dtype=np.int64)
    for chosen in range(len(sizes)):
        for v in range(len(sizes)):
            odd[chosen] += sizes[v] * (_members(chosen & v) & 1)
    return odd


@njit(cache=True, nogil=True)
def _members(chosen):  # type: ignore[no-untyped-def]
    count = 0
    while chosen:
        chosen &= chosen - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _places(size, skipped, first, last, order, binomials, starts):  # type: ignore[no-untyped-def]
    """For every set of home columns, where the output has its sets with `size` lower members, but the first skipped.

    In colex order all that differ in the lower members only stand together, in the order of those. -1: nowhere.
    """
    places = np.full(1 << (last - first), -1)
    for chosen in range(len(places)):
        members = size + _members(chosen)
        if members <= order and (chosen or first == last):
            places[chosen] = starts[members] + skipped
            for home in range(last - 1, first - 1, -1):
                if chosen >> (home - first) & 1:
                    places[chosen] += binomials[home, members]
                    members -= 1
    return places


@njit(cache=True, nogil=True)
def _add(table, odd, places, out):  # type: ignore[no-untyped-def]
    """Adds to `out` the Walsh transform over home values of table[value, set]; overwrites the table."""
    values, count = table.shape
    half = 1
    while half < values:
        for v in range(0, values, 2 * half):
            without = table[v : v + half].reshape(half * count)
            within = table[v + half : v + 2 * half].reshape(half * count)
            for i in range(half * count):
                without[i], within[i] = np.int32(without[i] + within[i]), np.int32(without[i] - within[i])
        half *= 2
    for chosen in range(values):
        if places[chosen] >= 0:
            change, target = table[chosen], out[places[chosen] : places[chosen] + count]
            for i in range(count):
                target[i] += odd[chosen] + change[i]


@njit(cache=True, nogil=True)
def _count_odd(columns, depth, size, first, last, counts):  # type: ignore[no-untyped-def]
    """Adds to `counts` a block's odd rows of the sets of `size` with the largest member in [first, last).

    prefix[j] is the xor of the columns members[j], ..., members[size - 1].
    """
    step = depth * LANES
    prefix = np.zeros((size + 2) * step, dtype=np.uint64)
    if size == 1:
        nothing = _address(prefix, 0)
        _tally(_address(columns, first * step), nothing, nothing, _address(counts, 0), last - first, depth)
        return
    members = np.arange(size)
    members[size - 1] = first
    done, level = 0, size - 1
    while members[size - 1] < last:
        for j in range(level, 1, -1):
            for k in range(step):
                prefix[j * step + k] = prefix[(j + 1) * step + k] ^ columns[members[j] * step + k]
        upper, second = _address(prefix, 2 * step), _address(columns, members[1] * step)
        _tally(_address(columns, 0), upper, second, _address(counts, done), members[1], depth)
        done += members[1]
        level = next_members(members, size)


@njit(cache=True, nogil=True)
def next_members(members, size):  # type: ignore[no-untyped-def]
    """Steps members[1:size] to the next in colex order; returns the highest place that changed."""
    level = 1
    while level < size - 1 and members[level] + 1 == members[level + 1]:
        members[level] = level
        level += 1
    members[level] += 1
    return level
