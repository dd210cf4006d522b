"""Kernels that cut lines of CSV text into fields, each row by its own bytes alone; `CsvSource` has the rules."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["copy_fields", "cut_rows", "row_ends"]

LINE_END, RETURN, SPACE = 10, 13, 32
Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Forms = NDArray[np.int8]
# How a field is stored: its bytes as they stand, or with quotes that must be taken out while copying.
MISSING, PLAIN, QUOTED = -1, 0, 1


@numba.njit(cache=True, nogil=True, inline="always")
def _field_end(data: Bytes, place: int, stop: int, separator: int) -> int:
    """Where an unquoted field, or what follows a closing quote, ends."""
    while place < stop and data[place] != separator:
        place += 1
    return place


@numba.njit(cache=True, nogil=True, inline="always")
def _closing(data: Bytes, place: int, stop: int, quote: int) -> int:
    """The closing quote of a field whose text begins at `place`, or -1; doubled quotes are part of the text."""
    while place < stop:
        if data[place] == quote:
            if place + 1 >= stop or data[place + 1] != quote:
                return place
            place += 1
        place += 1
    return -1


@numba.njit(cache=True, nogil=True)
def cut_rows(
    data: Bytes,
    starts: Places,
    ends: Places,
    separator: int,
    quote: int,
    slots: Places,
    longest: int,
    first: Places,
    last: Places,
    form: Forms,
) -> None:
    """Where each wanted field of each row lies: `first`, `last` and `form`, of shape (wanted, rows).

    `slots` gives for every column of the header its place among the wanted ones, or -1. A field that is not there
    stays MISSING: those after the last separator, the rest of a row from an unclosed quote on, and all fields of a
    row that is too long or has more (not blank) fields than the header.
    """
    columns = len(slots)
    for row in range(len(starts)):
        place, stop = starts[row], ends[row]
        if stop - place > longest:
            continue
        if stop > place and data[stop - 1] == RETURN:
            stop -= 1
        column = 0
        while True:
            while place < stop and data[place] == SPACE:
                place += 1
            begin, kind = place, PLAIN
            if place < stop and data[place] == quote:
                close = _closing(data, place + 1, stop, quote)
                if close < 0:
                    if column >= columns:
                        form[:, row] = MISSING
                    break
                kind, place = QUOTED, close + 1
            place = _field_end(data, place, stop, separator)
            if column < columns:
                slot = slots[column]
                if slot >= 0:
                    first[slot, row], last[slot, row], form[slot, row] = begin, place, kind
            elif place - begin > (2 if kind == QUOTED else 0):
                form[:, row] = MISSING
                break
            column += 1
            if place >= stop:
                break
            place += 1


@numba.njit(cache=True, nogil=True)
def _copy_quoted(data: Bytes, place: int, stop: int, quote: int, out: Bytes, size: int) -> int:
    """A quoted field without its quotes; text after the closing quote belongs to it, as in other readers."""
    place += 1
    while place < stop:
        if data[place] == quote:
            place += 1
            if place >= stop or data[place] != quote:
                break
        out[size] = data[place]
        size += 1
        place += 1
    while place < stop:
        out[size] = data[place]
        size += 1
        place += 1
    return size


@numba.njit(cache=True, nogil=True)
def copy_fields(data: Bytes, first: Places, last: Places, form: Forms, quote: int, out: Bytes, offsets: Places) -> None:
    """The texts of one column, one after the other, into `out` and `offsets`; a missing one is empty."""
    size = 0
    for row in range(len(first)):
        offsets[row] = size
        if form[row] == PLAIN:
            for place in range(first[row], last[row]):
                out[size] = data[place]
                size += 1
        elif form[row] == QUOTED:
            size = _copy_quoted(data, first[row], last[row], quote, out, size)
    offsets[len(first)] = size


@numba.njit(cache=True, nogil=True)
def row_ends(
    data: Bytes, separator: int, quote: int, ends: Places, longest: int, final: bool
) -> tuple[NDArray[np.bool_], int]:
    """Which line ends also end a row, where line breaks may stand inside quotes; how far whole rows reach.

    A quote that is not closed within `longest` bytes (or before the end of the file, if `final`) is taken to be
    unclosed on its line: its row then ends with the line on which it began.
    """
    is_end = np.zeros(len(ends), np.bool_)
    start, line, reached, stop = 0, 0, 0, len(data)
    while line < len(ends):
        place, whole = start, True
        while True:
            while place < ends[line] and data[place] == SPACE:
                place += 1
            if place < ends[line] and data[place] == quote:
                close = _closing(data, place + 1, min(stop, start + longest), quote)
                if close < 0:
                    whole = False
                    break
                place = close + 1
            while ends[line] < place:
                line += 1
            place = _field_end(data, place, ends[line], separator)
            if place >= ends[line]:
                break
            place += 1
        if not whole:
            if not final and stop - start <= longest:
                return is_end, reached
            line = int(np.searchsorted(ends, start))
        is_end[line] = True
        start = reached = ends[line] + 1
        line += 1
    return is_end, reached
