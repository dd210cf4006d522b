"""Power cuts on the ledger: cut or foreign journals, lost and older pages. It opens as it was, or is refused.

Where it opens and verifies, it has forgotten no charge whose noise may be out.
"""

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from ledgers import make, pure, reserve

from faults import check_account, hush, is_one_clear_line, release, table
from hushtable.errors import BadLedger, BadPath
from hushtable.vault.ledger.ledger import Ledger

PAGE = 4096


def spent(path: Path) -> Fraction | None:
    """What a ledger that opens and verifies has spent; None where it is refused in one line."""
    try:
        ledger = Ledger.open(path)
        ledger.verify()
        return ledger.spent
    except (BadLedger, BadPath):
        return None


def interrupted(path: Path) -> tuple[bytes, bytes, bytes]:
    """The file before a charge, what of it is on the disk in the middle of one, and its journal at that moment."""
    before = path.read_bytes()
    connection = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(connection):
        # So small a cache that pages are written before the commit, as in a large transaction.
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE meta SET count = count + 1")
        for number in range(10_000, 10_200):
            columns = ", ".join(["?"] * len(connection.execute("SELECT * FROM lines LIMIT 1").fetchone()))
            row = list(connection.execute("SELECT * FROM lines LIMIT 1").fetchone())
            connection.execute(f"INSERT INTO lines VALUES ({columns})", [number, *row[1:]])
        middle, journal = path.read_bytes(), Path(f"{path}-journal").read_bytes()
        connection.execute("ROLLBACK")
    return before, middle, journal


@pytest.fixture
def busy(tmp_path: Path) -> Ledger:
    ledger = make(tmp_path / "clinic.ledger")
    for _ in range(30):
        with reserve(ledger, pure(Fraction(1, 100))) as release_:
            release_.charge(pure(Fraction(1, 100)), what="step")
    return ledger


def test_a_cut_in_the_middle_of_a_commit_is_rolled_back(busy: Ledger) -> None:
    before, middle, journal = interrupted(busy.path)
    assert middle != before, "nothing was written before the commit"
    busy.path.write_bytes(middle)
    Path(f"{busy.path}-journal").write_bytes(journal)
    assert spent(busy.path) == Fraction(30, 100)
    # Without its journal the same file is half a transaction, and is refused.
    busy.path.write_bytes(middle)
    assert spent(busy.path) is None


def test_a_damaged_journal_never_makes_a_ledger_forget(busy: Ledger) -> None:
    before, middle, journal = interrupted(busy.path)
    luck, outcomes = random.Random(3), set()
    for case in range(200):
        changed = bytearray(journal)
        if case % 2:
            del changed[luck.randrange(len(changed)) :]
        else:
            place = luck.randrange(len(changed))
            changed[place : place + 64] = luck.randbytes(64)
        busy.path.write_bytes(luck.choice((before, middle)))
        Path(f"{busy.path}-journal").write_bytes(changed)
        found = spent(busy.path)
        outcomes.add(found)
        assert found in (None, Fraction(30, 100)), case
        Path(f"{busy.path}-journal").unlink(missing_ok=True)
    assert outcomes == {None, Fraction(30, 100)}


def foreign(path: Path) -> Iterator[tuple[str, bytes]]:
    """Journals and logs that do not belong to the ledger."""
    yield "-journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\xff" * 600
    yield "-journal", b"garbage" * 100
    yield "-wal", b"\x37\x7f\x06\x82" + b"\x00" * 4000
    yield "-wal", b"garbage" * 1000
    yield "-shm", b"\xff" * 32_768


def test_a_foreign_journal_changes_nothing(busy: Ledger) -> None:
    genuine = busy.path.read_bytes()
    for ending, data in foreign(busy.path):
        beside = Path(f"{busy.path}{ending}")
        beside.write_bytes(data)
        assert spent(busy.path) in (None, Fraction(30, 100)), ending
        beside.unlink(missing_ok=True)
        busy.path.write_bytes(genuine)
    assert spent(busy.path) == Fraction(30, 100)


def test_lost_or_older_pages_show(busy: Ledger) -> None:
    """Every mixture of an older and the newest copy, page by page, but the older copy as a whole."""
    old = busy.path.read_bytes()
    for _ in range(20):
        with reserve(busy, pure(Fraction(1, 100))) as release_:
            release_.charge(pure(Fraction(1, 100)), what="step")
    new, luck, refused = busy.path.read_bytes(), random.Random(4), 0
    pages = len(new) // PAGE
    assert pages > len(old) // PAGE > 4
    for case in range(300):
        mixed = bytearray(new)
        for page in luck.sample(range(pages), luck.randrange(1, min(4, pages))):
            place = slice(page * PAGE, (page + 1) * PAGE)
            lost = luck.random() < 0.3 or page * PAGE >= len(old)
            mixed[place] = b"\0" * PAGE if lost else old[place]
        if case % 5 == 0:
            del mixed[luck.randrange(len(mixed)) :]
        busy.path.write_bytes(mixed)
        found = spent(busy.path)
        # A page that did not change between the copies is no damage.
        assert found is None or found == Fraction(50, 100), case
        refused += found is None
    assert refused > 200


def test_after_a_cut_the_next_command_says_what_to_do(tmp_path: Path) -> None:
    folder = table(tmp_path / "t")
    assert hush(release("one", "0.1", folder=str(folder)))[0] == 0
    whole = (folder / "t.ledger").read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:PAGE] + b"\0" * (len(whole) - PAGE), b"x" * len(whole)):
        (folder / "t.ledger").write_bytes(damaged)
        for line in (release("two", "0.1", folder=str(folder)), ["ledger", "verify", str(folder / "t.ledger")]):
            code, _, errors = hush(line)
            assert code == 1
            assert is_one_clear_line(errors), errors
            assert any(word in errors for word in ("its owner has looked", "create it again")), errors
        assert not (folder / "two.hush").exists()
    (folder / "t.ledger").write_bytes(whole)
    assert hush(release("two", "0.1", folder=str(folder)))[0] == 0
    assert check_account(folder) == (Fraction(1, 5), 2)
