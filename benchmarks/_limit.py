"""The machine's limit for parities: words xored and counted a second without leaving the first-level cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Four columns of 31 words side by side: 31 words fill 5 bit planes exactly, the fastest loop found on AVX2.
DEEP, LANES = 31, 4
GROUPS = 12

_WORD = ir.IntType(64)
_LANE = ir.VectorType(_WORD, LANES)
_POINTER = types.CPointer(types.uint64)


@intrinsic
def ones(_: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(nogil=True)
def plain(left: Any, right: Any, times: int) -> int:
    """Xor and bit count as one would write it; both buffers stay in the first-level cache."""
    total = np.uint64(0)
    for t in range(times):
        for i in range(len(right)):
            total += ones(left[t % 2, i] ^ right[i])
    return total  # type: ignore[return-value]  # what numba returns is an int


@njit(nogil=True)
def carry_save(columns: Any, prefix: Any, counts: Any, times: int) -> None:
    """Xor and carry-save bit count in vector instructions, again and again on the same columns."""
    for _ in range(times):
        for group in range(GROUPS):
            tally(address(columns, group * DEEP * LANES), address(prefix, 0), address(counts, group * LANES))


def planes(builder: Any, word: Callable[[int], Any], first: int, count: int) -> list[Any]:
    """Bit planes of the sum, at each bit position, of `count` = 2^k - 1 words: two halves and one more word."""
    if count == 1:
        return [word(first)]
    half = count // 2
    low, high = planes(builder, word, first, half), planes(builder, word, first + half, half)
    carry, out = word(first + 2 * half), []
    for p, q in zip(low, high, strict=True):
        either = builder.xor(p, q)
        out.append(builder.xor(either, carry))
        carry = builder.or_(builder.and_(p, q), builder.and_(either, carry))
    return [*out, carry]


@intrinsic
def tally(_: Any, columns: Any, prefix: Any, counts: Any) -> Any:
    """Adds to counts[lane] the number of ones in columns[:, lane] ^ prefix."""

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
        count = cgutils.get_or_insert_function(builder.module, kind, name)
        place = builder.bitcast(counts, _LANE.as_pointer())
        total = builder.load(place, align=8)
        for i, plane in enumerate(planes(builder, word, 0, DEEP)):
            total = builder.add(total, builder.shl(builder.call(count, [plane]), ir.Constant(_LANE, [i] * LANES)))
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    return types.void(_POINTER, _POINTER, _POINTER), generate


@intrinsic
def address(_: Any, array: Any, index: Any) -> Any:
    """Address of array[index]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return _POINTER(array, types.intp), generate


def loops(words: int, times: int) -> tuple[tuple[Callable[[], object], int], ...]:
    """The two loops, each with the number of words it handles in one call."""
    source = np.random.default_rng(2)
    buffers = source.integers(0, 2**63, (2, words), dtype=np.uint64)
    columns = source.integers(0, 2**63, GROUPS * DEEP * LANES, dtype=np.uint64)
    prefix, counts = columns[:DEEP].copy(), np.zeros(GROUPS * LANES, dtype=np.int64)
    right = buffers[0].copy()
    return (
        (lambda: plain(buffers, right, times), words * times),
        (lambda: carry_save(columns, prefix, counts, times), len(columns) * times),
    )
