"""SQLite: a table or view of a database file, whose cells have types of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import quote

import pyarrow as pa

from .base import BATCH_ROWS
from .databases import DatabaseSource, quoted
from .duckdb_file import path_at
from .frames import cell_texts
from .text_blocks import LONGEST

__all__ = ["SqliteSource"]


class SqliteSource(DatabaseSource):
    """One table or view of a file. Each cell is read by its own text, as in a CSV file: columns hold mixed types.

    A cell of more than 4 MiB is missing.
    """

    name: ClassVar[str] = "sqlite"
    schemes: ClassVar[tuple[str, ...]] = ("sqlite",)

    def _errors(self) -> tuple[type[BaseException], ...]:
        return (sqlite3.Error, OSError)

    def _connect(self) -> Any:
        path = path_at(self._at.address).absolute()
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)
        # Half a character, or bytes that are no text, must not stop a release.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("BEGIN")
        return connection

    def _look_up(self, connection: Any) -> dict[str, str]:
        *schema, table = self._at.names
        if schema not in ([], ["main"]):
            return {}
        there = connection.execute(
            "SELECT count(*) FROM main.sqlite_master WHERE type IN ('table', 'view') AND name = ?", (table,)
        ).fetchone()[0]
        names = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall() if there else []
        return {name: "any" for (name,) in names}

    def _nested(self, kind: str) -> bool:
        return False

    @property
    def _table(self) -> str:
        return f"main.{quoted(self._at.names[-1])}"

    def _count(self, connection: Any) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0])

    def _read(self, connection: Any, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        cursor = connection.execute(f"SELECT {', '.join(map(_short, names))} FROM {self._table}")
        while rows := cursor.fetchmany(BATCH_ROWS):
            columns = [cell_texts(column) for column in zip(*rows, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names=list(names))


def _short(name: str) -> str:
    """A cell unless it is too long, which is told in bytes: the length of a text ends at a character 0."""
    cell = quoted(name)
    long = f"typeof({cell}) IN ('text', 'blob') AND length(CAST({cell} AS BLOB)) > {LONGEST}"
    return f"CASE WHEN {long} THEN NULL ELSE {cell} END"
