"""The account of a release or a curator: reserved once, found again, charged once, returned if nothing was drawn."""

from dataclasses import replace
from fractions import Fraction

import pytest
from curators import SHAPE

import hushtable as ht
from hushtable.budget import Price
from hushtable.errors import BadLedger, BadPath, BadState, OverBudget
from hushtable.vault.ledger.account import LedgerAccount, Purpose, Rehearsal

PRICE = Price(currency="zcdp", amount=Fraction(1, 2))
STEP = Price(currency="zcdp", amount=Fraction(1, 8))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.ledger"


@pytest.fixture
def purpose(tmp_path):
    return Purpose(
        domain=SHAPE, total=ht.Budget(rho=1), price=PRICE, what="release x, journal 01", record=tmp_path / "x.part",
        mechanism="test", plan_digest="0",
    )  # fmt: skip


def kinds(path):
    return [line.kind for line in ht.Ledger.open(path).lines()]


def test_a_ledger_is_made_for_the_first_charge_and_not_before(purpose, path):
    account = LedgerAccount.open(purpose, path)
    assert (account.has_ledger, account.entry, account.charged, account.left) == (False, None, False, Fraction(1, 2))
    assert not path.exists()
    account.charge(STEP, what="a step")
    assert kinds(path) == ["create", "reserve", "charge"]
    assert (account.charged, account.left) == (True, Fraction(3, 8))
    line = ht.Ledger.open(path).lines()[1]
    assert account.entry == {"line": 2, "date": line.when[:10], "hash": line.hash}
    assert (line.what, line.amount, ht.Ledger.open(path).total) == (purpose.what, Fraction(1, 2), 1)


def test_it_is_reserved_once_and_settled_once(purpose, path):
    account = LedgerAccount.open(purpose, path)
    assert account.reserve() is account.reserve()
    account.charge(STEP, what="a step")
    for digest in ("d", None):
        account.settle(digest)
    assert kinds(path) == ["create", "reserve", "charge", "settle"]


def test_another_process_takes_it_up_and_charges_nothing_twice(purpose, path):
    first = LedgerAccount.open(purpose, path)
    for what in ("one", "two"):
        first.charge(STEP, what=what)
    again = LedgerAccount.open(purpose, path)
    assert again.entry == first.entry
    with pytest.raises(BadState, match="lacks steps that the ledger was charged for"):
        again.check_live()
    again.charge(STEP, what="one")
    again.check_live()  # the last step may have been lost between its charge and the journal
    again.charge(STEP, what="two")
    again.charge(STEP, what="three")
    assert kinds(path) == ["create", "reserve", *["charge"] * 3]
    assert again.left == Fraction(1, 8)
    other = LedgerAccount.open(purpose, path)
    with pytest.raises(BadState, match=r"x.part does not go on as the ledger was charged"):
        other.charge(STEP, what="another")


def test_what_was_returned_is_not_taken_up(purpose, path):
    first = LedgerAccount.open(purpose, path)
    first.reserve()
    first.settle(None)
    second = LedgerAccount.open(purpose, path)
    assert second.reservation is None
    second.charge(STEP, what="a step")
    assert kinds(path) == ["create", "reserve", "settle", "reserve", "charge"]
    assert LedgerAccount.open(purpose, path).entry == second.entry
    assert LedgerAccount.open(replace(purpose, what="release x, journal 02"), path).reservation is None


def test_what_does_not_fit_is_refused(purpose, path, tmp_path):
    with pytest.raises(BadPath, match="give another --ledger"):
        LedgerAccount.open(purpose, tmp_path / "nowhere" / "t.ledger")
    LedgerAccount.open(purpose, path).reserve()
    renamed = ht.Domain.from_dict(SHAPE.to_dict() | {"table": "u"})
    with pytest.raises(BadLedger, match="every table needs its own"):
        LedgerAccount.open(replace(purpose, domain=renamed), path)
    dear = replace(purpose, what="another", price=Price(currency="pure", amount=Fraction(2)))
    with pytest.raises(OverBudget, match=r"epsilon = 2 in a ledger kept in rho"):
        LedgerAccount.open(dear, path).reserve()
    assert kinds(path) == ["create", "reserve"]


def test_a_rehearsal_counts_and_spends_nothing(tmp_path):
    account = Rehearsal(PRICE)
    account.charge(STEP, what="a step")
    account.settle("d")
    assert (account.left, account.entry, account.charged) == (Fraction(3, 8), None, False)
    assert not list(tmp_path.iterdir())
