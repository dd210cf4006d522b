"""Fields of records in PostgreSQL's binary form, compiled: where they lie, and what those of a fixed width say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["copy_texts", "read_fields"]

# A record begins with the number of its fields, a field with its type and its length; a null has length -1.
WORD = 4


@njit(inline="always", cache=True)
def _four(data: Any, at: Any) -> Any:
    """The whole number of four bytes that stands there, the largest first; written out, it is one load."""
    high = (np.uint64(data[at]) << np.uint64(24)) | (np.uint64(data[at + 1]) << np.uint64(16))
    return high | (np.uint64(data[at + 2]) << np.uint64(8)) | np.uint64(data[at + 3])


@njit(nogil=True, cache=True)
def read_fields(data: NDArray[np.uint8], ends: Any, widths: Any, sizes: Any, words: Any) -> bool:
    """Of field j of record i, which is data[ends[i]:ends[i + 1]]: its size, -1 for a null, and a word.

    The word has the bits of a field of eight bytes or of one, and says where any other field starts, whose width is
    given as 0. False where fields of these widths do not fill a record exactly; nothing beyond a record is ever read.
    """
    fields, records = sizes.shape
    for i in range(records):
        at: Any = np.int64(ends[i]) + WORD
        end = np.int64(ends[i + 1])
        for j in range(fields):
            at += 2 * WORD
            if at > end:
                return False
            size: Any = np.int64(np.int32(np.uint32(_four(data, at - WORD))))
            if size > end - at or (size >= 0 and widths[j] != 0 and widths[j] != size):
                return False
            sizes[j, i] = max(size, -1)
            if size < 0:
                words[j, i] = np.uint64(0)
            elif widths[j] == 0:
                words[j, i] = np.uint64(at)
            elif widths[j] == 1:
                words[j, i] = np.uint64(data[at])
            else:
                words[j, i] = (_four(data, at) << np.uint64(32)) | _four(data, at + WORD)
            at += max(size, 0)
        if at != end:
            return False
    return True


@njit(nogil=True, cache=True)
def copy_texts(data: NDArray[np.uint8], starts: Any, ends: Any, out: NDArray[np.uint8]) -> None:
    """Text i goes to out[ends[i]:ends[i + 1]]."""
    for i in range(len(starts)):
        start, to = np.int64(starts[i]), ends[i]
        for k in range(ends[i + 1] - to):
            out[to + k] = data[start + k]
