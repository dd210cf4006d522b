"""Frames: pandas, polars, pyarrow and anything else that exports an Arrow C stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import pyarrow as pa

from ...domain.attributes import canonical
from ...errors import BadData
from ..held_codes import HeldCodes
from .base import BATCH_ROWS, Source, once
from .views import without_views

__all__ = ["FrameSource", "cell_texts"]


class FrameSource(Source):
    """A table already in memory. Typed columns are read by their type, columns of Python objects value by value."""

    name: ClassVar[str] = "frame"

    def __init__(self, data: Any) -> None:
        self._table = _table(data)

    @classmethod
    def takes(cls, data: Any) -> bool:
        home = type(data).__module__
        known = isinstance(data, (pa.Table, pa.RecordBatch)) or home.startswith(("pandas", "polars"))
        # Spark's would bring all its rows here.
        return known or (hasattr(data, "__arrow_c_stream__") and not home.startswith("pyspark"))

    @property
    def columns(self) -> Sequence[str]:
        """Names of the frame's columns."""
        return list(self._table.column_names)

    def count(self) -> int:
        return int(self._table.num_rows)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        once(self.columns, names, "the frame")
        yield from map(without_views, self._table.select(list(names)).to_batches(max_chunksize=BATCH_ROWS))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Codes are held over all passes."""
        self.held = HeldCodes()
        try:
            yield
        finally:
            self.held = None


def _table(frame: Any) -> pa.Table:
    try:
        if isinstance(frame, pa.Table):
            return frame
        if isinstance(frame, pa.RecordBatch):
            return pa.Table.from_batches([frame])
        if type(frame).__module__.startswith("pandas"):
            return pa.table({str(name): _pandas_column(frame[name]) for name in _names(frame.columns)})
        if type(frame).__module__.startswith("polars"):
            frame = frame.collect() if hasattr(frame, "collect") else frame  # a LazyFrame
            return pa.table({name: _polars_column(frame[name]) for name in _names(frame.columns)})
        return pa.table(frame)
    except (pa.ArrowException, AttributeError, LookupError, TypeError, ValueError):
        raise BadData("the frame cannot be turned into an Arrow table; give each column one type") from None


def _names(columns: Iterable[Any]) -> list[Any]:
    names = list(columns)
    once([str(name) for name in names], [str(name) for name in names], "the frame")
    return names


def _pandas_column(column: Any) -> Any:
    """A type that is declared is kept. Among Python objects no type is looked for: that would depend on all rows."""
    if hasattr(column.dtype, "categories") and not _has_type(column.cat.categories):
        codes, texts = column.cat.codes.to_numpy(), _texts(column.cat.categories, column.cat.categories.isna())
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), texts)
    return pa.array(column, from_pandas=True) if _has_type(column) else _texts(column, column.isna())


def _has_type(column: Any) -> bool:
    """Whether Arrow has a type for this one, whatever the values; text is left out, as half a character has none."""
    if column.dtype == object or (column.dtype.kind in "OUTS" and not hasattr(column.dtype, "pyarrow_dtype")):
        return False
    try:
        pa.array(column[:0], from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return False
    return True


def _polars_column(column: Any) -> Any:
    if str(column.dtype) == "Object":
        return _texts(column.to_list(), column.is_null())
    return pa.table(column.to_frame()).column(0)


def cell_texts(values: Sequence[Any]) -> pa.Array:
    """The texts of Python values, null for None; each by itself."""
    return _texts(values, [value is None for value in values])


def _texts(values: Any, missing: Iterable[bool]) -> pa.Array:
    """Each object by its own text, as in a CSV file; one that has none is a text no domain declares."""
    try:
        return pa.array(values, pa.large_string(), from_pandas=True)  # all are text: the same, only faster
    except (pa.ArrowException, TypeError, ValueError):
        texts = [None if gap else _text(value) for value, gap in zip(values, missing, strict=True)]
        return pa.array(texts, pa.large_string())


def _text(value: object) -> str | None:
    try:
        text = canonical(value)
        # Half a character has no place in Arrow's text.
        return None if text is None else text.encode("utf-8", "replace").decode()
    except Exception:  # an object may do anything when asked for its text
        return "unreadable"
