"""SipHash-2-4: the keyed hash that sends any string to one of 2^64 places, the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KEY_BYTES", "column_digests", "digests", "siphash"]

KEY_BYTES = 16
# Up to here a loop in Python takes less time than loading the compiled one.
FEW = 5_000
MASK = 2**64 - 1
START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def siphash(key: bytes, message: bytes) -> int:
    """The 64-bit SipHash-2-4 of a message under a key of 16 bytes [AumB12]."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(key)}")
    halves = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    a, b, c, d = (start ^ halves[i % 2] for i, start in enumerate(START))
    whole = len(message) - len(message) % 8
    last = message[whole:] + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for at in range(0, whole + 8, 8):
        word = int.from_bytes(message[at : at + 8] if at < whole else last, "little")
        d ^= word
        a, b, c, d = _round(*_round(a, b, c, d))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = (a + b) & MASK
    b = ((b << 13 | b >> 51) & MASK) ^ a
    a = (a << 32 | a >> 32) & MASK
    c = (c + d) & MASK
    d = ((d << 16 | d >> 48) & MASK) ^ c
    a = (a + d) & MASK
    d = ((d << 21 | d >> 43) & MASK) ^ a
    c = (c + b) & MASK
    b = ((b << 17 | b >> 47) & MASK) ^ c
    c = (c << 32 | c >> 32) & MASK
    return a, b, c, d


def digests(key: bytes, messages: pa.Array) -> NDArray[np.uint64]:
    """The SipHash of every value of a binary or text array without nulls."""
    if len(messages) <= FEW:
        return np.array([siphash(key, _bytes(value)) for value in messages], dtype=np.uint64)
    import pyarrow as pa

    from .siphash_kernel import hash_all

    large = pa.types.is_large_binary(messages.type) or pa.types.is_large_string(messages.type)
    width = np.int64 if large else np.int32
    _, offsets, data = messages.buffers()
    at = messages.offset * np.dtype(width).itemsize
    ends = np.frombuffer(offsets, width, len(messages) + 1, at)
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    halves = np.frombuffer(key, "<u8")
    hashes: NDArray[np.uint64] = hash_all(text, ends, halves[0], halves[1])
    return hashes


def column_digests(key: bytes, codes: NDArray[Any], words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The SipHash of the bytes of every column of whole numbers, and of a word after each, the smallest byte first."""
    from .siphash_kernel import hash_columns

    halves = np.frombuffer(key, "<u8")
    hashes: NDArray[np.uint64] = hash_columns(codes, words, halves[0], halves[1])
    return hashes


def _bytes(scalar: pa.Scalar) -> bytes:
    value = scalar.as_buffer()
    return b"" if value is None else bytes(value)
