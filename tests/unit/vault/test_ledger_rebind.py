"""A table whose domain was declared anew keeps its one account."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from ledgers import make, pure, refused, reserve

import hushtable as ht
from hushtable.budget import Unit
from hushtable.errors import BadLedger, OverBudget
from hushtable.vault.ledger.chain import check_chain
from hushtable.vault.ledger.ledger import Ledger

CLINIC = {
    "table": "clinic",
    "attributes": {"smoker": {"kind": "boolean"}, "sex": {"kind": "category", "values": ["f", "m"]}},
}
RULED = CLINIC | {"impossible": ["smoker AND sex = 'f'"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


def rebind(ledger: Ledger, digest: str, **other: object) -> None:
    ledger.rebind(**{"table": "clinic", "domain_digest": digest, "unit": Unit(), "why": "a rule"} | other)


def test_what_was_spent_stays_spent(path: Path) -> None:
    ledger = make(path)
    with reserve(ledger, pure(Fraction(3, 4))) as release:
        release.charge(pure(Fraction(1, 2)), what="step")
    rebind(ledger, "e")
    assert (ledger.total, ledger.spent, ledger.domain_digest) == (1, Fraction(3, 4), "e")
    with refused(OverBudget):
        reserve(ledger, pure(Fraction(1, 2)))
    ledger.require(table="clinic", domain_digest="e")
    with refused(BadLedger, "hush ledger rebind"):
        ledger.require(table="clinic", domain_digest="d")
    rebind(ledger, "d")  # back, on the record too
    last = Ledger.open(path).lines()[-1]
    assert (last.what, json.loads(last.budget)) == ("a rule", {"old": "e", "new": "d"})
    assert ledger.verify() == 6


def test_a_reservation_goes_on_under_the_domain_it_was_made_for(path: Path) -> None:
    ledger = make(path)
    release = reserve(ledger, pure(Fraction(1, 2)))
    rebind(ledger, "e")
    release.charge(pure(Fraction(1, 2)), what="step")
    ledger.require(table="clinic", domain_digest="d", reserved=release.number)
    with refused(BadLedger, "digest d, not e"):
        ledger.require(table="clinic", domain_digest="e", reserved=release.number)
    release.settle(synopsis_digest="s")
    assert ledger.verify() == 5


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"table": "school"}, "every table needs its own"),
        ({"unit": Unit(rows=2)}, "protects 1 row a person.* 2 rows a person"),
        ({"unit": Unit(neighbours="add-remove")}, "neighbours: replace.*neighbours: add-remove"),
        ({"domain_digest": "d"}, "already"),
    ],
)
def test_another_table_or_other_people_need_another_account(path: Path, other: dict, says: str) -> None:
    ledger = make(path)
    with refused(BadLedger, says):
        rebind(ledger, "e", **other)
    assert ledger.verify() == 1


@pytest.mark.parametrize(
    "forged", ['{"old": "x", "new": "y"}', '{"old": "d", "new": "d"}', '{"old": 1, "new": "d"}', "{}", "so"]
)
def test_a_line_that_rebinds_something_else_shows(path: Path, forged: str) -> None:
    ledger = make(path)
    rebind(ledger, "e")
    first, second = ledger.lines()
    assert check_chain([first, second], ledger.identity)
    with refused(BadLedger):
        check_chain([first, replace(second, budget=forged)], ledger.identity)
    with refused(BadLedger, "costs nothing"):
        check_chain([first, replace(second, amount=Fraction(1, 9))], ledger.identity)


def test_releases_before_and_after_share_the_account(path: Path) -> None:
    rows = pa.table({"smoker": ["yes", "no"] * 50, "sex": ["m", "f"] * 50})
    half, whole = ht.Budget(epsilon=1), ht.Budget(epsilon=2)
    for number, parts in enumerate((CLINIC, RULED)):
        domain = ht.Domain.from_dict(parts)
        if number == 0:
            ledger = Ledger.create(path, table="clinic", domain_digest=domain.digest, unit=domain.unit, total=whole)
        plan = ht.plan(domain, rows=100, workload=ht.Marginals(width=1), budget=half)
        vault = ht.Vault(rows, domain, ledger=path)
        if number == 1:
            with refused(BadLedger, "rebind"):
                vault.release(plan)
            ledger.rebind(table="clinic", domain_digest=domain.digest, unit=domain.unit, why="a rule")
        vault.release(plan)
    assert ledger.left == 0
    assert [line.kind for line in ledger.lines()].count("rebind") == 1
