"""Accounts: who may log in, as what, and with which tokens; one SQLite file that only its owner can read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import check_whole
from ..words import listed, suggestion
from .problems import BadServer, LoginNeeded

__all__ = ["Accounts", "Person", "Role"]

Role = Literal["analyst", "owner"]
ROLES: tuple[Role, ...] = ("analyst", "owner")
NAME = re.compile(r"[a-z][a-z0-9._-]{0,39}")
LEAST_PASSWORD = 10
MOST_PASSWORD = 500
DAY = 86_400
# A password is hashed with 64 MiB and a fifth of a second of work: no more than this many at once.
HASHED_AT_ONCE = 2
WRONG = "name or password is wrong"
SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, epoch INTEGER NOT NULL, purse INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS tokens (
    digest TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users(name) ON DELETE CASCADE, expires REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who is logged in."""

    name: str
    role: Role
    epoch: int = 0
    """Rises with every new password, which ends the logins of before."""
    purse: int | None = None
    """How many paid answers of a curator they were given; None for as many as there are."""


class Accounts:
    """The file of all accounts."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._hashing = threading.BoundedSemaphore(HASHED_AT_ONCE)
        _check_file(path, create=create)
        with self._transaction() as database:
            database.executescript(SCHEMA)
            database.execute("INSERT OR IGNORE INTO secrets VALUES ('cookies', ?)", (secrets.token_bytes(32),))
        # Somebody who is not there takes as long to turn away as somebody with a wrong password.
        self._nobody = self._hashed(secrets.token_urlsafe(16))

    @property
    def cookie_key(self) -> bytes:
        """The secret that cookies are signed with."""
        with self._transaction() as database:
            return bytes(database.execute("SELECT value FROM secrets WHERE name = 'cookies'").fetchone()[0])

    def add(self, name: str, password: str, *, role: str = "analyst", purse: int = 0) -> None:
        """A new person; BadServer for a name that is taken or none."""
        if not NAME.fullmatch(name):
            raise BadServer(f"a name is 1 to 40 of a-z, 0-9, point, - and _, and begins with a letter; not {name!r}")
        if role not in ROLES:
            raise BadServer(f"a role is analyst or owner, not {role!r}")
        check_whole(purse, "the purse", BadServer, least=0)
        hashed = self._hashed(_checked(password))
        try:
            with self._transaction() as database:
                database.execute("INSERT INTO users VALUES (?, ?, ?, 0, ?)", (name, role, hashed, purse))
        except sqlite3.IntegrityError:
            raise BadServer(f"there is a user '{name}' already; choose another name or remove that one") from None

    def remove(self, name: str) -> None:
        """Somebody goes, with all tokens."""
        self._change(name, "DELETE FROM users WHERE name = ?", name)

    def set_password(self, name: str, password: str) -> None:
        """A new password; logins with the old one end."""
        hashed = self._hashed(_checked(password))
        self._change(name, "UPDATE users SET password = ?, epoch = epoch + 1 WHERE name = ?", hashed, name)

    def set_purse(self, name: str, answers: int) -> None:
        """How many paid answers of a curator somebody may use in all."""
        check_whole(answers, "the purse", BadServer, least=0)
        self._change(name, "UPDATE users SET purse = ? WHERE name = ?", answers, name)

    def people(self) -> list[Person]:
        """Everybody, by name."""
        with self._transaction() as database:
            found = database.execute("SELECT name, role, epoch, purse FROM users ORDER BY name").fetchall()
        return [Person(name=name, role=role, epoch=epoch, purse=purse) for name, role, epoch, purse in found]

    def person(self, name: str) -> Person | None:
        """Somebody by name."""
        return next((person for person in self.people() if person.name == name), None)

    def login(self, name: str, password: str) -> Person:
        """Who that is; LoginNeeded says the same, after as long, for a wrong name and a wrong password."""
        with self._transaction() as database:
            found = database.execute("SELECT password FROM users WHERE name = ?", (name,)).fetchone()
        right = self._matches(self._nobody if found is None else str(found[0]), password)
        person = self.person(name) if right and found is not None else None
        if person is None:
            raise LoginNeeded(f"{WRONG}; try again, or ask the owner of this server for an account")
        return person

    def new_token(self, name: str, *, days: int = 365) -> str:
        """A token for programs, shown this once: only its hash is kept."""
        check_whole(days, "the days of a token", BadServer, most=3650)
        token = f"hush_{secrets.token_urlsafe(32)}"
        self._change(
            name,
            "INSERT INTO tokens SELECT ?, name, ? FROM users WHERE name = ?",
            _digest(token),
            time.time() + days * DAY,
            name,
        )
        return token

    def token_person(self, token: str) -> Person:
        """Whose token that is; LoginNeeded for one that was never given or has expired."""
        with self._transaction() as database:
            found = database.execute("SELECT user, expires FROM tokens WHERE digest = ?", (_digest(token),)).fetchone()
        person = None if found is None else self.person(str(found[0]))
        if found is None or person is None:
            raise LoginNeeded("this token is not known here; ask the owner of this server for one")
        if time.time() > float(found[1]):
            raise LoginNeeded("this token has expired; ask the owner of this server for a new one")
        return person

    def _change(self, name: str, statement: str, *values: object) -> None:
        with self._transaction() as database:
            if database.execute(statement, values).rowcount == 1:
                return
        known = [person.name for person in self.people()]
        raise BadServer(f"no user '{name}'; there are: {listed(known) or 'none yet'}.{suggestion(name, known)}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self.path, timeout=10)
        try:
            database.execute("PRAGMA foreign_keys = ON")
            with database:
                yield database
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError):
                raise
            raise BadServer(f"{self.path} is not a file of accounts, or is damaged; make one with `user add`") from None
        finally:
            database.close()

    def _hashed(self, password: str) -> str:
        from argon2 import PasswordHasher

        with self._hashing:
            return PasswordHasher().hash(password)

    def _matches(self, hashed: str, password: str) -> bool:
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError

        with self._hashing, contextlib.suppress(VerificationError, InvalidHashError):
            return PasswordHasher().verify(hashed, password[:MOST_PASSWORD])
        return False


def _digest(token: str) -> str:
    # A token has 256 random bits: one hash is enough, where a password needs a slow one.
    return hashlib.sha256(token.encode()).hexdigest()


def _checked(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise BadServer(f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters, and this one {len(password)}")
    return password


def _check_file(path: Path, *, create: bool) -> None:
    """Makes the file for its owner's eyes alone, or refuses one that others can read."""
    if not path.exists():
        if not create:
            raise BadServer(f"no file {path}; make it with `hush serve user add NAME --users {path}`")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as error:
            raise BadServer(f"cannot make {path}: {error.strerror}; choose another folder") from None
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise BadServer(f"{path} holds accounts and can be read by others; `chmod 600 {path}` and start again")
