"""The file of a ledger: made whole or not at all, and every failure is one clear line."""

import contextlib
import os
import resource
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ledgers import make, pure, refused, reserve

from hushtable.budget import Budget
from hushtable.errors import BadLedger, BadPath, HushError
from hushtable.vault.ledger import file as ledger_file
from hushtable.vault.ledger.ledger import Ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return make(path)


def other_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE lines (number)")


def newer_format(path: Path) -> None:
    make(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")


def torn(path: Path) -> None:
    make(path)
    path.write_bytes(path.read_bytes()[:5000])


FILES: list[tuple[Callable[[Path], object], type[HushError], str]] = [
    (lambda path: None, BadPath, "no ledger at .*clinic.ledger"),
    (lambda path: path.write_text("epsilon: 1\n" * 500), BadLedger, "not a database"),
    (lambda path: path.touch(), BadLedger, "empty"),
    (lambda path: path.mkdir(), BadPath, "cannot open"),
    (other_database, BadLedger, "not a ledger"),
    (newer_format, BadLedger, "format is 2"),
    (torn, BadLedger, "damaged|malformed"),
]


@pytest.mark.parametrize(("build", "kind", "says"), FILES)
def test_what_is_not_a_ledger_is_refused(
    path: Path, build: Callable[[Path], object], kind: type[HushError], says: str
) -> None:
    build(path)
    with refused(kind, says):
        Ledger.open(path).verify()


def test_a_path_inside_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "clinic.ledger", tmp_path / "missing" / "clinic.ledger"):
        with refused(BadPath, "cannot"):
            make(path)
        with refused(BadPath, "cannot open|no ledger at"):
            Ledger.open(path)


def test_a_ledger_is_never_overwritten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve(make(path), pure(1))
    before = path.read_bytes()
    with refused(BadLedger, "exists already"):
        make(path)
    # The other process may be faster than the first look: then the link itself must fail.
    monkeypatch.setattr(ledger_file, "_check_free", lambda place: None)
    with refused(BadLedger, "exists already"):
        make(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_old_journal_is_never_rolled_into_a_new_ledger(path: Path) -> None:
    stray = Path(f"{path}-journal")
    stray.write_bytes(b"left behind")
    with refused(BadLedger, "clinic.ledger-journal is left"):
        make(path)
    assert list(path.parent.iterdir()) == [stray]


def test_without_hard_links_the_name_is_claimed_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_link(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    assert make(path).verify() == 1
    with refused(BadLedger, "exists already"):
        make(path)
    monkeypatch.setattr(ledger_file, "_check_free", lambda place: None)
    with refused(BadLedger, "exists already"):
        make(path)
    assert list(path.parent.iterdir()) == [path]


@contextlib.contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write anywhere; nobody may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    # Not under tmp_path, whose parents only their owner may enter.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder_is_refused_but_can_be_read(closed_folder: Path) -> None:
    ledger = make(closed_folder / "clinic.ledger")
    ledger.path.chmod(0o666)
    closed_folder.chmod(0o555)
    with ordinary_user():
        with refused(BadPath, "cannot"):
            make(closed_folder / "other.ledger")
        with refused(BadPath, "folder must be"):
            reserve(ledger, pure(1))
        assert Ledger.open(ledger.path).verify() == 1


def test_a_read_only_file_is_refused_but_can_be_read(closed_folder: Path) -> None:
    ledger = make(closed_folder / "clinic.ledger")
    ledger.path.chmod(0o444)
    with ordinary_user():
        with refused(BadPath, "readonly"):
            reserve(ledger, pure(1))
        assert Ledger.open(ledger.path).left == 1


def fill(ledger: Ledger) -> None:
    release = reserve(ledger, pure(1))
    for _ in range(200):
        release.charge(pure(0), what="x" * 500)


def test_a_full_disk_loses_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    pragmas = (*ledger_file.PRAGMAS, "PRAGMA max_page_count = 20")
    monkeypatch.setattr(ledger_file, "PRAGMAS", pragmas)
    with refused(BadPath, "full; nothing was recorded"):
        fill(ledger)
    count = ledger.verify()
    assert 10 < count < 200
    monkeypatch.undo()
    ledger.raise_total(Budget(epsilon=2), "there is room again")
    assert (ledger.verify(), ledger.spent) == (count + 1, 1)


def test_a_failing_write_loses_nothing(ledger: Ledger) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    try:
        with refused(BadPath, "disk I/O error"):
            fill(ledger)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert 10 < ledger.verify() < 200
    assert ledger.spent == 1


def test_a_lock_that_is_not_given_up_is_explained(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "WAIT_SECONDS", 0.05)
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused(BadLedger, "in use for 0.05 seconds"):
            reserve(ledger, pure(1))
        assert ledger.left == 1
    reserve(ledger, pure(1))


def test_a_commit_survives_a_power_cut(ledger: Ledger) -> None:
    """3 is EXTRA: with less, the journal's unlinking may be lost, and with it the charge."""
    with contextlib.closing(ledger_file._connect(ledger.path, "rw")) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
