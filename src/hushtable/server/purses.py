"""Purses: how many paid answers each analyst has used, and who asked what, on disk before an answer is given."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .problems import PurseEmpty

__all__ = ["Purses"]

SCHEMA = """
CREATE TABLE IF NOT EXISTS asked (
    number INTEGER PRIMARY KEY, analyst TEXT NOT NULL, question TEXT NOT NULL, at REAL NOT NULL,
    source TEXT NOT NULL, answer TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_analyst ON asked (analyst, source);
"""
# A question that was begun counts as paid until it is known to be free, so that no crash lets a purse be overspent.
BEGUN, PAID, LOST = "begun", "paid", "lost"
MOST_SHOWN = 500


class Purses:
    """One file beside the curator's state, written by the process that holds the curator. Fairness, not privacy."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(SCHEMA)
        path.chmod(0o600)

    def begin(self, analyst: str, question: str, granted: int | None) -> int:
        """Takes one answer out of a purse for now; PurseEmpty where there is none."""
        if granted is not None and self.used(analyst) >= granted:
            raise PurseEmpty(
                f"your purse of {granted:,} paid answers is used up; questions that were paid for before stay free, "
                "and the owner of this server can give you more"
            )
        return self._add(analyst, question, BEGUN, {})

    def end(self, number: int, source: str, answer: dict[str, Any]) -> None:
        """What came of it: a free answer goes back into the purse."""
        self._database.execute(
            "UPDATE asked SET source = ?, answer = ? WHERE number = ?", (source, json.dumps(answer), number)
        )

    def record(self, analyst: str, question: str, source: str, answer: dict[str, Any]) -> None:
        """A question that could cost nothing."""
        self._add(analyst, question, source, answer)

    def settle(self, was_paid: Callable[[str], bool]) -> None:
        """After a crash: what was begun is paid where the curator knows its answer, and else was never answered."""
        for number, question in self._database.execute("SELECT number, question FROM asked WHERE source = 'begun'"):
            source = PAID if was_paid(question) else LOST
            self._database.execute("UPDATE asked SET source = ? WHERE number = ?", (source, number))

    def used(self, analyst: str) -> int:
        """Paid answers of an analyst, with those under way."""
        query = "SELECT count(*) FROM asked WHERE analyst = ? AND source IN ('begun', 'paid')"
        return int(self._database.execute(query, (analyst,)).fetchone()[0])

    def all_used(self) -> dict[str, int]:
        """The same of everybody who asked."""
        query = "SELECT analyst, sum(source IN ('begun', 'paid')) FROM asked GROUP BY analyst"
        return {str(name): int(used) for name, used in self._database.execute(query)}

    def history(self, analyst: str) -> list[dict[str, Any]]:
        """What one analyst asked, newest first."""
        query = "SELECT question, at, source, answer FROM asked WHERE analyst = ? ORDER BY number DESC LIMIT ?"
        found = self._database.execute(query, (analyst, MOST_SHOWN)).fetchall()
        names = ("question", "at", "source", "answer")
        return [dict(zip(names, (q, at, source, json.loads(a)), strict=True)) for q, at, source, a in found]

    def everybody(self) -> list[dict[str, Any]]:
        """Who asked what, newest first: for the owner."""
        query = "SELECT analyst, question, at, source FROM asked ORDER BY number DESC LIMIT ?"
        found = self._database.execute(query, (MOST_SHOWN,)).fetchall()
        return [dict(zip(("analyst", "question", "at", "source"), line, strict=True)) for line in found]

    def close(self) -> None:
        """Lets go of the file."""
        self._database.close()

    def _add(self, analyst: str, question: str, source: str, answer: dict[str, Any]) -> int:
        values = (analyst, question, time.time(), source, json.dumps(answer))
        added = self._database.execute(
            "INSERT INTO asked (analyst, question, at, source, answer) VALUES (?, ?, ?, ?, ?)", values
        )
        return int(added.lastrowid or 0)
