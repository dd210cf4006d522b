"""Two and eight processes at once on one ledger, and clocks that go backwards: exactly what fits is spent."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from faults import check_account, hush, release, table, zygotes
from hushtable.vault.ledger.ledger import Ledger


@pytest.mark.parametrize(
    ("processes", "each"), [(2, 4), pytest.param(8, 4, marks=pytest.mark.audit)], ids=["two", "eight"]
)
def test_processes_at_once_spend_exactly_what_fits(tmp_path: Path, processes: int, each: int) -> None:
    """Each tries several releases of a fifth; five of all of them fit, whoever comes first."""
    folder = table(tmp_path / "t", rho="0.5")
    codes = []
    with zygotes(processes) as made:
        for turn in range(each):
            for number, zygote in enumerate(made):
                zygote.start(release(f"p{number}-{turn}", "0.1"), folder, log=f"log{number}")
            codes += [zygote.wait() for zygote in made]
    logs = "".join(log.read_text() for log in folder.glob("log*"))
    assert sorted(codes) == sorted([0] * 5 + [3] * (processes * each - 5)), logs[-3000:]
    assert "this costs rho = 0.1 but 0 is left" in logs
    spent, files = check_account(folder)
    assert (spent, files) == (Fraction(1, 2), 5)


def test_two_curators_on_one_state_and_a_release_beside_them(tmp_path: Path) -> None:
    """The second curator is told that the state is in use, or comes when it is free; the release does not care."""
    folder = table(tmp_path / "t")
    asked = ["curate", "t.csv", "smoker AND age < 18", "--domain", "t.yaml", "--rho", "0.1", "--way", "hypothesis"]
    with zygotes(3) as (one, two, three):
        one.start(asked, folder, log="one")
        two.start(asked, folder, log="two")
        three.start(release("beside", "0.1"), folder, log="three")
        codes = [one.wait(), two.wait(), three.wait()]
    logs = [(folder / name).read_text() for name in ("one", "two", "three")]
    assert codes[2] == 0, logs[2]
    assert 0 in codes[:2], logs
    assert all(code == 0 or "is in use" in log for code, log in zip(codes[:2], logs[:2], strict=True)), logs
    spent, _ = check_account(folder)
    assert spent == Fraction(1, 5)


def test_a_clock_that_jumps_back_changes_no_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table(tmp_path / "t")
    spent = Fraction(0)
    for number, days in enumerate((0, -20_000, 40_000, -1)):
        moment = (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")
        monkeypatch.setattr("hushtable.vault.ledger.ledger._now", lambda moment=moment: moment)
        code, _, errors = hush(release(f"r{number}", "0.1", folder=str(folder)))
        assert (code, errors) == (0, "")
        before, spent = spent, check_account(folder)[0]
        assert spent == before + Fraction(1, 10)
    whens = [line.when for line in Ledger.open(folder / "t.ledger").lines()]
    assert whens != sorted(whens)
