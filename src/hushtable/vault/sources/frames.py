"""Frames: pandas, polars, pyarrow and anything else that exports an Arrow C stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ...attributes import canonical
from ...errors import BadData
from .base import Source

__all__ = ["FrameSource"]

BATCH_ROWS = 131_072


class FrameSource(Source):
    """A table already in memory."""

    def __init__(self, frame: Any) -> None:
        self._table = _table(frame)

    @property
    def columns(self) -> Sequence[str]:
        """Names of the frame's columns."""
        return list(self._table.column_names)

    def count(self) -> int:
        """See Source."""
        return int(self._table.num_rows)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """See Source."""
        if len(set(self._table.column_names)) < self._table.num_columns:
            raise BadData("the frame has two columns of the same name; name each column once")
        yield from self._table.select(list(names)).to_batches(max_chunksize=BATCH_ROWS)


def _table(frame: Any) -> pa.Table:
    try:
        if isinstance(frame, pa.Table):
            return frame
        if isinstance(frame, pa.RecordBatch):
            return pa.Table.from_batches([frame])
        if type(frame).__module__.startswith("pandas"):
            return _from_pandas(frame)
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
    except (pa.ArrowException, AttributeError, LookupError, TypeError, ValueError):
        raise BadData("the frame cannot be turned into an Arrow table; give each column one type") from None
    raise BadData(
        f"cannot read rows from a {type(frame).__name__}; give a path, a pandas or polars frame, a pyarrow table "
        "or anything with __arrow_c_stream__"
    )


def _from_pandas(frame: Any) -> pa.Table:
    """Columns of mixed Python objects have no Arrow type; their text decides, as it does in a CSV."""
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            columns[str(name)] = pa.array(
                [None if gap else canonical(v) for v, gap in zip(frame[name], frame[name].isna(), strict=True)],
                pa.string(),
            )
    return pa.table(columns)
