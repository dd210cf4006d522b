"""Addresses: tables that are no file, such as postgresql://host/db. No password is in one, and none is ever shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .errors import BadPath

__all__ = ["DATABASES", "SparkPath", "TableAt", "check_address", "database_at", "scheme_of", "table_at"]

# Of two letters or more: one alone is a drive.
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
DATABASES = ("postgresql", "postgres", "duckdb", "sqlite")
SECRET = "pass"
# A name as it is, or in double quotes, which are doubled inside.
NAME = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


def scheme_of(data: Any) -> str | None:
    """The scheme of an address such as `postgresql://host/table`; None for anything else. A `Path` is none."""
    given = SCHEME.match(data) if isinstance(data, str) else None
    return given[1] if given else None


@dataclass(frozen=True)
class TableAt:
    """A table of a database: the address of that, and the name of the table, `clinic` or `schema.clinic`."""

    address: str
    table: str

    def __post_init__(self) -> None:
        check_address(self.address)
        if not self.names:
            raise BadPath(
                f"name the table (--table) as NAME or SCHEMA.NAME, in double quotes if need be, not {self.table[:80]!r}"
            )

    @property
    def scheme(self) -> str:
        """What stands before ://."""
        return (scheme_of(self.address) or "").lower()

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the table, and of its schema before it where that is said; none where it makes no sense."""
        found, at = [], 0
        while part := NAME.match(self.table, at):
            found.append(part[1].replace('""', '"') if part[1] else part[2])
            at = part.end() + 1
            if part.end() == len(self.table):
                return tuple(found) if len(found) <= 2 else ()
            if self.table[part.end()] != ".":
                return ()
        return ()

    @property
    def label(self) -> str:
        """For messages: scheme, host and database, without a user and without options."""
        parts = urlsplit(self.address)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        return f"table {'.'.join(self.names)} at {parts.scheme}://{host}{port}{parts.path}"


@dataclass(frozen=True)
class SparkPath:
    """A file or folder that Spark reads, on this machine or at an address such as s3a://bucket/clinic.parquet."""

    path: str

    def __post_init__(self) -> None:
        if scheme_of(self.path):
            check_address(self.path)


def database_at(data: Any) -> bool:
    """Whether it is the address of a database."""
    return (scheme_of(data) or "").lower() in DATABASES


def table_at(data: Any, table: str | None, engine: str | None = None) -> Any:
    """The data, or if they are the address of a database the named table of it; BadPath for a name without use.

    With the engine `spark` a path is one that Spark reads.
    """
    if engine is not None and data is not None:
        if table is not None or database_at(data):
            raise BadPath("--engine spark reads files and folders; a table of a database is read without it")
        return SparkPath(str(data))
    if table is None:
        return data
    if not database_at(data):
        raise BadPath(f"a table is named (--table) for the address of a database ({', '.join(DATABASES)}://...) only")
    return TableAt(data, table)


def check_address(address: str) -> None:
    """BadPath where a password is in it, or may be; the words never show the address, as a part of one may be there."""
    try:
        parts = urlsplit(address)
        hidden = parts.password is not None or "@" in parts.path or (parts.port or 1) < 1
        hidden = hidden or any(SECRET in key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:  # an @, / or : in a password makes nonsense of the rest
        hidden = True
    if hidden:
        raise BadPath(
            "the address holds a password, or cannot be read; leave it out: PGPASSWORD, ~/.pgpass or a service file "
            "(PGSERVICE) give a password without showing it"
        )
