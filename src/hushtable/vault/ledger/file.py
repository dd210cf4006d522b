"""The file of a ledger: SQLite, opened for one transaction at a time, every failure in one clear line."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import BadLedger, BadPath, HushError
from ...files import publish
from .chain import COLUMNS, Identity, Line, check_chain
from .durable import sync_folder

__all__ = ["Book", "create_file", "reading", "writing"]

WAIT_SECONDS = 30
FORMAT = 1
# "hush" in ASCII: tells a ledger from any other SQLite file.
APPLICATION = 0x68757368

# A rollback journal (SQLite's default, DELETE), not a write-ahead log: at rest the ledger is one file, so a
# plain copy of it is whole, and without shared memory it works wherever file locks do. Such a commit is the
# unlinking of the journal, and only EXTRA (FULL and more) also syncs the folder: with FULL a power cut could
# bring the journal back and undo a charge whose noise is already out. fullfsync matters on macOS alone, where
# fsync stops short of the disk.
PRAGMAS = ("PRAGMA synchronous=EXTRA", "PRAGMA fullfsync=ON")

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_SELECT = f"SELECT {_NAMES} FROM lines"
_MARKS = ", ".join("?" for _ in COLUMNS)
_TYPES = {"number": "INTEGER PRIMARY KEY", "reservation": "INTEGER NOT NULL"}
_COLUMN_TYPES = ", ".join(f'"{name}" {_TYPES.get(name, "TEXT NOT NULL")}' for name in COLUMNS)
# The triggers stop slips of the hand; the hash chain is what shows intent.
_SCHEMA = (
    f"PRAGMA application_id={APPLICATION}",
    f"PRAGMA user_version={FORMAT}",
    f"CREATE TABLE lines ({_COLUMN_TYPES})",
    "CREATE INDEX by_reservation ON lines (reservation, number)",
    "CREATE TABLE meta (identity TEXT NOT NULL, count INTEGER NOT NULL, hash TEXT NOT NULL)",
    "CREATE TRIGGER no_update BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'lines are append-only'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'lines are append-only'); END",
)


class Book:
    """The lines of one ledger inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        meta = connection.execute("SELECT identity, count, hash FROM meta").fetchall()
        if len(meta) != 1:
            raise BadLedger("its first page was edited")
        text, self.count, self.hash = meta[0]
        try:
            self.identity = Identity.read(text)
        except ValueError:
            raise BadLedger("what it is bound to was edited") from None

    def last(self) -> Line:
        """The newest line, which must be the one that was written last."""
        found = self._one(f"{_SELECT} ORDER BY number DESC LIMIT 1")
        return self.check_head(found)

    def check_head(self, newest: Line | None) -> Line:
        """The line, if it is the one that was written last: lines cut off the end show here."""
        number, digest = (newest.number, newest.hash) if newest else (0, "")
        if newest is None or (number, digest) != (self.count, self.hash):
            raise BadLedger(f"line {number + 1} is missing or line {number} was added: it ended at {self.count}")
        return newest

    def line(self, number: int) -> Line | None:
        """The line of this number, if there is one."""
        return self._one(f"{_SELECT} WHERE number = ?", number)

    def latest(self, reservation: int) -> Line | None:
        """The newest line of this reservation, sought from the end along the links.

        Not by an index or a filter: what a damaged page hides from these is missed as a link.
        """
        after: Line | None = None
        for line in map(Line.read, self._connection.execute(f"{_SELECT} ORDER BY number DESC")):
            if after is None:
                self.check_head(line)
            elif after.previous != line.hash:
                raise BadLedger(f"line {after.number} does not follow what stands before it")
            if line.reservation == reservation:
                return line
            after = line
        return None

    def lines(self) -> list[Line]:
        """Every line, oldest first, all of them sound; BadLedger names the first that is not."""
        rows = self._connection.execute(f"{_SELECT} ORDER BY number")
        sound = check_chain(map(Line.read, rows), self.identity)
        self.check_head(sound[-1] if sound else None)
        return sound

    def append(self, line: Line) -> None:
        """Adds the line and moves the head to it, in the transaction that is open."""
        self._connection.execute(f"INSERT INTO lines ({_NAMES}) VALUES ({_MARKS})", line.row())
        self._connection.execute("UPDATE meta SET count = ?, hash = ?", (line.number, line.hash))

    def check_pages(self) -> None:
        """BadLedger when SQLite's own tables and indexes disagree."""
        if self._connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise BadLedger("its pages are damaged")

    def _one(self, query: str, *values: int) -> Line | None:
        row = self._connection.execute(query, values).fetchone()
        return None if row is None else Line.read(row)


@contextmanager
def reading(place: Path) -> Iterator[Book]:
    """One consistent view of the ledger."""
    with _transaction(place, "BEGIN") as book:
        yield book


@contextmanager
def writing(place: Path) -> Iterator[Book]:
    """The only writer while it lasts; on leaving without error the lines are on the disk, else none are."""
    # IMMEDIATE takes the write lock before the balance is read: two processes never see the same money left.
    with _transaction(place, "BEGIN IMMEDIATE") as book:
        yield book


@contextmanager
def _transaction(place: Path, begin: str) -> Iterator[Book]:
    _check_there(place)
    try:
        with contextlib.closing(_connect(place, "rw")) as connection:
            connection.execute(begin)
            _recognise(connection)
            yield Book(connection)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise _explained(error, place) from None
    except UnicodeDecodeError:  # SQLite quotes a schema that is no text, and Python cannot read the quotation
        raise BadLedger(f"{place} is damaged (its schema is not text); {_LOOK}") from None
    except BadLedger as error:
        raise BadLedger(f"{place}: {error}") from None


def _check_there(place: Path) -> None:
    # Anything but a plain absence (a closed folder, a loop of links) is left to SQLite's own words.
    try:
        place.lstat()
    except FileNotFoundError:
        raise BadPath(f"there is no ledger at {place}; make one with hush ledger create") from None
    except OSError:
        return


def _connect(place: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{place.absolute().as_uri()}?mode={mode}", uri=True, timeout=WAIT_SECONDS, isolation_level=None
    )
    try:
        for pragma in PRAGMAS:
            connection.execute(pragma).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _recognise(connection: sqlite3.Connection) -> None:
    pages, application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "application_id", "user_version")
    )
    if pages == 0:
        raise BadLedger("the file is empty: its creation was cut short; delete it and create it again")
    if application != APPLICATION:
        raise BadLedger("this is a database but not a ledger; make one with hush ledger create")
    if version != FORMAT:
        raise BadLedger(f"its format is {version} and this version reads format {FORMAT}; upgrade hushtable")


def create_file(place: Path, identity: Identity, first: Line) -> None:
    """Makes the ledger whole or not at all, and never over something that is there.

    It is built under another name in the same folder and then linked to its own: the link fails when the name
    is taken, so of two processes exactly one wins, and a crash leaves at most a hidden `.new-ledger-*` file.
    """
    _check_free(place)
    fresh = place.with_name(f".new-ledger-{uuid.uuid4().hex}")
    try:
        _build(fresh, identity, first)
        publish(fresh, place)
        sync_folder(place.parent)
    except sqlite3.Error as error:
        raise _explained(error, place) from None
    except FileExistsError:
        raise _taken(place) from None
    except OSError as error:
        raise BadPath(f"cannot create the ledger {place}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def _build(fresh: Path, identity: Identity, first: Line) -> None:
    with contextlib.closing(_connect(fresh, "rwc")) as connection:
        # Nobody else knows this file, so nothing is ever rolled back: one name less for a crash to leave.
        connection.execute("PRAGMA journal_mode=MEMORY").fetchall()
        connection.execute("BEGIN")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES (?, 0, '')", (identity.text(),))
        Book(connection).append(first)
        connection.execute("COMMIT")


def _check_free(place: Path) -> None:
    if os.path.lexists(place):
        raise _taken(place)
    for ending in ("-journal", "-wal"):
        stray = f"{place}{ending}"
        if os.path.lexists(stray):
            # SQLite would roll the old journal back into the new ledger.
            raise BadLedger(f"{stray} is left from an earlier ledger of this name; move it away first")


def _taken(place: Path) -> BadLedger:
    return BadLedger(f"{place} exists already; use it, or choose another name: a ledger is never overwritten")


_LOOK = "release nothing until its owner has looked"
_CANNOT = "cannot open or write {place} ({error}); the file and its folder must be readable and writable"
_EXPLAINED: dict[int, tuple[type[HushError], str]] = {
    sqlite3.SQLITE_NOTADB: (BadLedger, "{place} is not a ledger ({error}); " + _LOOK),
    sqlite3.SQLITE_CORRUPT: (BadLedger, "{place} is damaged ({error}); " + _LOOK),
    sqlite3.SQLITE_BUSY: (BadLedger, "{place} was in use for {wait} seconds by another process; try again"),
    sqlite3.SQLITE_LOCKED: (BadLedger, "{place} was in use for {wait} seconds by another process; try again"),
    sqlite3.SQLITE_FULL: (
        BadPath,
        "the disk of {place} is full; nothing was recorded; make room and try again",
    ),
    sqlite3.SQLITE_READONLY: (BadPath, _CANNOT),
    sqlite3.SQLITE_PERM: (BadPath, _CANNOT),
    sqlite3.SQLITE_CANTOPEN: (BadPath, _CANNOT),
    sqlite3.SQLITE_IOERR: (BadPath, _CANNOT),
}


def _explained(error: sqlite3.Error, place: Path) -> HushError:
    # The low byte is the kind of failure; the rest tells SQLite's authors where it arose.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    kind, text = _EXPLAINED.get(code, (BadLedger, "{place} cannot be used ({error}); " + _LOOK))
    return kind(text.format(place=place, error=error, wait=WAIT_SECONDS))
