"""Ledgers with a delta: releases in epsilon and delta beside Gaussian ones never promise more than the total."""

import itertools
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from ledgers import make, pure, refused, reserve

from hushtable.accounting import amount_of
from hushtable.budget import Budget, Price
from hushtable.errors import BadBudget, BadLedger, OverBudget
from hushtable.vault.ledger.ledger import Ledger

TOTAL = Budget(epsilon=2, delta="1e-6")


def approx(epsilon, delta) -> Price:
    return Price(currency="pure", amount=Fraction(epsilon), delta=Fraction(delta))


def rho(amount) -> Price:
    return Price(currency="zcdp", amount=Fraction(amount))


def gaussian(ledger, amount) -> Price:
    """In the currency of the ledger."""
    return Price(currency=ledger.currency, amount=Fraction(amount))


def bought(ledger, epsilon, delta) -> Fraction:
    return amount_of(Fraction(epsilon), Fraction(delta), ledger.currency)


@pytest.fixture(params=["gdp", "zcdp"])
def ledger(tmp_path, request):
    return make(tmp_path / "t.ledger", TOTAL, request.param)


def test_a_release_may_spend_the_whole_total_and_then_nothing_is_left(ledger):
    with reserve(ledger, approx(2, "1e-6")) as held:
        held.charge(approx("0.2", "1e-6"), what="reveal")
        held.charge(pure(Fraction("1.8")), what="measure")
    assert ledger.left == 0
    assert ledger.spent == ledger.total
    assert ledger.verify() == 5
    for price in (approx("0.001", "1e-9"), gaussian(ledger, "1e-9")):
        with refused(OverBudget):
            reserve(ledger, price)


def test_epsilons_and_deltas_add_up(ledger):
    for _ in range(4):
        with reserve(ledger, approx("0.5", Fraction(1, 4 * 10**6))) as held:
            held.charge(approx("0.5", Fraction(1, 4 * 10**6)), what="all of it")
    with refused(OverBudget, "epsilon"):
        reserve(ledger, approx("0.001", "1e-12"))


def test_the_delta_may_be_what_is_short(ledger):
    reserve(ledger, approx("0.1", "9e-7"))
    with refused(OverBudget, r"delta = 2e-07 but 1e-07 is left"):
        reserve(ledger, approx("0.1", "2e-7"))


def test_what_is_left_is_what_the_rest_of_the_total_buys(ledger):
    reserve(ledger, approx(1, "4e-7"))
    assert ledger.left == bought(ledger, 1, "6e-7")
    with refused(OverBudget, "rho|mu"):
        reserve(ledger, gaussian(ledger, ledger.left + Fraction(1, 10**9)))
    reserve(ledger, gaussian(ledger, ledger.left))
    assert ledger.left == 0
    with refused(OverBudget):
        reserve(ledger, approx("0.01", "1e-9"))


def test_gaussian_noise_first_then_epsilon(ledger):
    reserve(ledger, gaussian(ledger, bought(ledger, 1, "6e-7")))
    with refused(OverBudget, "rho|mu"):
        reserve(ledger, approx("1.01", "4e-7"))
    reserve(ledger, approx(1, "4e-7"))
    assert ledger.left < Fraction(1, 10**12)


@pytest.mark.parametrize("seed", range(6))
def test_no_order_of_releases_spends_more_than_the_total(seed, ledger):
    """Whatever was accepted: amount <= amount_of(E - epsilon, D - delta), the rule itself, from the prices again."""
    source = np.random.default_rng(seed)
    epsilon, delta, in_rho = Fraction(0), Fraction(0), Fraction(0)
    for step in range(25):
        amount = Fraction(int(source.integers(1, 40)), 100)
        price = (
            approx(amount, Fraction(int(source.integers(1, 30)), 10**8)) if step % 2 else gaussian(ledger, amount / 30)
        )
        try:
            held = reserve(ledger, price)
        except OverBudget:
            continue
        if source.random() < 0.3:
            held.settle(synopsis_digest=None)  # nothing was charged, so all of it comes back
            continue
        if price.delta:
            epsilon, delta = epsilon + price.amount, delta + price.delta
        else:
            in_rho += price.amount
        some = epsilon < 2 and delta < Fraction(1, 10**6)
        room = amount_of(2 - epsilon, Fraction(1, 10**6) - delta, ledger.currency) if some else 0
        assert in_rho <= room or (in_rho == 0 and epsilon <= 2 and delta <= Fraction(1, 10**6))
    assert epsilon > 0
    assert in_rho > 0
    assert ledger.verify() > 5


def test_returned_reservations_do_not_count(ledger):
    first = reserve(ledger, approx(1, "5e-7"))
    second = reserve(ledger, approx(1, "5e-7"))
    first.settle(synopsis_digest=None)
    second.charge(approx(1, "5e-7"), what="x")
    second.settle(synopsis_digest="d")
    assert ledger.left == bought(ledger, 1, "5e-7")
    reserve(ledger, approx(1, "5e-7"))
    assert ledger.left == 0


def test_charges_never_exceed_their_reservation(ledger):
    held = reserve(ledger, approx(1, "5e-7"))
    held.charge(pure(Fraction(3, 4)), what="x")
    with refused(OverBudget):
        held.charge(pure(Fraction(1, 2)), what="y")


@pytest.mark.parametrize("total", [Budget(epsilon=2), Budget(rho="0.5")])
def test_a_total_without_delta_has_none_to_spend(total, tmp_path):
    ledger = make(tmp_path / "t.ledger", total)
    with refused(BadBudget, "no delta to spend"):
        reserve(ledger, approx("0.1", "1e-9"))
    assert ledger.spent == 0


def test_raising_keeps_the_spent_delta_covered(ledger):
    reserve(ledger, approx(2, "1e-6"))
    with refused(BadBudget, "does not cover"):
        ledger.raise_total(Budget(rho=5), "a total in rho would forget the delta")
    ledger.raise_total(Budget(epsilon=3, delta="2e-6"), "more")
    assert ledger.left == bought(ledger, 1, "1e-6")
    reserve(ledger, approx("0.5", "5e-7"))
    assert Ledger.open(ledger.path).verify() == 4


def test_lines_say_what_was_reserved(ledger):
    reserve(ledger, approx(1, "5e-7"))
    assert ledger.lines()[-1].budget == '{"epsilon": "1", "delta": "1/2000000"}'


def test_prices_with_delta_add_and_print():
    one = approx("0.5", "1e-7")
    assert one + one == one.times(2) == approx(1, "2e-7")
    assert str(one) == "epsilon = 0.5, delta = 1e-07"
    assert one.on_grid(up=True).delta == one.delta
    assert one.into("zcdp") == Price(currency="zcdp", amount=Fraction(1, 8), delta=one.delta)
    for count in (1, 7):
        assert sum(itertools.repeat(one, count - 1), one) == one.times(count)


# ---- what charges say


def test_every_charge_says_its_epsilon_and_delta_and_they_add_up(ledger):
    steps = [approx("0.25", "1e-7"), pure(Fraction(1, 4)), approx("0.5", "3e-7")]
    with reserve(ledger, approx(1, "4e-7")) as held:
        for step in steps:
            held.charge(step, what="step")
    charges = [line.terms for line in ledger.lines() if line.kind == "charge"]
    assert [(terms.epsilon, terms.delta) for terms in charges] == [(step.amount, step.delta) for step in steps]
    sums = [(sum(s.amount for s in steps[: k + 1]), sum(s.delta for s in steps[: k + 1])) for k in range(3)]
    assert [(terms.epsilons, terms.deltas) for terms in charges] == sums
    assert ledger.verify() == 6


@pytest.mark.parametrize("count", [1, 2, 5])
def test_k_charges_equal_one_charge_of_k_prices(count, tmp_path):
    step, last = approx("0.1", "1e-7"), []
    for name, charges in (("many", [step] * count), ("one", [step.times(count)])):
        with reserve(make(tmp_path / name, TOTAL), step.times(count)) as held:
            for price in charges:
                held.charge(price, what="step")
            last.append(held.ledger.lines()[-1])
    many, one = last
    assert (many.charged, many.terms.epsilons, many.terms.deltas) == (one.charged, one.terms.epsilon, one.terms.delta)


def test_the_second_reveal_must_find_its_delta(ledger):
    """Epsilon is plenty: only the delta can stop it."""
    held = reserve(ledger, approx(1, "3e-7"))
    held.charge(approx("0.01", "2e-7"), what="reveal")
    with refused(OverBudget, r"delta = 2e-07 but 1e-07 is left"):
        held.charge(approx("0.01", "2e-7"), what="reveal")
    held.charge(approx("0.01", "1e-7"), what="reveal")
    assert ledger.verify() == 4


@pytest.mark.parametrize(
    ("total", "price"),
    [
        (Budget(epsilon=2), pure(1)),
        (Budget(rho=2), rho(1)),
        (TOTAL, Price(currency="gdp", amount=Fraction(1, 100))),
    ],
)
def test_a_delta_that_nobody_reserved_is_not_charged(total, price, tmp_path):
    held = reserve(make(tmp_path / "t.ledger", total), price)
    with refused(OverBudget, r"delta = 1e-09 but 0 is left"):
        held.charge(Price(currency=price.currency, amount=Fraction(1, 10**6), delta=Fraction(1, 10**9)), what="reveal")
    assert held.ledger.verify() == 2


def test_a_rho_is_no_epsilon_and_no_delta_is_refunded(ledger):
    with refused(BadBudget, "no pure epsilon"):
        reserve(ledger, Price(currency="zcdp", amount=Fraction(1, 100), delta=Fraction(1, 10**8)))
    held = reserve(ledger, approx(1, "4e-7"))
    with refused(BadBudget, "no pure epsilon"):
        held.charge(gaussian(ledger, "0.01"), what="measure")
    for ask in (lambda: reserve(ledger, approx("0.1", "-1e-7")), lambda: held.charge(approx("0.1", "-1e-7"), what="x")):
        with refused(BadBudget, "delta must not be negative"):
            ask()
    assert ledger.verify() == 2


def test_a_ledger_of_an_older_version_reads_on(ledger):
    """Its charges had no epsilon and delta of their own; one more charge then finds nothing left."""
    held = reserve(ledger, approx(1, "4e-7"))
    with ledger._writing() as book:
        share = held.line.amount / 2
        book.append(replace(ledger._next(book, "charge", share, held.line), what="reveal"))
    assert ledger.lines()[-1].terms is None
    assert ledger.verify() == 3
    with refused(OverBudget):
        held.charge(approx("0.1", 0), what="measure")
    held.settle(synopsis_digest="d")
    assert ledger.left == bought(ledger, 1, "6e-7")


FORGED = {
    "more than was reserved": {"epsilon": "1/4", "delta": "5/10000000", "epsilons": "1/4", "deltas": "5/10000000"},
    "a sum that forgets": {"epsilon": "1/4", "delta": "1/10000000", "epsilons": "1/4", "deltas": "0"},
    "another epsilon": {"epsilon": "1/8", "delta": "1/10000000", "epsilons": "1/8", "deltas": "1/10000000"},
    "no numbers": {"epsilon": "a lot", "delta": "x"},
    "another shape": ["1/4"],
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_deltas_show(name, ledger):
    held = reserve(ledger, approx(1, "4e-7"))
    with ledger._writing() as book:
        line = ledger._next(book, "charge", held.line.amount / 4, held.line)
        book.append(replace(line, what="reveal", budget=json.dumps(FORGED[name])))
    with refused(BadLedger):
        ledger.verify()
