"""One flipped bit anywhere in a ledger: every reading stays as it was or is refused in one line, and so is spending."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from ledgers import make, pure, reserve

from hushtable.budget import Budget, Price
from hushtable.errors import HushError
from hushtable.vault.ledger import file as ledger_file
from hushtable.vault.ledger.ledger import Ledger, Line, Reservation

PAGE = 4096
STEP = Price(currency="gdp", amount=Fraction(1, 200))
MIXED = Price(currency="pure", amount=Fraction(1, 4), delta=Fraction(1, 10**7))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    # Nobody cuts the power here, and waiting for the disk takes longest.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_file, "PRAGMAS", ("PRAGMA synchronous=OFF",))
        yield tmp_path_factory.mktemp("bits")


@pytest.fixture(scope="module")
def opened(folder: Path) -> Line:
    """A ledger with lines of every kind and both currencies; and its last reservation, of which half is charged."""
    ledger = make(folder / "genuine.ledger", Budget(epsilon=2, delta="1e-6"))
    with reserve(ledger, MIXED.times(2)) as release:
        release.charge(MIXED, what="reveal")
        release.charge(MIXED, what="reveal")
    ledger.raise_total(Budget(epsilon=3, delta="2e-6"), "more")
    with reserve(ledger, pure(Fraction(1, 10))):
        pass  # returned
    release = reserve(ledger, STEP.times(2))
    release.charge(STEP, what="measure")
    return release.line


READERS: dict[str, Callable[[Ledger], object]] = {
    "what it is bound to": lambda ledger: ledger.identity,
    "total": lambda ledger: ledger.total,
    "spent": lambda ledger: ledger.spent,
    "left": lambda ledger: ledger.left,
    "budget": lambda ledger: ledger.budget,
    "lines": lambda ledger: ledger.lines(),
    "verify": lambda ledger: ledger.verify(),
}


def tried(act: Callable[[], object]) -> object:
    """What it gives; or the word "refused", for an error in one line."""
    try:
        return act()
    except HushError as error:
        said = str(error)
    assert "\n" not in said
    return "refused"


def check_readings(path: Path, right: dict[str, object]) -> set[object]:
    """Each reading by itself, by a program that opens the ledger now and by one that has it open."""
    said = set()
    for name, read in READERS.items():
        found = tried(lambda read=read: read(Ledger.open(path)))  # type: ignore[misc]
        assert found in ("refused", right[name]), name
        said.add("refused" if found == "refused" else "read")
    return said


def check_spending(path: Path, opened: Line) -> bool:
    """Half of the reservation is left; not a hair more of it can be spent, nor is another balance moved."""
    release = Reservation(Ledger.open(path), opened)
    before = tried(lambda: release.ledger.spent)
    if tried(lambda: release.charge(STEP, what="the rest")) == "refused":
        return False
    hair = Price(currency="zcdp", amount=Fraction(1, 10**12))
    assert tried(lambda: release.charge(hair, what="a hair more")) == "refused"
    assert tried(lambda: Ledger.open(path).spent) in ("refused", before)
    return True


def flipped(genuine: bytes, bits: list[int], path: Path) -> Iterator[int]:
    """Writes the ledger with each bit flipped in turn."""
    for bit in bits:
        data = bytearray(genuine)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        Path(f"{path}-journal").unlink(missing_ok=True)
        yield bit


def check_all(folder: Path, opened: Line, bits: Callable[[bytes], list[int]]) -> Counter[str]:
    genuine, path = (folder / "genuine.ledger").read_bytes(), folder / "case.ledger"
    whole = Ledger.open(folder / "genuine.ledger")
    right, outcome = {name: read(whole) for name, read in READERS.items()}, Counter[str]()
    for bit in flipped(genuine, bits(genuine), path):
        try:
            outcome[" and ".join(sorted(map(str, check_readings(path, right))))] += 1
            if tried(lambda: Ledger.open(path)) != "refused":
                outcome["spent"] += check_spending(path, opened)
        except BaseException as error:
            raise AssertionError(f"bit {bit % 8} of byte {bit // 8 % PAGE} of page {bit // 8 // PAGE}") from error
    return outcome


def used(genuine: bytes, luck: random.Random, *, schema: float, others: float, empty: float) -> list[int]:
    """Bits of so many of the bytes that the schema and the other pages use, and of the empty ones."""
    chosen = []
    for place, byte in enumerate(genuine):
        share = (schema if place < PAGE else others) if byte else empty
        chosen += [8 * place + bit for bit in range(8) if luck.random() < share]
    return chosen


def test_no_flipped_bit_changes_a_reading_or_lets_more_be_spent(folder: Path, opened: Line) -> None:
    luck = random.Random(7)
    outcome = check_all(folder, opened, lambda data: used(data, luck, schema=0.03, others=0.01, empty=0.001))
    assert outcome["refused"] > 70
    assert outcome["read"] > 50
    assert outcome["spent"] > 70


def test_a_schema_that_is_no_text_is_refused(folder: Path, opened: Line) -> None:
    """The highest bit of a letter: SQLite then quotes bytes that are no text, which Python cannot read."""
    outcome = check_all(folder, opened, lambda data: [8 * at + 7 for at in range(data.index(b"CREATE"), PAGE, 7)])
    assert outcome["refused"] > 50


@pytest.mark.slow
def test_no_flipped_bit_of_the_used_bytes(folder: Path, opened: Line) -> None:
    luck = random.Random(8)
    outcome = check_all(folder, opened, lambda data: used(data, luck, schema=0.2, others=0.1, empty=0.002))
    assert outcome["refused"] > 1500
