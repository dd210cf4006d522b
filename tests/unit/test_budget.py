"""Budgets are exact, conversions round to the safe side, and no budget that is not one gets through."""

import math
import signal
from contextlib import contextmanager
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.accounting import amount_of, epsilon_of
from hushtable.budget import GRID, Budget, Price, Unit, exact, largest_budget
from hushtable.errors import BadBudget

KNOWN = [(1, "1e-9", 0.014973), (1, "1e-6", 0.024356), ("0.1", "1e-9", 0.00017714), (10, "1e-9", 1.09079)]
budgets = st.tuples(
    st.decimals("0.01", 50, places=3).map(Fraction),
    st.tuples(st.integers(1, 99), st.integers(5, 16)).map(lambda drawn: Fraction(drawn[0], 10 ** drawn[1])),
)


@contextmanager
def within(seconds):
    """Stops what takes longer, so that a hang is a failure."""

    def stop(*_):
        raise TimeoutError(f"longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def delta_of(rho: Fraction, epsilon: Fraction) -> Decimal:
    """The conversion's formula at its minimum, found where its derivative (2a-1) rho - epsilon + ln(1 - 1/a) is 0."""
    with localcontext(Context(prec=50)):
        rho, epsilon = (Decimal(x.numerator) / Decimal(x.denominator) for x in (rho, epsilon))
        low, high = Decimal("1e-20"), Decimal("1e20")  # of a - 1
        for _ in range(150):
            middle = (low * high).sqrt()
            a = 1 + middle
            falling = (2 * a - 1) * rho - epsilon + (1 - 1 / a).ln() < 0
            low, high = (middle, high) if falling else (low, middle)
        a = 1 + low
        return ((a - 1) * (a * rho - epsilon) + a * (1 - 1 / a).ln()).exp() / (a - 1)


@pytest.mark.parametrize(("epsilon", "delta", "rho"), KNOWN)
def test_known_conversions(epsilon, delta, rho):
    price = Budget(epsilon=epsilon, delta=delta).price_in("zcdp")
    assert price.currency == "zcdp"
    assert float(price.amount) == pytest.approx(rho, rel=5e-5)


@settings(max_examples=20, deadline=None)
@given(budgets)
def test_rho_is_the_largest_that_keeps_the_promise(budget):
    epsilon, delta = budget
    rho = amount_of(epsilon, delta, "zcdp")
    allowed = Decimal(delta.numerator) / Decimal(delta.denominator)
    assert delta_of(rho, epsilon) <= allowed
    assert delta_of(rho * (1 + Fraction(1, 10**6)), epsilon) > allowed


@settings(max_examples=10, deadline=None)
@given(budgets)
def test_epsilon_of_is_the_inverse_rounded_up(budget):
    epsilon, delta = budget
    back = epsilon_of(amount_of(epsilon, delta, "zcdp"), delta, "zcdp")
    assert abs(back / epsilon - 1) < Fraction(3, 10**6)
    rho = epsilon * 7 + Fraction(1, 100)
    enough = epsilon_of(rho, delta, "zcdp")
    allowed = Decimal(delta.numerator) / Decimal(delta.denominator)
    assert delta_of(rho, enough) <= allowed
    assert delta_of(rho, enough * (1 - Fraction(2, 10**6))) > allowed


@pytest.mark.parametrize("currency", ["gdp", "zcdp"])
@pytest.mark.parametrize(("amount", "delta"), [("1e-6", "0.5"), ("1e-13", "1e-6")])
def test_epsilon_of_ends_where_no_epsilon_is_needed(amount, delta, currency):
    with within(0.3):
        assert epsilon_of(Fraction(amount), Fraction(delta), currency) < Fraction(1, 10**3)


@pytest.mark.parametrize(("epsilon", "delta"), [*(k[:2] for k in KNOWN), (3, "1e-5"), ("0.5", "1e-12"), (20, "1e-6")])
def test_accountants_agree_that_the_promise_is_kept(epsilon, delta):
    """One Gaussian measurement of sensitivity 1 that costs the whole rho."""
    dp_accounting = pytest.importorskip("dp_accounting")
    from dp_accounting import pld, rdp

    ours, small = float(Fraction(epsilon)), float(delta)
    sigma = 1 / math.sqrt(2 * float(Budget(epsilon=epsilon, delta=delta).price_in("zcdp").amount))
    renyi = rdp.RdpAccountant(orders=[1 + math.exp(x / 50) for x in range(-200, 600)])
    renyi.compose(dp_accounting.GaussianDpEvent(sigma))
    # The same bound on a grid of orders, which can only be a little worse than the best order.
    assert 1 - 1e-6 <= renyi.get_epsilon(small) / ours <= 1 + 1e-3
    loss = pld.privacy_loss_distribution.from_gaussian_mechanism(sigma, value_discretization_interval=ours / 2000)
    # The loss distribution is tight for a single Gaussian; the price of composing freely in rho is 4 to 8 % of epsilon.
    assert 0.92 <= loss.get_epsilon_for_delta(small) / ours <= 1


@pytest.mark.parametrize("value", [0.1, "0.1", "1e-1", Decimal("0.1"), Fraction(1, 10)])
def test_numbers_are_what_was_typed(value):
    assert exact(value, "epsilon") == Fraction(1, 10)
    assert Budget(epsilon=value).epsilon == Fraction(1, 10)
    assert Budget(rho=value).price_in("zcdp") == Price(currency="zcdp", amount=Fraction(1, 10))
    assert Budget(rho=value).price_in("gdp") == Price(currency="gdp", amount=Fraction(1, 10))
    assert Budget(epsilon=1, delta=value).delta == Fraction(1, 10)


def test_ten_tenths_are_one():
    tenth = Budget(epsilon=0.1).price
    assert sum([tenth] * 9, tenth) == Budget(epsilon=1).price


prices = st.builds(Price, currency=st.sampled_from(["pure", "zcdp", "gdp"]), amount=st.fractions(0, 10))


@settings(max_examples=50)
@given(price=prices, count=st.integers(0, 50))
def test_k_steps_cost_k_times_one(price, count):
    total = Price(currency=price.currency, amount=Fraction(0))
    for _ in range(count):
        total += price
    assert total == price.times(count)


@settings(max_examples=50)
@given(price=prices)
def test_the_grid_rounds_the_safe_way(price):
    up, down = price.on_grid(up=True), price.on_grid(up=False)
    assert down.amount <= price.amount <= up.amount
    assert up.amount - down.amount <= Fraction(1, GRID)
    assert (up.amount * GRID).denominator == (down.amount * GRID).denominator == 1
    assert up.on_grid(up=True) == up.on_grid(up=False) == up


def test_prices_convert_one_way_only():
    pure, rho = Price(currency="pure", amount=Fraction(1, 2)), Price(currency="zcdp", amount=Fraction(1, 8))
    assert pure.into("zcdp") == rho
    assert pure.into("pure") == pure
    assert rho.into("zcdp") == rho
    with pytest.raises(BadBudget, match="no pure epsilon"):
        rho.into("pure")
    exact_gaussian = Price(currency="gdp", amount=Fraction(1, 8))
    assert exact_gaussian.into("zcdp") == rho
    assert pure.into("gdp").currency == "gdp"
    with pytest.raises(BadBudget, match="no pure epsilon"):
        exact_gaussian.into("pure")
    with pytest.raises(BadBudget, match="plan it with the currency gdp"):
        rho.into("gdp")
    with pytest.raises(BadBudget, match="do not add"):
        _ = pure + rho


def test_currencies_and_texts():
    assert str(Budget(epsilon=1)) == "epsilon = 1"
    assert str(Budget(epsilon="0.5", delta="1e-9")) == "epsilon = 0.5, delta = 1e-09"
    assert str(Budget(rho="0.015")) == "rho = 0.015"
    assert str(Budget(epsilon=2).price) == "epsilon = 2"
    assert str(Budget(rho=2).price_in("zcdp")) == "rho = 2"
    assert [Budget(**b).account for b in ({"epsilon": 1}, {"epsilon": 1, "delta": 0}, {"rho": 1})] == [
        "pure",
        "pure",
        "zcdp",
    ]
    assert Budget(epsilon=1, delta="1e-9").currencies == ("gdp", "zcdp")
    assert str(Budget(epsilon=1, delta="1e-9").price) == "mu^2/2 = 0.0165574"
    with pytest.raises(BadBudget, match="epsilon = 1 is spent in pure, not in gdp"):
        Budget(epsilon=1).price_in("gdp")


@pytest.mark.parametrize("currency", ["gdp", "zcdp"])
def test_what_an_amount_pays_for_is_the_largest_epsilon_of_four_digits(currency):
    total = Budget(epsilon=1, delta="1e-9")
    whole = total.price_in(currency).amount
    assert largest_budget(whole, total, currency) == total
    assert largest_budget(Fraction(0), total, currency) is None
    assert largest_budget(Fraction(1, 10**30), total, currency) is None
    for part in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 1000)):
        room = largest_budget(whole * part, total, currency)
        assert room.price_in(currency).amount <= whole * part
        more = Budget(epsilon=room.epsilon * Fraction(1002, 1000), delta=total.delta)
        assert more.price_in(currency).amount > whole * part


@pytest.mark.parametrize(
    "budget",
    [Budget(epsilon="0.1"), Budget(epsilon=Fraction(1, 3), delta="1e-9"), Budget(rho="0.014973")],
    ids=str,
)
def test_round_trip_through_dict(budget):
    parts = budget.to_dict()
    assert all(isinstance(value, str) for value in parts.values())
    assert Budget.from_dict(parts) == budget


BAD = {
    "neither": ({}, "not both or neither"),
    "both": ({"epsilon": 1, "rho": 1}, "not both or neither"),
    "delta alone": ({"delta": 0.1}, "not both or neither"),
    "rho and delta": ({"rho": 1, "delta": "1e-9"}, "rho needs no delta"),
    "delta 1": ({"epsilon": 1, "delta": 1}, "below 1 .* not 1$"),
    "delta 2": ({"epsilon": 1, "delta": 2}, "below 1 .* not 2$"),
    "delta below 0": ({"epsilon": 1, "delta": -1e-9}, "at least 0 .* not -1e-09$"),
    "delta nan": ({"epsilon": 1, "delta": math.nan}, "delta must be a finite number"),
    "no rho": ({"epsilon": "1e-9", "delta": "1e-30"}, "buys no noise"),
} | {
    f"{name} {value}": ({name: value}, says)
    for name in ("epsilon", "rho")
    for value, says in [
        (0, "greater than 0, not 0$"),
        (-1, "greater than 0, not -1$"),
        ("-0.0", "greater than 0"),
        ("1000001", r"at most 1e\+06"),
        (math.nan, "finite number, not 'nan'"),
        (math.inf, "finite number, not 'inf'"),
        ("-inf", "finite number"),
        ("abc", "finite number, not 'abc'"),
        ("", "finite number, not ''"),
        ("1/2", "finite number, not '1/2'"),
        (True, "finite number, not 'True'"),
        ([1], "finite number"),
        ("1\n2", "finite number"),
        ("x" * 1000, "finite number, not 'x{40}'$"),
    ]
}


@pytest.mark.parametrize(("given", "says"), BAD.values(), ids=list(BAD))
def test_what_is_not_a_budget_is_refused_in_one_line(given, says):
    with pytest.raises(BadBudget, match=says) as caught:
        _ = Budget(**given).price
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["epsilon", "rho", "delta"])
@pytest.mark.parametrize(
    "value", ["1e400", "-1e400", "1e999999999", "1e-999999999", Fraction(10**400), 10**400], ids=lambda v: str(v)[:12]
)
def test_numbers_beyond_all_bounds_are_refused_at_once(name, value):
    given = {"epsilon": 1, "delta": value} if name == "delta" else {name: value}
    with within(0.1), pytest.raises(BadBudget):
        Budget(**given)


def test_values_are_frozen():
    for value in (Budget(epsilon=1), Price(currency="pure", amount=Fraction(1)), Unit()):
        with pytest.raises(AttributeError):
            value.rows = value.amount = value.epsilon = Fraction(9)
