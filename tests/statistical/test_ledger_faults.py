"""The ledger under crashes and crowds: no charge is lost, nothing is overspent."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

import hushtable
from hushtable.budget import Budget, Unit
from hushtable.errors import BadLedger
from hushtable.vault.ledger.ledger import Ledger, Line

pytestmark = pytest.mark.slow

SOURCE = str(Path(hushtable.__file__).parents[1])
KILLS = 100

PRELUDE = """
import os, sys
from fractions import Fraction
from pathlib import Path
from hushtable.budget import Budget, Price, Unit
from hushtable.errors import BadLedger, OverBudget
from hushtable.vault.ledger.ledger import Ledger

def price(denominator):
    return Price(currency="pure", amount=Fraction(1, denominator))

def make(path):
    return Ledger.create(path, table="clinic", domain_digest="d", unit=Unit(), total=Budget(epsilon=1))

path = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
"""

WRITER = """
ledger, fitted = Ledger.open(path), 0
for _ in range(1000):
    try:
        ledger.reserve(price(1500), what="w", mechanism="m", plan_digest="p")
        fitted += 1
    except OverBudget:
        pass
print(fitted)
"""

# Every third release fails before its first charge and is returned.
RELEASER = """
ledger = Ledger.open(path)
while True:
    with ledger.reserve(price(10**6), what="r", mechanism="m", plan_digest="p") as release:
        if release.number % 3 == 0:
            continue
        for _ in range(2):
            release.charge(price(2 * 10**6), what="step")
        (path.parent / f"{release.number}.hush").touch()
        release.settle(synopsis_digest="s")
"""

CREATOR = """
for number in range(10**6):
    make(path.parent / f"{path.name}-{number}.ledger")
"""

RACER = """
try:
    make(path)
    print("won")
except BadLedger as error:
    print(error)
"""


@contextmanager
def started(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has imported everything and runs `code` once it reads a line."""
    worker = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + code, str(path)],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with worker:
        try:
            assert worker.stdout
            assert worker.stdout.readline() == "ready\n"
            yield worker
        finally:
            worker.kill()


def go(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin
    worker.stdin.write("\n")
    worker.stdin.flush()


def kill_at_random(code: str, path: Path, *, luck: random.Random, longest: float) -> None:
    with started(code, path) as worker:
        go(worker)
        time.sleep(luck.uniform(0, longest))
        assert worker.poll() is None, worker.communicate()[1]
        worker.send_signal(signal.SIGKILL)
        worker.wait()


def make(path: Path) -> Ledger:
    return Ledger.create(path, table="clinic", domain_digest="d", unit=Unit(), total=Budget(epsilon=1))


def counted(lines: list[Line]) -> dict[int, Fraction]:
    """What each reservation counts for, worked out from the kinds of lines alone."""
    amounts, kinds = dict[int, Fraction](), dict[int, list[str]]()
    for line in lines:
        if line.kind == "reserve":
            amounts[line.number] = line.amount
        if line.reservation:
            kinds.setdefault(line.reservation, []).append(line.kind)
    returned = {number for number, seen in kinds.items() if seen == ["reserve", "settle"]}
    return {number: amount for number, amount in amounts.items() if number not in returned}


def uncovered(folder: Path, lines: list[Line]) -> set[int]:
    """Published files that the ledger does not count in full, or whose two charges it has lost."""
    published = {int(file.stem) for file in folder.glob("*.hush")}
    charged = {line.reservation for line in lines if line.charged == Fraction(1, 10**6)}
    return published - (set(counted(lines)) & charged)


def test_two_writers_spend_exactly_what_fits(tmp_path: Path) -> None:
    ledger = make(tmp_path / "clinic.ledger")
    with started(WRITER, ledger.path) as one, started(WRITER, ledger.path) as two:
        go(one)
        go(two)
        fitted = []
        for worker in (one, two):
            out, errors = worker.communicate(timeout=300)
            assert errors == ""
            fitted.append(int(out))
    assert sum(fitted) == 1500
    assert (ledger.spent, ledger.verify()) == (1, 1501)


def test_a_killed_release_never_outruns_the_ledger(tmp_path: Path) -> None:
    ledger, luck, journals = make(tmp_path / "clinic.ledger"), random.Random(20), 0
    for kill in range(KILLS):
        kill_at_random(RELEASER, ledger.path, luck=luck, longest=0.03)
        journals += Path(f"{ledger.path}-journal").exists()
        lines = Ledger.open(ledger.path).lines()
        assert ledger.verify() == len(lines), kill
        assert uncovered(tmp_path, lines) == set(), kill
        assert ledger.spent == sum(counted(lines).values()), kill
    settled = {line.reservation for line in lines if line.kind == "settle"}
    crashed = {line.number for line in lines if line.kind == "reserve"} - settled
    # The kills did fall inside releases and inside commits, and the check sees a file nobody paid for.
    assert len(crashed) >= KILLS // 10
    assert journals >= 1
    returned = next(iter(settled - set(counted(lines))))
    for unpaid in (returned, lines[-1].number + 1):
        (tmp_path / f"{unpaid}.hush").touch()
        assert unpaid in uncovered(tmp_path, lines)


def test_a_killed_creation_leaves_no_half_made_ledger(tmp_path: Path) -> None:
    luck = random.Random(21)
    for kill in range(KILLS // 4):
        kill_at_random(CREATOR, tmp_path / str(kill), luck=luck, longest=0.03)
    whole = list(tmp_path.glob("*.ledger"))
    assert len(whole) >= KILLS // 4
    assert all(Ledger.open(path).verify() == 1 for path in whole)
    # The only other thing a crash may leave, and at least one kill fell inside a creation.
    rest = {path for path in tmp_path.iterdir() if path not in whole}
    assert rest
    assert all(path.name.startswith(".new-ledger-") for path in rest)
    assert len(rest) <= KILLS // 4


def test_of_many_creators_exactly_one_wins(tmp_path: Path) -> None:
    for turn in range(5):
        path = tmp_path / f"{turn}.ledger"
        with started(RACER, path) as a, started(RACER, path) as b, started(RACER, path) as c:
            for worker in (a, b, c):
                go(worker)
            said = sorted(worker.communicate(timeout=60)[0].strip() for worker in (a, b, c))
        assert said.count("won") == 1, said
        assert sum("exists already" in text for text in said) == 2, said
        assert Ledger.open(path).verify() == 1
        with pytest.raises(BadLedger):
            make(path)
    assert len(list(tmp_path.iterdir())) == 5
