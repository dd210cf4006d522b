"""A fault anywhere after a charge: nothing paid for is lost, nothing is charged or drawn twice."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from specimens import CLOSED, RHO, ROWS, TABLES, Specimen, every_specimen, rows_of

import hushtable as ht
from hushtable.audit.specimens import SPECIMENS as CATALOGUE
from hushtable.budget import Price
from hushtable.errors import BadQuestion
from hushtable.laws import Law
from hushtable.mechanisms import mechanisms
from hushtable.owner import carry_out
from hushtable.owner.journal import ReleaseJournal, _digest
from hushtable.owner.prepare import prepared
from hushtable.vault.door.door import Noise
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.ledger.account import LedgerAccount
from hushtable.vault.ledger.ledger import Ledger

MORE = (
    Specimen("mwem-sampled", CLOSED, "marginals(width=2)", "mwem(rounds=2, sample=3)", RHO, TABLES),
    Specimen("pair-rake-pure", CLOSED, "whole_table()", "pair-rake", ht.Budget(epsilon=50), TABLES),
)
NAMES = [specimen.name for specimen in (*CATALOGUE, *MORE)]


class Seeded(Simulated):
    """Repeatable, and yet charged and kept like the real thing."""

    private = True


class Fault(Exception):
    """Nobody foresaw it."""


def failing(*_, **__):
    raise Fault


def specimen(name: str, folder: Path) -> Specimen:
    folder.mkdir(exist_ok=True)
    return {one.name: one for one in (*every_specimen(folder), *MORE)}[name]


def plan_of(one: Specimen) -> ht.Plan:
    made = ht.plan(one.domain, rows=ROWS, workload=one.workload, mechanism=one.mechanism, budget=one.budget)
    prepared.add(made.digest)  # what `prepare` does has tests of its own
    return made


def release(one: Specimen, folder: Path, randomness: Simulated) -> ht.Synopsis:
    folder.mkdir(exist_ok=True)
    vault = ht.Vault(rows_of(one.attributes), one.domain, ledger=folder / "t.ledger")
    return vault.release(plan_of(one), randomness=randomness, journal=folder / "out.hush.part")


def same(one: Specimen, found: ht.Synopsis, wanted: ht.Synopsis) -> bool:
    """All numbers and all answers alike."""
    first, second = found.model.numbers(), wanted.model.numbers()
    numbers = first.keys() == second.keys() and all((first[name] == second[name]).all() for name in first)
    asked = all(answer(found, text) == answer(wanted, text) for text in one.questions)
    return numbers and found.model.parameters() == wanted.model.parameters() and asked


def answer(synopsis: ht.Synopsis, text: str) -> str:
    try:
        return str(synopsis.ask(text).to_dict())
    except BadQuestion as error:
        return str(error)


class Faults:
    """Raises at the n-th time that one of the places is passed: after a charge, after what came of it was kept."""

    def __init__(self, at: int) -> None:
        self.at, self.passed = at, list[str]()

    def after(self, owner: type, name: str) -> Callable:
        real = getattr(owner, name)

        def wrapped(this, *given, **more):
            found = real(this, *given, **more)
            self.passed.append(name)
            if len(self.passed) == self.at:
                raise Fault
            return found

        return wrapped


def disturbed(monkeypatch: pytest.MonkeyPatch, at: int) -> Faults:
    faults = Faults(at)
    for owner, name in ((LedgerAccount, "charge"), (ReleaseJournal, "keep")):
        monkeypatch.setattr(owner, name, faults.after(owner, name))
    return faults


def charges(folder: Path) -> list[tuple[str, str]]:
    ledger = Ledger.open(folder / "t.ledger")
    ledger.verify()
    return [(line.what, str(line.amount)) for line in ledger.lines() if line.kind == "charge"]


DRAWN_BEFORE = ("stability-histogram", "hash-sketch", "k-norm", "k-norm-means", "k-norm-queries", "k-norm-levels")


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_after_every_charge_and_every_draw(name, tmp_path, monkeypatch):
    one = specimen(name, tmp_path / "files")
    with monkeypatch.context() as patched:
        faults = disturbed(patched, at=-1)
        whole = release(one, tmp_path / "whole", Seeded(7))
    places, paid = faults.passed, charges(tmp_path / "whole")
    assert "charge" in places
    assert "keep" in places
    for at in range(1, len(places) + 1):
        folder, randomness = tmp_path / f"at{at}", Seeded(7)
        with monkeypatch.context() as patched:
            disturbed(patched, at=at)
            with pytest.raises(Fault) as caught:
                release(one, folder, randomness)
        journal = folder / "out.hush.part"
        if "charge" not in places[:at]:  # a public number of rows came first
            assert not journal.exists()
            continue
        assert caught.value.__notes__ == [
            f"nothing that was paid for is lost: finish with hush release --resume {journal}"
        ]
        again = ht.Vault.resume(journal, data=rows_of(one.attributes), randomness=randomness)
        assert charges(folder) == paid, "a step was charged twice, or not at all"
        # Reading keys that nobody listed takes random bytes of its own before the charge, and so does noise that is
        # found by trial. Nobody saw what was drawn, so it is drawn anew.
        if not (places[at - 1] == "charge" and name in DRAWN_BEFORE):
            assert same(one, again, whole), f"after {places[at - 1]} number {at}"
        again.save(folder / "out.hush")
        assert sorted(path.name for path in folder.iterdir()) == ["out.hush", "t.ledger"]
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_when_all_is_measured_needs_no_table(name, tmp_path, monkeypatch):
    """Neither rows nor randomness: every number comes from the journal."""
    one, folder = specimen(name, tmp_path / "files"), tmp_path / "t"
    whole = release(one, tmp_path / "whole", Seeded(3))
    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "Synopsis", SimpleNamespace(from_release=failing))
        with pytest.raises(Fault):
            release(one, folder, Seeded(3))
    again = ht.Vault.resume(folder / "out.hush.part")
    assert same(one, again, whole)
    assert again.not_private is False
    lines = Ledger.open(folder / "t.ledger").lines()
    assert lines[-1].synopsis_digest == again.digest
    assert again.accounting["ledger"]["hash"] == lines[1].hash


def test_a_release_of_mwem_that_was_begun_before_there_were_calibrations_is_finished_without(tmp_path, monkeypatch):
    """Its journal says mwem(...) and no calibration, as those of older versions do: the same steps, the same price."""
    older = Specimen("older", CLOSED, "marginals(width=2)", "mwem(rounds=2, calibration=0)", RHO, TABLES)
    whole = release(older, tmp_path / "whole", Seeded(7))
    randomness = Seeded(7)
    with monkeypatch.context() as patched:
        disturbed(patched, at=3)
        with pytest.raises(Fault):
            release(older, tmp_path / "t", randomness)
    journal = tmp_path / "t" / "out.hush.part"
    with contextlib.closing(ReleaseJournal.open(journal)) as opened:
        assert opened.facts["mechanism"] == "mwem(rounds=2)"
    again = ht.Vault.resume(journal, data=rows_of(older.attributes), randomness=randomness)
    assert again.mechanism == whole.mechanism == "mwem(rounds=2)"
    assert again.model.calibration is None
    assert charges(tmp_path / "t") == charges(tmp_path / "whole")
    assert same(older, again, whole)


def test_every_mechanism_is_here():
    used = {one.by for one in (*CATALOGUE, *MORE)}
    assert used == set(mechanisms())


def test_steps_are_known_by_the_names_that_journals_have_always_had():
    """What an older version was interrupted in is finished by this one: its digests are on somebody's disk."""
    noise = Noise(law=Law.GAUSSIAN, per_group=(Fraction(1, 2),))
    price = Price(currency="zcdp", amount=Fraction(1, 8))
    for facts, digest in (
        ((noise,), "789d17c53d99fac4ce96d4185717efd444eb34a47ec5de2a1ef8c17a1aecc637"),
        ((Law.LAPLACE, Fraction(3)), "af3e3db5fce3650d314bfbfc3b914ab790a24d63038093514c35eb80b4297a88"),
        ((price, np.arange(3), None), "73eadd80a0b0302920f296ccfbee4eea44df7270e9cf51805e3a249dd8222e47"),
    ):
        assert _digest(facts) == digest
