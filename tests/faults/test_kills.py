"""kill -9 at random points of release, curate and ledger commands: nothing is overspent, no file is unpaid."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from curators import WIDE_QUESTIONS

import hushtable as ht
from faults import Zygote, check_account, hush, release, table, zygotes
from hushtable.vault.ledger.ledger import Ledger

EACH = "0.0001"


@pytest.fixture
def zygote() -> Iterator[Zygote]:
    with zygotes(1) as made:
        yield made[0]


def curate(number: int, luck: random.Random) -> list[str]:
    questions = luck.sample(WIDE_QUESTIONS, 3)
    begun = ["--rho", "0.02", "--questions", "1000", "--updates", "200", "--way", "hypothesis"]
    freeze = ["--freeze", f"frozen{number}.hush"] if luck.random() < 0.3 else []
    # Every third is a curator on random points, which has a state of its own.
    points = ["--points", "60", "--state", "points.curator"] if number % 3 == 0 else []
    return ["curate", "t.csv", *questions, "--domain", "t.yaml", *begun, *freeze, *points]


def command(number: int, luck: random.Random) -> list[str]:
    what = luck.random()
    if what < 0.5:
        return release(f"r{number}", EACH)
    if what < 0.8:
        return curate(number, luck)
    if what < 0.9:
        return ["ledger", "raise", "t.ledger", "--rho", str(2 + number), "--why", f"kill {number}"]
    return ["ledger", "create", f"n{number}.ledger", "--domain", "t.yaml", "--rho", "1"]


def killed(zygote: Zygote, folder: Path, kills: int, seed: int) -> dict[str, int]:
    """How many commands of each kind were ended by the kill."""
    luck = random.Random(seed)
    usual: dict[str, float] = {}
    whole = {"release": release("whole", EACH), "curate": curate(-1, luck), "ledger": ["ledger", "show", "t.ledger"]}
    for name, line in whole.items():
        began = time.monotonic()
        assert zygote.run(line, folder) == 0, (folder / "log").read_text()
        usual[name] = time.monotonic() - began
    ended, spent, files = dict.fromkeys(usual, 0), 0, 0
    for number in range(kills):
        arguments = command(number, luck)
        if arguments[0] == "release" and luck.random() < 0.2:
            # The second write to the ledger is the charge: what comes after it is over soon, and chance would miss it.
            code = zygote.kill(arguments, folder, after=luck.uniform(0, 0.01), writes=(folder / "t.ledger", 2))
        else:
            code = zygote.kill(arguments, folder, after=luck.uniform(0, 1.1 * usual[arguments[0]]))
        ended[arguments[0]] += code == -9
        assert code in (0, -9), (folder / "log").read_text()[-3000:]
        before = (spent, files)
        spent, files = check_account(folder)
        assert spent >= before[0], "a charge was forgotten"
        assert files >= before[1], "a published file is gone"
        for made in folder.glob("n*.ledger"):
            assert Ledger.open(made).verify() == 1
    return ended


def check_finished(zygote: Zygote, folder: Path) -> int:
    """Every release that was killed after it had reserved can be finished: nothing paid for is lost. How many were."""
    finished = 0
    for part in sorted(folder.glob("*.part")):
        code = zygote.run(["release", "--resume", part.name], folder)
        if b"\n" not in part.read_bytes() if part.exists() else False:
            part.unlink()  # killed before its first line, so before anything was reserved
            continue
        assert code == 0, (folder / "log").read_text()[-3000:]
        assert ht.load(part.with_suffix("")).ask("smoker").stderr > 0
        finished += 1
    assert not list(folder.glob("*.part"))
    lines = Ledger.open(folder / "t.ledger").lines()
    released = {line.number for line in lines if line.kind == "reserve" and line.what.startswith("release")}
    assert released == {line.reservation for line in lines if line.kind == "settle"} & released
    check_account(folder)
    return finished


def check_next_command(folder: Path) -> None:
    """Whatever the kills left, the next command works, and the owner sees what happened."""
    data, domain = str(folder / "t.csv"), str(folder / "t.yaml")
    code, out, _ = hush(["ledger", "verify", str(folder / "t.ledger")])
    assert code == 0
    assert "chain intact" in out
    code, _, errors = hush(release("after", EACH, folder=str(folder)))
    assert (code, errors) == (0, "")
    assert ht.load(folder / "after.hush").ask("smoker").stderr > 0
    code, out, errors = hush(["curate", data, "smoker", "--domain", domain])
    assert (code, errors) == (0, "")
    assert "paid answers left" in out
    check_account(folder)


def test_some_kills_cost_budget_and_nothing_else(tmp_path: Path, zygote: Zygote) -> None:
    killed(zygote, table(tmp_path / "t"), 25, seed=1)
    check_finished(zygote, tmp_path / "t")
    check_next_command(tmp_path / "t")


def test_a_release_killed_after_its_charge_is_finished(tmp_path: Path, zygote: Zygote) -> None:
    """Each once with the same files in the end as a release that nobody disturbed, and paid for once."""
    folder, luck = table(tmp_path / "t"), random.Random(5)
    assert zygote.run(release("whole", EACH), folder) == 0
    for number in range(12):
        writes = (folder / "t.ledger", 2)
        zygote.kill(release(f"r{number}", EACH), folder, after=luck.uniform(0, 0.004), writes=writes)
    left = len(list(folder.glob("*.part")))
    assert check_finished(zygote, folder) == left
    assert left >= 3, "no kill fell between the charge and the end of a release"
    lines = Ledger.open(folder / "t.ledger").lines()
    for file in folder.glob("*.hush"):
        number = ht.load(file).accounting["ledger"]["line"]
        assert [line.kind for line in lines if line.reservation == number] == ["reserve", "charge", "settle"]


@pytest.mark.audit
def test_three_hundred_kills_cost_budget_and_nothing_else(tmp_path: Path, zygote: Zygote) -> None:
    folder = table(tmp_path / "t")
    ended = killed(zygote, folder, 300, seed=2)
    # The kills did fall inside commands: many before they were through, and some releases got a file out.
    assert ended["release"] >= 60
    assert ended["curate"] >= 30
    assert len(list(folder.glob("r*.hush"))) >= 5
    lines = Ledger.open(folder / "t.ledger").lines()
    crashed = {line.reservation for line in lines if line.kind == "charge"} - {
        line.reservation for line in lines if line.kind == "settle"
    }
    print(f"ended by the kill: {ended}; between charge and end: {len(crashed)}")
    assert len(crashed) >= 5, "no kill fell between the charge and the end of a release"
    assert check_finished(zygote, folder) >= 5
    check_next_command(folder)


def test_the_check_sees_a_file_that_nobody_paid_for(tmp_path: Path, zygote: Zygote) -> None:
    """Power: an older ledger put back under a published file, and an overspent one, are seen."""
    folder = table(tmp_path / "t")
    old = (folder / "t.ledger").read_bytes()
    assert zygote.run(release("one", EACH), folder) == 0
    check_account(folder)
    (folder / "t.ledger").write_bytes(old)
    with pytest.raises((AssertionError, KeyError)):
        check_account(folder)
