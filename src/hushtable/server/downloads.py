"""Downloads: answers and synthetic rows as CSV or Arrow, piece by piece where they are many."""

from __future__ import annotations

import io
from collections.abc import Iterator
from urllib.parse import quote

from ..questions.answer import Answer, CrossTab
from ..synopsis.rows import stream
from .shelf import Opened

__all__ = ["answer_arrow", "answer_csv", "attached", "rows_csv"]


def rows_csv(opened: Opened, rows: int, seed: int | None) -> Iterator[bytes]:
    """Synthetic rows as CSV, a block at a time."""
    import pyarrow.csv

    with opened.turn() as synopsis:
        batches = stream(synopsis, rows, seed=seed)
    sink = io.BytesIO()
    with pyarrow.csv.CSVWriter(sink, batches.schema) as writer:
        while True:
            with opened.turn():
                batch = next(batches, None)
            if batch is None:
                return
            writer.write_batch(batch)
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()


def answer_csv(answer: Answer | CrossTab, confidence: float) -> bytes:
    """An answer with its bars; that of a rehearsal has a column that says so."""
    import pyarrow.csv

    sink = io.BytesIO()
    pyarrow.csv.write_csv(answer.to_arrow(confidence), sink)
    return sink.getvalue()


def answer_arrow(answer: Answer | CrossTab, confidence: float) -> bytes:
    """The same as an Arrow stream."""
    import pyarrow as pa

    table, sink = answer.to_arrow(confidence), io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def attached(name: str) -> dict[str, str]:
    """The header that saves an answer under a name, whatever is in the name."""
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
