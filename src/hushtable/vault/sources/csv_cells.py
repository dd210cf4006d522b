"""Cells: from blocks of CSV text to Arrow columns of text, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .csv_kernel import MISSING, copy_fields, cut_rows, row_ends
from .text_blocks import LONGEST

__all__ = ["Bytes", "Marks", "Places", "Rows", "cells", "rows_by_line", "rows_over_lines", "texts"]

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
# A byte that no UTF-8 text has, so that it is never found.
NONE = 0xFF


class Marks(NamedTuple):
    """The bytes that cut a row."""

    separator: int
    quote: int

    @classmethod
    def of(cls, separator: str | None, quote: str) -> Marks:
        """From the characters, or none."""
        return cls(ord(separator) if separator else NONE, ord(quote) if quote else NONE)


class Rows(NamedTuple):
    """A block of bytes, and where each of its rows begins and ends."""

    data: Bytes
    starts: Places
    ends: Places


def rows_by_line(blocks: Iterable[bytes]) -> Iterator[Rows]:
    """Every line is a row."""
    for block in blocks:
        data = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(data == ord("\n"))
        yield Rows(data, _starts(ends), ends)


def rows_over_lines(blocks: Iterable[bytes], marks: Marks) -> Iterator[Rows]:
    """A row may hold line breaks inside quotes. An unclosed quote ends with its line, but only once it is known."""
    carried = b""
    for block in blocks:
        carried += block
        rows, reached = _whole_rows(carried, marks, final=False)
        yield rows
        carried = carried[reached:]
    if carried:
        yield _whole_rows(carried, marks, final=True)[0]


def _whole_rows(block: bytes, marks: Marks, *, final: bool) -> tuple[Rows, int]:
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    is_end, reached = row_ends(data, marks.separator, marks.quote, ends, LONGEST, final)
    ends = ends[is_end]
    return Rows(data, _starts(ends), ends), int(reached)


def _starts(ends: Places) -> Places:
    """A row begins after the one before."""
    return np.concatenate([[0], ends + 1])[:-1]


def cells(rows: Rows, marks: Marks, slots: NDArray[np.int64], wanted: int) -> Sequence[pa.Array]:
    """The wanted columns, null where a row has no such field. `slots` has each column's place among them, or -1."""
    shape = (wanted, len(rows.starts))
    first, last = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    form = np.full(shape, MISSING, np.int8)
    cut_rows(rows.data, rows.starts, rows.ends, marks.separator, marks.quote, slots, LONGEST, first, last, form)
    return [texts(rows.data, *field, marks.quote) for field in zip(first, last, form, strict=True)]


def texts(data: Bytes, first: Places, last: Places, form: NDArray[np.int8], quote: int = NONE) -> pa.Array:
    """The texts between these places, null where the form says MISSING."""
    missing = form == MISSING
    out = np.empty(int((last - first)[~missing].sum()), np.uint8)
    offsets = np.empty(len(first) + 1, np.int64)
    copy_fields(data, first, last, form, quote, out, offsets)
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.LargeStringArray.from_buffers(len(first), pa.py_buffer(offsets), pa.py_buffer(out), valid)
