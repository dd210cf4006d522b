"""SipHash-2-4 of millions of strings, compiled; the readable version is in siphash.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["hash_all", "hash_columns"]

U = np.uint64
START = (U(0x736F6D6570736575), U(0x646F72616E646F6D), U(0x6C7967656E657261), U(0x7465646279746573))


@njit(inline="always", cache=True)
def _turn(x: Any, bits: int) -> Any:
    return (x << U(bits)) | (x >> U(64 - bits))


@njit(inline="always", cache=True)
def _round(a: Any, b: Any, c: Any, d: Any) -> Any:
    a += b
    b = _turn(b, 13) ^ a
    a = _turn(a, 32)
    c += d
    d = _turn(d, 16) ^ c
    a += d
    d = _turn(d, 21) ^ a
    c += b
    b = _turn(b, 17) ^ c
    c = _turn(c, 32)
    return a, b, c, d


@njit(inline="always", cache=True)
def _word(text: Any, start: int, count: int) -> Any:
    word = U(0)
    for i in range(count):
        word |= U(text[start + i]) << U(8 * i)
    return word


@njit(nogil=True, cache=True)
def hash_all(text: NDArray[np.uint8], ends: Any, low: Any, high: Any) -> NDArray[np.uint64]:
    """Message i is text[ends[i]:ends[i + 1]]; `low` and `high` are the two halves of the key."""
    out = np.empty(len(ends) - 1, dtype=np.uint64)
    for i in range(len(out)):
        start, length = np.int64(ends[i]), np.int64(ends[i + 1]) - np.int64(ends[i])
        a, b, c, d = START[0] ^ low, START[1] ^ high, START[2] ^ low, START[3] ^ high
        whole = length // 8
        for w in range(whole):
            word = _word(text, start + 8 * w, 8)
            d ^= word
            a, b, c, d = _round(a, b, c, d)
            a, b, c, d = _round(a, b, c, d)
            a ^= word
        word = _word(text, start + 8 * whole, length - 8 * whole) | (U(length & 255) << U(56))
        d ^= word
        a, b, c, d = _round(a, b, c, d)
        a, b, c, d = _round(a, b, c, d)
        a ^= word
        c ^= U(255)
        for _ in range(4):
            a, b, c, d = _round(a, b, c, d)
        out[i] = a ^ b ^ c ^ d
    return out


@njit(nogil=True, cache=True)
def hash_columns(codes: Any, words: NDArray[np.uint64], low: Any, high: Any) -> NDArray[np.uint64]:
    """Message i is the bytes of column i of `codes`, then those of word i, the smallest of each number first."""
    numbers, width = codes.shape[0], 8 * codes.itemsize
    length = U((numbers * codes.itemsize + 8) & 255) << U(56)
    out = np.empty(len(words), dtype=np.uint64)
    for i in range(len(out)):
        a, b, c, d = START[0] ^ low, START[1] ^ high, START[2] ^ low, START[3] ^ high
        word, rest, bits = U(0), U(0), 0
        for j in range(numbers + 2):
            if j < numbers:
                word |= U(codes[j, i]) << U(bits)
                bits += width
                if bits < 64:
                    continue
                rest = U(0)
                bits = 0
            elif j == numbers:
                word |= words[i] << U(bits)
                rest = words[i] >> U(64 - bits) if bits else U(0)
            else:
                word |= length
            d ^= word
            a, b, c, d = _round(a, b, c, d)
            a, b, c, d = _round(a, b, c, d)
            a ^= word
            word = rest
        c ^= U(255)
        for _ in range(4):
            a, b, c, d = _round(a, b, c, d)
        out[i] = a ^ b ^ c ^ d
    return out
