"""JSON files: one object a line (.jsonl, .ndjson), or an array of objects (.json); each is read by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ...domain import Domain
from ...errors import BadData
from .base import BATCH_ROWS
from .csv_cells import Rows, rows_by_line, texts
from .csv_kernel import MISSING, PLAIN
from .files import FileSource, ending_of
from .json_kernel import elements
from .text_blocks import LONGEST, count_lines, line_blocks, whole_text

__all__ = ["JsonSource"]


class JsonSource(FileSource):
    """One file. A row is one object; the domain says which of its members are read, and others do not matter.

    A member that is not there is missing. A row that is no JSON object, or longer than 4 MiB, has no values at all.
    """

    name: ClassVar[str] = "json"
    endings: ClassVar[tuple[str, ...]] = (".json", ".jsonl", ".ndjson")

    def __init__(self, data: str | Path) -> None:
        super().__init__(data)
        self._lines = ending_of(self.path) != ".json"

    @cached_property
    def columns(self) -> Sequence[str]:
        """Names of all members of all objects, for the owner's draft of a domain; a release does not look at them."""
        names: dict[str, None] = {}
        kinds = "SELECT json_keys(line) AS keys, row_number() OVER () AS number FROM rows WHERE json_valid(line)"
        for batch in self._texts():
            with self._asked(batch, f"SELECT keys FROM ({kinds}) GROUP BY keys ORDER BY min(number)") as relation:
                for (keys,) in relation.fetchall():
                    names.update(dict.fromkeys(keys))
        return list(names)

    def check(self, domain: Domain) -> None:
        """Nothing to check: whether an object has a member is the matter of its own row."""

    def count(self) -> int:
        return count_lines(self.path) if self._lines else sum(len(rows.starts) for rows in self._rows())

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Values are text: of a string its content, of anything else its JSON."""
        chosen = ", ".join(f"CASE WHEN valid THEN {_member(name)} END AS {_quoted(name)}" for name in names)
        query = f"SELECT {chosen} FROM (SELECT line, coalesce(json_valid(line), false) AS valid FROM rows)"
        for batch in self._texts():
            with self._asked(batch, query) as relation:
                # DuckDB 2 calls it to_arrow_reader and warns about the old name.
                stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
                yield from stream(BATCH_ROWS)

    @contextmanager
    def _asked(self, batch: pa.Table, query: str) -> Iterator[Any]:
        import duckdb

        try:
            # Rows of an array may be large, and many of them more than 2 GB.
            settings = {"autoinstall_known_extensions": False, "threads": 1, "arrow_large_buffer_size": True}
            with duckdb.connect(config=settings) as connection:
                connection.register("rows", batch)
                yield connection.sql(query)
        except duckdb.Error:
            raise BadData(f"cannot read {self.path}: it is damaged or not what its ending says") from None

    def _texts(self) -> Iterator[pa.Table]:
        """One text a row, null where it is too long."""
        for data, starts, ends in self._rows():
            for first in range(0, len(starts), BATCH_ROWS):
                begin, end = starts[first : first + BATCH_ROWS], ends[first : first + BATCH_ROWS]
                form = np.where(end - begin > LONGEST, MISSING, PLAIN).astype(np.int8)
                yield pa.table({"line": texts(data, begin, end, form)})

    def _rows(self) -> Iterator[Rows]:
        return rows_by_line(line_blocks(self.path)) if self._lines else iter([self._array(whole_text(self.path))])

    def _array(self, text: bytes) -> Rows:
        """The elements of the array that the file is."""
        if not text.lstrip().startswith(b"["):
            raise BadData(f"{self.path} is no JSON array; a file with one object a line is named .jsonl")
        data = np.frombuffer(text, np.uint8)
        starts, ends = (np.zeros(int((data == ord(",")).sum()) + 1, np.int64) for _ in range(2))
        count = elements(data, starts, ends)
        if count < 0:
            raise BadData(f"cannot read {self.path}: it is damaged or not what its ending says")
        if count == 1 and not text[starts[0] : ends[0]].strip():
            count = 0
        return Rows(data, starts[:count], ends[:count])


def _member(name: str) -> str:
    """SQL for the text of one member of an object, whatever its type."""
    path = name.replace("\\", "\\\\").replace('"', '\\"').replace("'", "''")
    return f"json_extract_string(line, '$.\"{path}\"')"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
