"""Records: whole rows as PostgreSQL writes them, one value each, and the columns they are made of.

A driver spends its time on every value it gives; so it gives one a row, and the fields are found here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["columns_of"]

Words = NDArray[np.uint64]
# All bytes of a batch lie in one binary array, whose places are of 32 bits.
Sizes = NDArray[np.int32]
TYPES = {"int8": pa.int64(), "float8": pa.float64(), "bool": pa.bool_(), "text": pa.string()}
# Bytes of a field, 0 where every value has its own.
WIDTHS = {"int8": 8, "float8": 8, "bool": 1, "text": 0}


def columns_of(records: pa.Array, kinds: Sequence[str]) -> list[pa.Array]:
    """The columns of a binary array of records without nulls, each an int8, a float8, a bool or a text.

    ArrowInvalid where they are no such records.
    """
    from .record_kernel import read_fields

    if not len(records):  # there may be no buffers then
        return [pa.array([], TYPES[kind]) for kind in kinds]
    _, ends, data = records.buffers()
    places = np.frombuffer(ends, np.int32, len(records) + 1, 4 * records.offset)
    octets = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    sizes = np.empty((len(kinds), len(records)), dtype=np.int32)
    words = np.empty((len(kinds), len(records)), dtype=np.uint64)
    if not read_fields(octets, places, np.array([WIDTHS[kind] for kind in kinds]), sizes, words):
        raise pa.ArrowInvalid("no records of these columns")
    return [_column(kind, octets, sizes[i], words[i]) for i, kind in enumerate(kinds)]


def _column(kind: str, octets: NDArray[np.uint8], sizes: Sizes, words: Words) -> pa.Array:
    if kind == "text":
        return _texts(octets, sizes, words)
    if kind == "bool":
        return _built(TYPES[kind], sizes, [pa.py_buffer(np.packbits(words != 0, bitorder="little"))])
    return _built(TYPES[kind], sizes, [pa.py_buffer(words)])


def _texts(octets: NDArray[np.uint8], sizes: Sizes, starts: Words) -> pa.Array:
    from .record_kernel import copy_texts

    ends = np.zeros(len(sizes) + 1, dtype=np.int32)
    np.cumsum(np.maximum(sizes, 0), out=ends[1:])
    text = np.empty(ends[-1], dtype=np.uint8)
    copy_texts(octets, starts, ends, text)
    return _built(TYPES["text"], sizes, [pa.py_buffer(ends), pa.py_buffer(text)])


def _built(kind: pa.DataType, sizes: Sizes, buffers: list[pa.Buffer]) -> pa.Array:
    there = sizes >= 0
    flags = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    return pa.Array.from_buffers(kind, len(sizes), [flags, *buffers])
