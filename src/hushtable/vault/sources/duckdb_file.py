"""DuckDB: a table or view of a database file, read in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from ...errors import BadPath
from .base import BATCH_ROWS
from .databases import DatabaseSource, quoted
from .text_blocks import LONGEST

__all__ = ["DuckdbSource", "path_at"]

TYPES = """
SELECT table_schema, column_name, data_type FROM information_schema.columns
WHERE table_name = ? AND (table_schema = ? OR (? = '' AND table_schema = 'main')) AND table_catalog = current_database()
ORDER BY ordinal_position
"""
# Read as they are under a binned attribute; wider integers have more digits than a float.
PLAIN = {"DOUBLE": "DOUBLE"} | dict.fromkeys(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "BIGINT"
)
NESTED = ("STRUCT", "MAP", "UNION")


def path_at(address: str) -> Path:
    """The file of duckdb:///file.db (from here) or duckdb:////folder/file.db (from the root); BadPath for none."""
    parts = urlsplit(address)
    path = Path(unquote(f"{parts.netloc}{parts.path}").removeprefix("/"))
    if not path.is_file() and (Path("/") / path).is_file():
        path = Path("/") / path  # with three slashes, as people write it
    if not path.is_file():
        raise BadPath(f"no file {path}; {parts.scheme}:///FILE is the address of a database file")
    return path


class DuckdbSource(DatabaseSource):
    """One table or view of a file, opened for reading only."""

    name: ClassVar[str] = "duckdb"
    schemes: ClassVar[tuple[str, ...]] = ("duckdb",)

    def _errors(self) -> tuple[type[BaseException], ...]:
        import duckdb

        return (duckdb.Error, pa.ArrowException, OSError)

    def _connect(self) -> Any:
        import duckdb

        closed = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
        connection = duckdb.connect(str(path_at(self._at.address)), read_only=True, config=closed)
        connection.execute("SET preserve_insertion_order = true")
        connection.execute("SET arrow_large_buffer_size = true")  # a batch of text may be more than 2 GB
        connection.execute("BEGIN TRANSACTION")
        return connection

    def _look_up(self, connection: Any) -> dict[str, str]:
        *schema, table = self._at.names
        named = schema[0] if schema else ""
        found = connection.execute(TYPES, [table, named, named]).fetchall()
        self._schema = found[0][0] if found else ""
        return {name: kind for _, name, kind in found}

    def _nested(self, kind: str) -> bool:
        return kind.endswith("]") or kind.startswith(NESTED)

    @property
    def _table(self) -> str:
        assert self._types
        return f"{quoted(self._schema)}.{quoted(self._at.names[-1])}"

    def _count(self, connection: Any) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {self._table}").fetchall()[0][0])

    def _read(self, connection: Any, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        wanted = ", ".join(f"{self._value(name)} AS {quoted(name)}" for name in names)
        relation = connection.sql(f"SELECT {wanted} FROM {self._table}")
        yield from (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(BATCH_ROWS)

    def _value(self, name: str) -> str:
        """A number as it is, all else as its text; one of more than 4 MiB is missing."""
        kind, column = self._types[name], quoted(name)
        if name in self._numbers and kind in PLAIN:
            return f"{column}::{PLAIN[kind]}"
        if kind == "TIMESTAMP WITH TIME ZONE":
            # Its text would be in the machine's time zone.
            return f"(epoch_us({column}) * INTERVAL 1 MICROSECOND + TIMESTAMP '1970-01-01')::VARCHAR"
        return f"CASE WHEN strlen({column}::VARCHAR) > {LONGEST} THEN NULL ELSE {column}::VARCHAR END"
