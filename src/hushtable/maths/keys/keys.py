"""Keys: the canonical bytes of a value, or of several columns together; rows and questions use the same ones.

The bytes of one value are the UTF-8 of its text: spaces around it dropped, Unicode in its composed form (NFC), numbers
and truth values as `attributes.canonical` writes them. A missing value is the byte FF. Several columns are joined by
the byte FE. Neither byte occurs in UTF-8, so different values never have the same key.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...domain.attributes import canonical

__all__ = [
    "MISSING", "byte_lines", "join_keys", "key_of", "key_texts", "plain_value", "scalar_text", "texts_of", "valid_text",
]  # fmt: skip

MISSING, JOIN = b"\xff", b"\xfe"


def key_of(values: Sequence[object]) -> bytes:
    """The key of one row, given a value a column; UnicodeEncodeError where a text has no UTF-8."""
    texts = [canonical(value) for value in values]
    return JOIN.join(MISSING if text is None else _composed(text).encode() for text in texts)


def texts_of(key: bytes) -> list[str | None]:
    """The texts a key is made of, None where the value is missing."""
    return [None if part == MISSING else part.decode() for part in key.split(JOIN)]


def join_keys(columns: Sequence[pa.Array]) -> pa.Array:
    """The keys of rows, from one array of texts a column (null where missing)."""
    parts = [pc.fill_null(column.cast(pa.large_binary()), MISSING) for column in columns]
    if len(parts) == 1:
        return parts[0]
    return pc.binary_join_element_wise(*parts, pa.scalar(JOIN, pa.large_binary()))


def key_texts(column: pa.Array) -> pa.Array:
    """The canonical text of every value, null where it is missing; equal to `key_of` one by one."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if isinstance(column, pa.DictionaryArray):
        return key_texts(column.dictionary).take(column.indices)
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _trimmed(valid_text(column))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.large_string())
    return _floats(column) if pa.types.is_floating(kind) else _one_by_one(column)


def valid_text(column: pa.Array) -> pa.Array:
    """A column of text as large strings in valid UTF-8; Arrow itself does not look, and its functions then fail."""
    texts = column.cast(pa.large_string())
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        return pa.array([v if v is None else v.decode("utf-8", "replace") for v in raw], pa.large_string())
    return texts


def _trimmed(column: pa.Array) -> pa.Array:
    if _is_plain(column):
        return column
    texts = pc.utf8_trim_whitespace(column)
    texts = pc.if_else(pc.equal(pc.binary_length(texts), 0), pa.scalar(None, pa.large_string()), texts)
    plain = pc.string_is_ascii(texts)
    if pc.all(plain, min_count=0).as_py():
        return texts
    return pc.if_else(plain, texts, pa.array([t and _composed(t) for t in texts.to_pylist()], pa.large_string()))


def _is_plain(column: pa.Array) -> bool:
    """Whether nothing is missing, blank, beyond ASCII or surrounded by spaces: then texts are canonical as they are."""
    if column.null_count or not len(column):
        return False
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64, len(column) + 1, 8 * column.offset)
    if data is None or (ends[1:] == ends[:-1]).any():
        return False
    text = np.frombuffer(data, np.uint8)
    # Below "!" lie the space and all that Python counts as one within ASCII.
    outer = min(text[ends[:-1]].min(), text[ends[1:] - 1].min())
    return bool(outer > ord(" ") and text[ends[0] : ends[-1]].max() < 128)


def _floats(column: pa.Array) -> pa.Array:
    """Whole numbers all at once, as data frames write identifiers; others value by value."""
    numbers = column.cast(pa.float64())
    whole = pc.and_(pc.equal(pc.floor(numbers), numbers), pc.less(pc.abs(numbers), 2.0**53))
    whole = pc.fill_null(whole, False)
    texts = pc.if_else(whole, numbers, pa.scalar(None, pa.float64())).cast(pa.int64()).cast(pa.large_string())
    return pc.replace_with_mask(texts, pc.invert(whole), _one_by_one(column.filter(pc.invert(whole))))


def _one_by_one(column: pa.Array) -> pa.Array:
    """Any other type: the text of each distinct value decides."""
    try:
        coded = pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values
        return pa.array([scalar_text(value) for value in column], pa.large_string())
    return pa.array([scalar_text(value) for value in coded.dictionary], pa.large_string()).take(coded.indices)


def plain_value(scalar: pa.Scalar) -> Any:
    """The Python value of an Arrow scalar, whatever it holds. A moment of some time zone is that moment in UTC."""
    kind = scalar.type
    if pa.types.is_timestamp(kind) and kind.tz:
        scalar = scalar.cast(pa.timestamp(kind.unit, "UTC"))
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return scalar.cast(pa.large_binary()).as_py().decode("utf-8", "replace")
    except (OverflowError, ValueError):
        return "out of range"  # a date or duration that Python has no value for


def scalar_text(scalar: pa.Scalar) -> str | None:
    """The canonical text of one value; None where it is missing."""
    try:
        text = canonical(plain_value(scalar))
    except (ValueError, RecursionError):
        text = "out of range"  # a number with more digits than Python writes, or lists without end
    # A nested value may hold half a character; its text must not stop a release.
    return None if text is None else _composed(text).encode("utf-8", "replace").decode()


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def byte_lines(rows: NDArray[np.uint8]) -> pa.Array:
    """Each line of bytes as one value."""
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
    data = pa.py_buffer(np.ascontiguousarray(rows))
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(rows), [None, pa.py_buffer(offsets), data])
