"""Files: CSV (also .gz), Parquet and JSON lines, streamed through DuckDB."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import BadData, BadPath
from .base import Source

__all__ = ["FileSource"]

BATCH_ROWS = 131_072
# DuckDB's time to read the header of a text file grows with the square of the number of columns.
MOST_COLUMNS, MOST_HEADER = 20_000, 4_000_000

# Values of CSV and JSON stay text: DuckDB's guess of a type depends on the rows, and its errors would quote them.
# The header of a CSV is its first line (skip = 0): DuckDB may else take a row for it, and names are shown in errors.
READERS = {
    ".csv": "read_csv(?, all_varchar = true, header = true, skip = 0, sample_size = 1000)",
    ".tsv": "read_csv(?, all_varchar = true, header = true, skip = 0, delim = '\t', sample_size = 1000)",
    ".parquet": "read_parquet(?)",
    ".json": "read_json_objects(?, format = 'auto')",
    ".jsonl": "read_json_objects(?, format = 'newline_delimited')",
    ".ndjson": "read_json_objects(?, format = 'newline_delimited')",
}


class FileSource(Source):
    """One file. Errors never quote the file's content."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise BadPath(f"no file {self.path}; give the path of a .csv, .csv.gz, .parquet or .jsonl file")
        plain = self.path.with_suffix("") if self.path.suffix in (".gz", ".zst") else self.path
        if plain.suffix.lower() not in READERS or not self.path.is_file():
            raise BadPath(f"{self.path} is not a file this reads; allowed: {', '.join(READERS)} (CSV also .gz)")
        self._reader = READERS[plain.suffix.lower()]
        self._json = "json" in self._reader

    @contextmanager
    def _query(self, query: str, reader: str | None = None) -> Iterator[Any]:
        """The relation of a query. DuckDB's own errors may quote the file's content, so they stop here."""
        import duckdb

        try:
            with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
                yield connection.sql(query.format(source=reader or self._reader), params=[escape(str(self.path))])
        except (duckdb.Error, pa.ArrowException, OSError):
            raise BadData(
                f"cannot read {self.path}: it is damaged, empty, not UTF-8 text or not what its ending says"
            ) from None

    @cached_property
    def columns(self) -> Sequence[str]:
        """Names from the header or schema; in JSON, those of the first thousands of objects."""
        if "csv" in self._reader:
            self._check_width()
        with self._query("SELECT * FROM {source}", self._reader.replace("_objects", "")) as relation:
            return list(relation.columns)

    def _check_width(self) -> None:
        """BadData when the first line has more columns than could be read in reasonable time."""
        try:
            with (gzip.open if self.path.suffix == ".gz" else open)(self.path, "rb") as file:
                first = file.readline(MOST_HEADER).split(b"\r", 1)[0]
        except (OSError, EOFError, zlib.error):
            return  # what is wrong with the file is told where it is read
        if max(first.count(mark) for mark in (b",", b"\t", b";", b"|")) >= MOST_COLUMNS:
            raise BadData(f"the first line of {self.path} names more than {MOST_COLUMNS:,} columns; leave some out")

    @property
    def schema(self) -> bool:
        """See Source."""
        return "parquet" in self._reader

    def count(self) -> int:
        """See Source."""
        with self._query("SELECT count(*) FROM {source}") as relation:
            return int(relation.fetchall()[0][0])

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """See Source."""
        chosen = ", ".join(self._value(name) for name in names).replace("{", "{{").replace("}", "}}")
        with self._query(f"SELECT {chosen} FROM {{source}}") as relation:
            # DuckDB 2 calls it to_arrow_reader and warns about the old name.
            stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
            yield from stream(BATCH_ROWS)

    def _value(self, name: str) -> str:
        """SQL for one column; the text of a member of a JSON object, whatever its type."""
        quoted = '"' + name.replace('"', '""') + '"'
        if not self._json:
            return quoted
        member = name.replace("\\", "\\\\").replace('"', '\\"').replace("'", "''")
        return f"json->>'$.\"{member}\"' AS {quoted}"
