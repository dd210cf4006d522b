"""The ledger adds exactly, counts what was reserved, and knows whose it is."""

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from ledgers import pure, refused, reserve

import hushtable
from hushtable.budget import Budget, Price, Unit
from hushtable.errors import BadBudget, BadLedger, BadPath, OverBudget
from hushtable.vault.ledger import ledger as ledger_module
from hushtable.vault.ledger.ledger import Ledger

DIGEST = "d" * 64
SOURCE = str(Path(hushtable.__file__).parents[1])
PURE, ZCDP, GDP = Budget(epsilon=1), Budget(rho=1), Budget(epsilon=5, delta="1e-3")


def zcdp(amount: Fraction | int) -> Price:
    return Price(currency="zcdp", amount=Fraction(amount))


def gdp(amount: Fraction | int) -> Price:
    return Price(currency="gdp", amount=Fraction(amount))


def make(path: Path, total: Budget = PURE, table: str = "clinic") -> Ledger:
    return Ledger.create(path, table=table, domain_digest=DIGEST, unit=Unit(), total=total)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return make(path)


# ---- sums


def test_seven_charges_of_a_seventh_use_up_one(ledger: Ledger) -> None:
    release = reserve(ledger, pure(1))
    for _ in range(7):
        release.charge(pure(Fraction(1, 7)), what="step")
    with refused(OverBudget):
        release.charge(pure(Fraction(1, 10**12)), what="one too many")


def test_seven_reservations_of_a_seventh_use_up_one(ledger: Ledger) -> None:
    for _ in range(7):
        reserve(ledger, pure(Fraction(1, 7)))
    assert (ledger.spent, ledger.left) == (1, 0)
    with refused(OverBudget):
        reserve(ledger, pure(Fraction(1, 10**12)))


@pytest.mark.parametrize(
    ("total", "price"), [(PURE, pure), (ZCDP, zcdp), (ZCDP, pure), (ZCDP, gdp), (GDP, gdp), (GDP, pure)]
)
def test_k_charges_equal_one_charge_of_k_prices(
    tmp_path: Path, total: Budget, price: Callable[[Fraction], Price]
) -> None:
    many, one = make(tmp_path / "many", total), make(tmp_path / "one", total)
    step = price(Fraction(1, 13)).into(total.account)
    with reserve(many, step.times(5)) as release:
        for _ in range(5):
            release.charge(step, what="step")
    with reserve(one, step.times(5)) as release:
        release.charge(step.times(5), what="all")
    assert many.spent == one.spent == step.amount * 5
    assert many.lines()[-1].charged == one.lines()[-1].charged == step.amount * 5


def test_a_pure_price_costs_half_its_square_in_rho(path: Path) -> None:
    ledger = make(path, ZCDP)
    with reserve(ledger, pure(Fraction(1, 3))) as release:
        release.charge(pure(Fraction(1, 3)), what="step")
    assert ledger.spent == Fraction(1, 18)


def test_a_pure_ledger_refuses_rho(ledger: Ledger) -> None:
    with refused(BadBudget, "no pure epsilon"):
        reserve(ledger, zcdp(Fraction(1, 100)))
    assert ledger.verify() == 1


def test_over_budget_carries_its_numbers_and_writes_nothing(ledger: Ledger, path: Path) -> None:
    reserve(ledger, pure(Fraction(3, 4)))
    before = path.read_bytes()
    with refused(OverBudget, "costs epsilon = 0.5 but 0.25 is left"):
        reserve(ledger, pure(Fraction(1, 2)))
    assert path.read_bytes() == before
    assert reserve(ledger, pure(Fraction(1, 4))).ledger.left == 0


def test_a_charge_past_the_reservation_writes_nothing(ledger: Ledger) -> None:
    release = reserve(ledger, pure(Fraction(1, 2)))
    release.charge(pure(Fraction(1, 3)), what="step")
    before = ledger.lines()
    with pytest.raises(OverBudget) as caught:
        release.charge(pure(Fraction(1, 5)), what="step")
    assert (caught.value.asked, caught.value.left) == (Fraction(1, 5), Fraction(1, 6))
    assert ledger.lines() == before


@pytest.mark.parametrize(
    ("amount", "says"),
    [
        (Fraction(-1, 2), "negative"),
        (float("nan"), "finite"),
        (float("inf"), "finite"),
        (Fraction(3**2999, 10 * 3**3000 - 1), "digits"),
    ],
)
def test_a_price_that_is_none_is_refused(ledger: Ledger, amount: Fraction, says: str) -> None:
    price = Price(currency="pure", amount=amount)
    release = reserve(ledger, pure(Fraction(1, 2)))
    for ask in (lambda: reserve(ledger, price), lambda: release.charge(price, what="step")):
        with refused(BadBudget, says):
            ask()
    assert ledger.verify() == 2


def test_a_float_price_means_the_number_that_was_typed(ledger: Ledger) -> None:
    for _ in range(10):
        reserve(ledger, Price(currency="pure", amount=0.1))  # type: ignore[arg-type]
    assert ledger.left == 0


# ---- reservations


def test_a_reservation_counts_in_full_until_it_is_settled(ledger: Ledger) -> None:
    release = reserve(ledger, pure(Fraction(2, 3)))
    assert ledger.spent == Fraction(2, 3)
    release.settle(synopsis_digest=None)
    assert ledger.spent == 0


def test_anything_charged_keeps_the_whole_reservation(ledger: Ledger) -> None:
    release = reserve(ledger, pure(Fraction(2, 3)))
    release.charge(pure(Fraction(1, 100)), what="step")
    release.settle(synopsis_digest="s")
    assert ledger.spent == Fraction(2, 3)
    assert ledger.lines()[-1].synopsis_digest == "s"


def test_a_free_step_is_a_step_too(ledger: Ledger) -> None:
    with reserve(ledger, pure(Fraction(2, 3))) as release:
        release.charge(pure(0), what="free")
    assert ledger.spent == Fraction(2, 3)
    assert ledger.lines()[-1].what == "kept"


def test_a_settled_reservation_is_closed(ledger: Ledger) -> None:
    for charged in (False, True):
        release = reserve(ledger, pure(Fraction(1, 4)))
        if charged:
            release.charge(pure(Fraction(1, 8)), what="step")
        release.settle(synopsis_digest=None)
        with refused(BadLedger, "settled"):
            release.charge(pure(Fraction(1, 100)), what="late")
        with refused(BadLedger, "settled"):
            release.settle(synopsis_digest=None)
    assert ledger.spent == Fraction(1, 4)
    ledger.verify()


@pytest.mark.parametrize(("charged", "spent"), [(False, Fraction(0)), (True, Fraction(1, 2))])
def test_an_error_settles_on_the_way_out(ledger: Ledger, charged: bool, spent: Fraction) -> None:
    def fail() -> None:
        with reserve(ledger, pure(Fraction(1, 2))) as release:
            if charged:
                release.charge(pure(Fraction(1, 4)), what="step")
            raise KeyError("the mechanism failed")

    with pytest.raises(KeyError):
        fail()
    assert (ledger.spent, ledger.lines()[-1].kind) == (spent, "settle")


def test_what_was_settled_inside_is_not_settled_again(ledger: Ledger) -> None:
    with reserve(ledger, pure(Fraction(1, 2))) as release:
        release.settle(synopsis_digest="s")
    assert [line.kind for line in ledger.lines()] == ["create", "reserve", "settle"]


def test_the_first_error_is_the_one_shown(ledger: Ledger, path: Path) -> None:
    def fail(error: Exception | None) -> None:
        with reserve(ledger, pure(Fraction(1, 4))):
            path.rename(path.with_suffix(".away"))
            if error:
                raise error

    with pytest.raises(KeyError):
        fail(KeyError("first"))
    path.with_suffix(".away").rename(path)
    with refused(BadPath, "no ledger"):
        fail(None)


# ---- the account


def test_another_process_sees_what_was_spent(ledger: Ledger, path: Path) -> None:
    reserve(ledger, pure(Fraction(1, 3)))
    code = f"from hushtable.vault.ledger.ledger import Ledger; print(Ledger.open({str(path)!r}).left)"
    environment = os.environ | {"PYTHONPATH": SOURCE}
    seen = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert seen == "2/3\n"


def test_a_reopened_ledger_knows_what_it_is(path: Path) -> None:
    unit, total = Unit(rows=3, neighbours="add-remove"), Budget(epsilon=1, delta="1e-9")
    Ledger.create(path, table="clinic", domain_digest=DIGEST, unit=unit, total=total)
    ledger = Ledger.open(str(path))
    assert (ledger.table, ledger.unit, ledger.currency) == ("clinic", unit, "gdp")
    assert (ledger.total, ledger.budget) == (total.price.amount, total)
    ledger.require(table="clinic", domain_digest=DIGEST)


def test_another_table_or_domain_is_refused(ledger: Ledger) -> None:
    with refused(BadLedger, "this ledger belongs to table 'clinic', not 'school'"):
        ledger.require(table="school", domain_digest=DIGEST)
    with refused(BadLedger, "this ledger belongs to table 'clinic' under the domain with digest d{12}, not e{12}"):
        ledger.require(table="clinic", domain_digest="e" * 64)


def test_a_raise_is_on_the_record(ledger: Ledger) -> None:
    reserve(ledger, pure(1))
    ledger.raise_total(Budget(epsilon="1.5"), "the board agreed")
    line = ledger.lines()[-1]
    assert (line.kind, line.what, line.amount, line.spent) == ("raise", "the board agreed", Fraction(3, 2), 1)
    assert (ledger.total, ledger.left, ledger.budget) == (
        Fraction(3, 2),
        Fraction(1, 2),
        Budget(epsilon="1.5"),
    )
    ledger.verify()


@pytest.mark.parametrize("budget", [Budget(epsilon=1), Budget(epsilon="0.5"), Budget(rho=3)], ids=str)
def test_a_total_is_only_raised_and_only_in_its_currency(ledger: Ledger, budget: Budget) -> None:
    with refused(BadBudget):
        ledger.raise_total(budget, "why not")
    assert (ledger.total, ledger.verify()) == (1, 1)


def test_a_clock_that_goes_backwards_changes_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve(ledger, pure(Fraction(1, 2)))
    monkeypatch.setattr(ledger_module, "_now", lambda: "1970-01-01T00:00:00+00:00")
    reserve(ledger, pure(Fraction(1, 4)))
    lines = ledger.lines()
    assert [line.number for line in lines] == [1, 2, 3]
    assert lines[2].when < lines[1].when
    assert (ledger.spent, ledger.verify()) == (Fraction(3, 4), 3)


def test_odd_names_are_kept(tmp_path: Path) -> None:
    ledger = make(tmp_path / "100% a?b#c.ledger", table="caf\udce9")
    ledger.require(table="caf\udce9", domain_digest=DIGEST)
    ledger.reserve(pure(1), what="stray \udcff", mechanism="m", plan_digest="p")
    assert Ledger.open(ledger.path).verify() == 2
    assert [name.name for name in tmp_path.iterdir()] == ["100% a?b#c.ledger"]
