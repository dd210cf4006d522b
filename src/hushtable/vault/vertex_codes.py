"""Vertex codes: which vertices the two ends of every row are, each row by itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain.vertex import Vertex
from ..maths.keys.keys import plain_value, scalar_text
from .number_texts import NumberTexts, is_text

__all__ = ["encode_edges", "encode_vertices"]

Numbers = NDArray[np.int64]
NONE = -1


def encode_edges(ends: tuple[Vertex, Vertex], batch: pa.RecordBatch) -> Numbers:
    """Both ends of every row, the smaller number first: shape (2, rows); -1 and -1 for a row that is no edge.

    A row is no edge where an end is missing or no declared vertex, or both ends are the same. That depends on the row
    alone: an edge that another row repeats is one more edge.
    """
    found = np.stack([encode_vertices(end, batch.column(i)) for i, end in enumerate(ends)])
    found.sort(axis=0)
    found[:, (found[0] == NONE) | (found[0] == found[1])] = NONE
    return found


def encode_vertices(attribute: Vertex, column: pa.Array) -> Numbers:
    """The vertex of every value, equal to `attribute.vertex` one by one; -1 where it is none."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if attribute.between is not None and (is_text(column.type) or pa.types.is_integer(column.type)):
        return _in_range(attribute, column)
    if attribute.names and is_text(column.type):
        return _by_name(attribute, column)
    return _one_by_one(attribute, column)


def _in_range(attribute: Vertex, column: pa.Array) -> Numbers:
    """Whole numbers all at once; texts that are not plainly numbers one by one."""
    assert attribute.between is not None
    low, high = attribute.between
    rest = np.zeros(len(column), dtype=bool)
    if is_text(column.type):
        texts = NumberTexts.of(column)
        numbers, rest = texts.numbers, texts.rest
    else:
        numbers = np.asarray(pc.fill_null(pc.cast(column, pa.float64(), safe=False), np.nan))
    with np.errstate(invalid="ignore"):
        inside = (numbers >= low) & (numbers <= high) & (np.floor(numbers) == numbers)
    codes = np.where(inside, np.where(inside, numbers, 0.0).astype(np.int64) - low, NONE)
    if rest.any():
        codes[rest] = _one_by_one(attribute, column.filter(pa.array(rest)))
    return codes


def _by_name(attribute: Vertex, column: pa.Array) -> Numbers:
    """Names as they are declared all at once; others, such as those with spaces around them, one by one."""
    known = pa.array(attribute.names, column.type)
    codes = np.asarray(pc.fill_null(pc.index_in(column, known).cast(pa.int64()), NONE)).copy()
    rest = codes == NONE
    if rest.any():
        codes[rest] = _one_by_one(attribute, column.filter(pa.array(rest)))
    return codes


def _one_by_one(attribute: Vertex, column: pa.Array) -> Numbers:
    """Any other column: each distinct value is looked up once, by the attribute itself."""
    if not isinstance(column, pa.DictionaryArray):
        try:
            column = pc.dictionary_encode(column)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            column = pc.dictionary_encode(pa.array(map(scalar_text, column), pa.large_string()))
    found = [attribute.vertex(plain_value(value)) for value in column.dictionary]
    codes = np.array([*(NONE if number is None else number for number in found), NONE], dtype=np.int64)
    places = np.asarray(pc.fill_null(column.indices.cast(pa.int64()), len(found)))
    return np.asarray(codes[places])
