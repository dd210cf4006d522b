"""Which currency a ledger counts, what may be charged to it, and what a plan in another one is told."""

import itertools
import json
from fractions import Fraction

import pytest
from tables import MIXED, domain, random_codes, table_of
from typer.testing import CliRunner

import hushtable as ht
from hushtable.budget import Price
from hushtable.cli import app
from hushtable.errors import BadBudget, OverBudget
from hushtable.laws import Law

SHAPE = domain(MIXED)
TABLE = table_of(SHAPE, random_codes(SHAPE, 400, seed=3))
TOTAL = ht.Budget(epsilon=1, delta="1e-9")
SOME = ht.Budget(epsilon="0.3", delta="1e-9")


def plan(budget=SOME, **changes):
    return ht.plan(
        SHAPE, **({"workload": "marginals(width=2)", "mechanism": "low-order", "budget": budget, "rows": 400} | changes)
    )


@pytest.fixture
def vault(tmp_path):
    return ht.Vault(TABLE, SHAPE, ledger=tmp_path / "t.ledger")


def ledger(vault, total=TOTAL, currency=None):
    return ht.Ledger.create(vault.ledger_path, table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=total,
                            currency=currency)  # fmt: skip


@pytest.mark.parametrize(
    ("budget", "mechanism", "currency"),
    [
        (SOME, "low-order", "gdp"),
        (SOME, "mwem(rounds=2)", "zcdp"),
        (ht.Budget(rho="0.01"), "low-order", "zcdp"),
        (ht.Budget(epsilon=1), "tables", "pure"),
    ],
)
def test_the_first_release_decides_what_a_ledger_counts(vault, budget, mechanism, currency):
    vault.release(plan(budget, mechanism=mechanism))
    kept = ht.Ledger.open(vault.ledger_path)
    assert kept.currency == currency
    assert kept.left == 0
    assert kept.total == budget.price_in(currency).amount


def test_a_first_release_in_epsilon_and_delta_makes_a_ledger_that_takes_everything(tmp_path):
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}}})
    import pyarrow as pa

    vault = ht.Vault(pa.table({"url": ["a"] * 50}), shape, ledger=tmp_path / "t.ledger")
    vault.release(ht.plan(shape, rows=50, workload="sparse(size=5)", budget=TOTAL))
    assert ht.Ledger.open(vault.ledger_path).currency == "zcdp"


def test_a_curator_makes_a_ledger_in_zcdp_and_takes_the_currency_it_finds(vault, tmp_path):
    with vault.curate(budget=SOME, questions=50, state=tmp_path / "one.curator") as curator:
        assert curator.plan.currency == "zcdp"
    assert ht.Ledger.open(vault.ledger_path).currency == "zcdp"
    other = ht.Vault(TABLE, SHAPE, ledger=tmp_path / "other.ledger")
    ledger(other)
    for way in ("hypothesis", "independent"):
        state = tmp_path / f"{way}.curator"
        with other.curate(budget=SOME, questions=50, updates=3, way=way, state=state) as curator:
            assert curator.plan.currency == "gdp"
            assert curator.plan.law is Law.ROUNDED
            for question in ("smoker", "smoker AND age >= 65", "age < 18"):
                curator.ask(question)
        with other.curate(state=state) as again:
            assert again.plan == curator.plan
            assert again.ask("smoker").source in ("repeated", "free", "paid")
    assert ht.Ledger.open(other.ledger_path).verify() > 3


def test_private_choices_can_be_paid_by_the_exact_curve(vault):
    kept = ledger(vault)
    with pytest.raises(BadBudget, match="plan it with the currency gdp"):
        vault.release(plan(mechanism="mwem(rounds=2)"))
    assert kept.spent == 0
    made = plan(mechanism="mwem(rounds=2)", currency=vault.currency_for(SOME))
    synopsis = vault.release(made)
    assert kept.spent == SOME.price_in("gdp").amount
    assert synopsis.model.law is Law.ROUNDED
    assert synopsis.accounting["currency"] == "gdp"


def test_a_ledger_in_zcdp_takes_rounded_noise_as_rho(vault):
    """The ledger of an older version: a plan in its currency fits its total to the last digit, the other does not."""
    kept = ledger(vault, currency="zcdp")
    with pytest.raises(OverBudget, match="rho"):
        vault.release(plan(TOTAL))
    assert kept.spent == 0
    assert vault.currency_for(TOTAL) == "zcdp"
    vault.release(plan(SOME))
    assert kept.spent == SOME.price_in("gdp").amount
    kept.raise_total(ht.Budget(epsilon=2, delta="1e-9"), "more")
    synopsis = vault.release(plan(TOTAL, currency=vault.currency_for(TOTAL)))
    assert synopsis.model.law is Law.GAUSSIAN
    assert kept.spent == SOME.price_in("gdp").amount + TOTAL.price_in("zcdp").amount
    assert kept.currency == "zcdp"


def test_what_is_left_is_said_as_an_epsilon_that_a_release_can_have(vault):
    kept = ledger(vault)
    assert kept.room == TOTAL
    vault.release(plan())
    room = kept.room
    assert Fraction(9, 10) < room.epsilon < 1
    vault.release(plan(room))
    assert kept.room is None or kept.room.epsilon < Fraction(1, 10)
    assert ledger(ht.Vault(TABLE, SHAPE, ledger=vault.ledger_path.with_name("p")), ht.Budget(epsilon=1)).room is None


def test_charges_add_up_in_any_order(tmp_path):
    """Steps may come in whatever order earlier ones suggest: only their sum counts, and nothing passes the total."""
    steps = [Price(currency="gdp", amount=Fraction(k, 10**4)) for k in (1, 5, 30, 100)]
    steps += [Price(currency="pure", amount=Fraction(1, 50)), Price(currency="pure", amount=Fraction(1, 20))]
    sums = set()
    for number, order in enumerate(itertools.islice(itertools.permutations(steps), 0, 720, 97)):
        kept = ledger(ht.Vault(TABLE, SHAPE, ledger=tmp_path / f"{number}.ledger"))
        with kept.reserve(kept.budget.price, what="all", mechanism="m", plan_digest="p") as held:
            for step in order:
                held.charge(step, what="step")
            with pytest.raises(OverBudget):
                held.charge(Price(currency="gdp", amount=Fraction(1, 200)), what="too much")
        sums.add(kept.lines()[-1].charged)
    assert len(sums) == 1


def test_plans_of_both_currencies_are_different_releases():
    exact, concentrated = plan(), plan(currency="zcdp")
    assert exact.digest != concentrated.digest
    assert (exact.currency, concentrated.currency) == ("gdp", "zcdp")
    ratio = concentrated.design.error / exact.design.error
    amounts = SOME.price_in("gdp").amount / SOME.price_in("zcdp").amount
    assert ratio == pytest.approx(float(amounts) ** 0.5, rel=1e-3)
    with pytest.raises(BadBudget, match="is spent in gdp or zcdp, not in pure"):
        plan(currency="pure")


def test_the_command_line_says_and_keeps_the_currency(tmp_path, monkeypatch):
    import pyarrow.csv

    monkeypatch.chdir(tmp_path)
    SHAPE.save("t.yaml")
    pyarrow.csv.write_csv(TABLE, "t.csv")
    budget = ("--epsilon", "1", "--delta", "1e-9")

    def hush(*words):
        result = CliRunner().invoke(app, words)
        return result.exit_code, result.output

    assert hush("ledger", "create", "t.ledger", "--domain", "t.yaml", *budget, "--currency", "zcdp")[0] == 0
    code, out = hush(
        "release", "t.csv", "--domain", "t.yaml", "--workload", "marginals(width=1)", *budget, "-o", "t.hush"
    )
    assert code == 0
    assert "spent as rho = 0.0149731" in out
    shown = json.loads(hush("ledger", "show", "t.ledger", "--json")[1])
    assert (shown["currency"], shown["left"], shown["room"]) == ("zcdp", 0.0, None)
    assert "10.6% more than zCDP" in hush("plan", "--domain", "t.yaml", "--rows", "400", *budget)[1]
    assert hush("ledger", "create", "g.ledger", "--domain", "t.yaml", "--epsilon", "2", "--delta", "1e-9")[0] == 0
    assert hush("release", "t.csv", "--domain", "t.yaml", "--ledger", "g.ledger", *budget, "-o", "g.hush")[0] == 0
    assert "what is left pays for a release of epsilon = 1.6" in hush("ledger", "show", "g.ledger")[1]
