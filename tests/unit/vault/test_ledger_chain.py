"""What was done to a ledger by hand shows, and the first bad line is named."""

import contextlib
import shutil
import sqlite3
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from ledgers import make, pure, refused, reserve

from hushtable.budget import Budget
from hushtable.errors import BadLedger
from hushtable.vault.ledger.file import Book
from hushtable.vault.ledger.ledger import Ledger, Line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return make(path)


@pytest.fixture
def busy(ledger: Ledger) -> Ledger:
    """Lines: 1 create, 2 reserve, 3 charge, 4 charge, 5 settle, 6 raise, 7 reserve."""
    with reserve(ledger, pure(Fraction(1, 2))) as release:
        release.charge(pure(Fraction(1, 8)), what="step")
        release.charge(pure(Fraction(1, 4)), what="step")
    ledger.raise_total(Budget(epsilon=2), "more")
    reserve(ledger, pure(Fraction(1, 16)))
    assert ledger.verify() == 7
    return ledger


def tamper(path: Path, script: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"DROP TRIGGER IF EXISTS no_update; DROP TRIGGER IF EXISTS no_delete; {script}")


SWAP = "UPDATE lines SET number = 99 WHERE number = 3; UPDATE lines SET number = 3 WHERE number = 4;"
EDITS = [
    ("UPDATE lines SET amount = '1/9' WHERE number = 3", "line 3 "),
    ("UPDATE lines SET amount = '2/16' WHERE number = 3", "line 3 "),
    ("UPDATE lines SET amount = 'a lot' WHERE number = 3", "line 3 "),
    ("UPDATE lines SET amount = '1/0' WHERE number = 3", "line 3 "),
    ("UPDATE lines SET amount = x'00' WHERE number = 3", "line 3 "),
    ("UPDATE lines SET \"when\" = '1999' WHERE number = 4", "line 4 "),
    ("UPDATE lines SET what = 'nothing' WHERE number = 7", "line 7 "),
    ("UPDATE lines SET synopsis_digest = 'other' WHERE number = 5", "line 5 "),
    ("UPDATE lines SET previous = hash WHERE number = 5", "line 5 "),
    ("UPDATE lines SET hash = previous WHERE number = 5", "line 5 "),
    ("DELETE FROM lines WHERE number = 1", "line 1 is missing|line 1 does not"),
    ("DELETE FROM lines WHERE number = 4", "line 4 is missing"),
    ("DELETE FROM lines WHERE number = 2; UPDATE lines SET what = 'x' WHERE number = 6", "line 2 is missing"),
    (SWAP + "UPDATE lines SET number = 4 WHERE number = 99", "line 3 "),
    ("DELETE FROM lines WHERE number = 7", "line 7 is missing"),
    ("DELETE FROM lines WHERE number >= 3", "line 3 is missing"),
    ("DELETE FROM lines", "line 1 is missing"),
    ("UPDATE meta SET count = 6", "line 7 was added"),
    ("UPDATE meta SET identity = replace(identity, 'clinic', 'school')", "line 1 |replaced or edited"),
    ("UPDATE meta SET identity = 'school'", "edited"),
    ("DELETE FROM meta", "edited"),
    ("DROP TABLE lines", "no such table"),
]


@pytest.mark.parametrize(("script", "says"), EDITS, ids=[script for script, _ in EDITS])
def test_tampering_shows(busy: Ledger, script: str, says: str) -> None:
    tamper(busy.path, script)
    with refused(BadLedger, says):
        busy.verify()
    with refused(BadLedger, says):
        Ledger.open(busy.path).verify()


def test_a_line_sealed_anew_breaks_the_link_after_it(busy: Ledger) -> None:
    line = replace(busy.lines()[2], what="something else")
    tamper(busy.path, f"UPDATE lines SET what = '{line.what}', hash = '{line.hash}' WHERE number = 3")
    for look in (busy.verify, busy.lines, lambda: busy.budget):
        with refused(BadLedger, "line 4 does not follow"):
            look()


def test_a_ledger_bound_to_another_table_by_hand_does_not_open(busy: Ledger) -> None:
    tamper(busy.path, "UPDATE meta SET identity = replace(identity, 'clinic', 'school')")
    with refused(BadLedger, "line 1 does not follow what the ledger is bound to"):
        Ledger.open(busy.path)


def test_a_damaged_index_shows(busy: Ledger) -> None:
    swapped = "CREATE INDEX by_reservation ON lines (number, reservation)"
    edit = f"UPDATE sqlite_master SET sql = '{swapped}' WHERE name = 'by_reservation'"
    tamper(busy.path, f"PRAGMA writable_schema = ON; {edit}")
    with refused(BadLedger, "pages are damaged"):
        busy.verify()


def test_an_edited_head_stops_every_release(busy: Ledger) -> None:
    tamper(busy.path, "UPDATE lines SET spent = '0/1' WHERE number = 7")
    with refused(BadLedger, "line 7 was edited"):
        reserve(busy, pure(Fraction(1, 16)))


def test_lines_cannot_be_changed_by_a_slip(busy: Ledger) -> None:
    with contextlib.closing(sqlite3.connect(busy.path)) as connection:
        for slip in ("UPDATE lines SET what = ''", "DELETE FROM lines"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(slip)


def forge(ledger: Ledger, number: int, **changes: object) -> None:
    """Changes one line and seals the chain anew from there: what somebody who knows the format would do."""
    old, new = ledger.lines(), list[Line]()
    for line in old:
        line = replace(line, previous=new[-1].hash if new else line.previous)  # noqa: PLW2901
        new.append(replace(line, **changes) if line.number == number else line)  # type: ignore[arg-type]
    tamper(ledger.path, "DELETE FROM lines")
    with contextlib.closing(sqlite3.connect(ledger.path)) as connection, connection:
        book = Book(connection)
        for line in new:
            book.append(line)


FORGERIES = [
    (2, {"amount": Fraction(1, 16)}, "line 2 does not add up"),
    (2, {"amount": Fraction(5)}, "line 2 breaks the rules: this costs"),
    (3, {"amount": Fraction(1, 16)}, "line 3 does not add up"),
    (3, {"amount": Fraction(-1, 16)}, "line 3 breaks the rules"),
    (3, {"amount": Fraction(3, 4)}, "line 3 breaks the rules: this costs"),
    (3, {"reservation": 6}, "line 3 breaks the rules"),
    (3, {"kind": "create"}, "line 3 is a create where none may stand"),
    (5, {"amount": Fraction(0)}, "line 5 breaks the rules"),
    (5, {"spent": Fraction(0)}, "line 5 does not add up"),
    (6, {"amount": Fraction(1)}, "line 6 breaks the rules"),
    (7, {"reservation": 2}, "line 7 is a reserve where none may stand"),
]


@pytest.mark.parametrize(("number", "changes", "says"), FORGERIES)
def test_a_forged_chain_must_still_add_up(busy: Ledger, number: int, changes: dict[str, object], says: str) -> None:
    forge(busy, number, what="something else")
    assert busy.verify() == 7  # the limit of a chain without a witness
    forge(busy, number, **changes)
    with refused(BadLedger, says):
        busy.verify()


def test_a_ledger_of_the_same_name_is_not_the_same_ledger(ledger: Ledger, path: Path) -> None:
    release = reserve(ledger, pure(Fraction(1, 2)))
    path.unlink()
    reserve(make(path), pure(Fraction(1, 2)))
    with refused(BadLedger, "replaced"):
        release.charge(pure(Fraction(1, 2)), what="step")
    with refused(BadLedger, "replaced"):
        reserve(ledger, pure(Fraction(1, 2)))


def test_an_older_copy_does_not_know_the_reservation(ledger: Ledger, path: Path) -> None:
    shutil.copy(path, path.with_suffix(".old"))
    release = reserve(ledger, pure(Fraction(1, 2)))
    path.with_suffix(".old").replace(path)
    for settle in (True, False):
        with refused(BadLedger, "reservation 2 is gone"):
            release.settle(synopsis_digest=None) if settle else release.charge(pure(0), what="step")
        reserve(ledger, pure(Fraction(1, 4)))
