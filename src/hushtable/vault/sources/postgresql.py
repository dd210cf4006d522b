"""PostgreSQL: a table or view, read in one transaction through ADBC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from ...errors import BadData, HushError
from ...extras import need
from .ahead import ahead
from .databases import DatabaseSource, quoted
from .records import columns_of
from .text_blocks import LONGEST

__all__ = ["PostgresqlSource"]

# What a value's text depends on, what filters rows silently, and what lets two passes see rows in another order.
SETTINGS = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL row_security = off",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL intervalstyle = 'postgres'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL lc_monetary = 'C'",
    "SET LOCAL client_encoding = 'UTF8'",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    "SET LOCAL synchronize_seqscans = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
    "SET LOCAL jit = off",
    "SET LOCAL enable_indexscan = off",
    "SET LOCAL enable_indexonlyscan = off",
    "SET LOCAL enable_bitmapscan = off",
)
# Where it is, looked for by name before the search path is fixed: tables, partitioned and foreign ones, and views.
FIND = """
SELECT c.oid::int8, n.nspname::text, c.relname::text FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
AND (n.nspname = $2 OR ($2 = '' AND pg_catalog.pg_table_is_visible(c.oid)))
"""
# Types of columns; of a type that restricts another that other one.
TYPES = """
WITH RECURSIVE base AS (
  SELECT a.attnum, a.attname, t.typname, t.typtype, t.typbasetype, t.typcategory
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, b.attname, t.typname, t.typtype, t.typbasetype, t.typcategory
  FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd'
)
SELECT attname::text, CASE typcategory WHEN 'A' THEN 'array' WHEN 'C' THEN 'record' ELSE typname::text END
FROM base WHERE typtype <> 'd' ORDER BY attnum
"""
# Read as they are, as their value says what their text says. A float8 may be NaN, which is missing where its text
# would be a value, so only under a binned attribute; the text of a float4 is shorter than its value as a float8.
PLAIN = {"bool": "bool", "int2": "int8", "int4": "int8", "int8": "int8"}
# Whose bytes are told without looking at them, and whose texts are short; of all other types the text is measured.
LONG = ("text", "varchar", "bpchar", "bytea")
SHORT = (
    "float4", "float8", "numeric", "date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "inet",
    "cidr", "macaddr", "macaddr8", "money", "oid", "name", "char",
)  # fmt: skip
# A row travels as one value, which has less than 1 GB.
MOST_BYTES = 1 << 29
PERMISSION = "42501"
# What the driver gathers before it gives a batch. Larger ones take memory and no less time.
BATCH_BYTES = 1 << 22
# Before there is a session the driver has no code for what went wrong; its words are looked at and never repeated.
UNKNOWN_USER = ("password", "authentication", "role")
UNKNOWN_DATABASE = ("database", "does not exist")


class PostgresqlSource(DatabaseSource):
    """One table or view. Passwords come from PGPASSWORD, ~/.pgpass or a service file, never from the address."""

    name: ClassVar[str] = "postgresql"
    schemes: ClassVar[tuple[str, ...]] = ("postgresql", "postgres")

    def __init__(self, *given: Any, **options: Any) -> None:
        for module in ("adbc_driver_manager", "adbc_driver_postgresql"):
            need(module)
        super().__init__(*given, **options)
        self._place: tuple[int, str, str] | None = None
        self._met = False

    def _errors(self) -> tuple[type[BaseException], ...]:
        from adbc_driver_manager import Error

        return (Error, pa.ArrowException, OSError)

    def _connect(self) -> Any:
        from adbc_driver_postgresql import dbapi

        self._met = False
        connection = dbapi.connect(self._at.address, autocommit=True)
        self._met = True
        try:
            with connection.cursor() as cursor:
                self._place = self._find(cursor)
                for setting in SETTINGS:
                    cursor.execute(setting)
        except BaseException:
            with self._quietly():
                connection.close()
            raise
        return connection

    def _find(self, cursor: Any) -> tuple[int, str, str] | None:
        *schema, table = self._at.names
        cursor.execute(FIND, (table, schema[0] if schema else ""))
        found = cursor.fetchall()
        return found[0] if len(found) == 1 else None

    def _look_up(self, connection: Any) -> dict[str, str]:
        if self._place is None:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(TYPES, (self._place[0],))
            return dict(cursor.fetchall())

    def _nested(self, kind: str) -> bool:
        return kind in ("array", "record")

    @property
    def _table(self) -> str:
        assert self._place is not None
        return f"{quoted(self._place[1])}.{quoted(self._place[2])}"

    def _count(self, connection: Any) -> int:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {self._table}")
            return int(cursor.fetchone()[0])

    def _read(self, connection: Any, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        kinds = [self._kind(name) for name in names]
        wanted = ", ".join(map(self._value, names))
        with connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)})
            cursor.execute(f"SELECT pg_catalog.record_send(ROW({wanted})) FROM {self._table}")
            for batch in ahead(cursor.fetch_record_batch()):
                yield pa.RecordBatch.from_arrays(columns_of(batch.column(0), kinds), names=list(names))

    def _value(self, name: str) -> str:
        """A cell as it travels. One whose text is too long is missing, so that no row is more than the server sends."""
        column, kind, of = quoted(name), self._kind(name), self._types[name]
        if kind != "text" or of in SHORT:
            return f"{column}::{kind}"
        # The text of bytes has two characters for each.
        most = min(LONGEST, MOST_BYTES // max(len(self._types), 1)) // (2 if of == "bytea" else 1)
        measured = column if of in LONG else f"{column}::text"
        return f"CASE WHEN pg_catalog.octet_length({measured}) > {most} THEN NULL ELSE {column}::text END"

    def _kind(self, name: str) -> str:
        kind = self._types[name]
        if kind == "float8" and name in self._numbers:
            return kind
        return PLAIN.get(kind, "text")

    def _in_words(self, error: BaseException) -> HushError:
        state = getattr(error, "sqlstate", None)
        if state == PERMISSION:
            return BadData(
                f"{self.label}: this user may not read it, or row security hides rows from them; grant SELECT (and "
                "BYPASSRLS where rows have policies) to the user who releases"
            )
        return super()._in_words(error) if self._met else self._not_met(str(error).lower())

    def _not_met(self, words: str) -> HushError:
        if any(word in words for word in UNKNOWN_USER):
            return BadData(
                f"{self.label}: user or password is wrong; PGUSER and PGPASSWORD, ~/.pgpass or a service file give them"
            )
        if all(word in words for word in UNKNOWN_DATABASE):
            return BadData(f"{self.label}: there is no such database; correct the address")
        return BadData(f"{self.label}: no server answers there; correct host and port, or start it")
