"""Views: text that Arrow holds as views, as polars does, in the plain form that all of Arrow's functions take."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["without_views"]

# The oldest Arrow that is supported has no views.
KINDS = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
PLAIN = {getattr(pa, name)(): kind for name, kind in KINDS.items() if hasattr(pa, name)}


def without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows with plain columns of text; which columns are changed is decided by their types alone."""
    if not any(kind in PLAIN for kind in batch.schema.types):
        return batch
    columns = [column.cast(PLAIN[column.type]) if column.type in PLAIN else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
