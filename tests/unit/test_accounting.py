"""Exact Gaussian accounting: right to twelve digits, never above the truth, and dear where it must be."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from hushtable import accounting
from hushtable.accounting import amount_of, epsilon_of, gdp_of_pure, pure_of_gdp
from hushtable.budget import Budget, Price
from hushtable.errors import BadBudget
from hushtable.normal import delta_of, tail

KNOWN = [
    (1, "1e-9", "0.016557415245"),
    ("0.1", "1e-9", "0.000198331961"),
    (10, "1e-9", "1.182533351544"),
    (1, "1e-6", "0.028014481913"),
]


def true_delta(amount, epsilon):
    """delta = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2), as it is printed, in 50 digits."""
    mu, e = mpmath.sqrt(2 * exact(amount)), exact(epsilon)
    return mpmath.ncdf(-e / mu + mu / 2) - mpmath.exp(e) * mpmath.ncdf(-e / mu - mu / 2)


def exact(value):
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def some_budgets(count, seed):
    """Epsilon from 0.01 to 20 and delta from 1e-12 to 0.01, evenly in their logarithms."""
    source = np.random.default_rng(seed)
    epsilons = np.exp(source.uniform(math.log(0.01), math.log(20), count))
    deltas = np.exp(source.uniform(math.log(1e-12), math.log(0.01), count))
    return [(Fraction(float(e)), Fraction(float(d))) for e, d in zip(epsilons, deltas, strict=True)]


def breaks_a_promise(convert, budgets):
    """The budgets whose amount is not (epsilon, delta)-DP, or leaves more than 1e-12 of it unused."""
    with mpmath.workdps(50):
        return [
            (epsilon, delta)
            for epsilon, delta in budgets
            if not (
                true_delta(amount := convert(epsilon, delta), epsilon) <= exact(delta)
                < true_delta(amount * (1 + Fraction(1, 10**12)), epsilon)
            )
        ]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "delta", "amount"), KNOWN)
def test_known_amounts(epsilon, delta, amount):
    assert amount_of(Fraction(epsilon), Fraction(delta), "gdp") == pytest.approx(Fraction(amount), rel=1e-9)


def test_an_amount_is_right_to_twelve_digits_and_never_above_the_truth():
    assert breaks_a_promise(lambda e, d: amount_of(e, d, "gdp"), some_budgets(250, 1)) == []


def test_a_conversion_that_rounds_up_is_found():
    budgets = some_budgets(20, 2)
    up = 1 + Fraction(1, 10**13)
    assert len(breaks_a_promise(lambda e, d: amount_of(e, d, "gdp") * up, budgets)) == len(budgets)


def test_it_is_always_more_than_concentrated_dp_allows():
    for epsilon, delta in some_budgets(40, 3):
        assert amount_of(epsilon, delta, "gdp") > amount_of(epsilon, delta, "zcdp")


@pytest.mark.parametrize(("epsilon", "delta"), [("1e-4", "0.5"), (1, "0.999"), (10**6, "1e-9"), (1, "1e-290")])
def test_budgets_that_nobody_should_have_convert_too(epsilon, delta):
    amount = amount_of(Fraction(epsilon), Fraction(delta), "gdp")
    back = epsilon_of(amount, Fraction(delta), "gdp")
    assert abs(back / Fraction(epsilon) - 1) < Fraction(1, 10**4)


def test_a_budget_that_buys_nothing_is_refused_in_one_line():
    with pytest.raises(BadBudget, match="buys no noise; raise one"):
        amount_of(Fraction(1, 10**9), Fraction(1, 10**30), "gdp")


def test_epsilon_of_is_the_inverse_rounded_up():
    with mpmath.workdps(50):
        for epsilon, delta in some_budgets(10, 4):
            amount = amount_of(epsilon, delta, "gdp")
            back = epsilon_of(amount, delta, "gdp")
            assert true_delta(amount, back) <= exact(delta)
            assert abs(back / epsilon - 1) < Fraction(3, 10**6)


def test_bounds_of_the_normal_law_enclose_it():
    with mpmath.workdps(90):
        for x in ["0", "0.3", "1", "2.5", "4.999", "5", "7", "20", "1400"]:
            low, high = (mpmath.mpf(str(end)) for end in tail((accounting.Decimal(x), accounting.Decimal(x))))
            truth = mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2
            assert low <= truth <= high
            assert (high - low) / truth < mpmath.mpf("1e-40")
        for mu, epsilon in [("0.18", 1), ("0.02", "0.1"), ("1.5", 10), ("3", "0.001"), ("0.00003", "0.0001")]:
            low, high = (mpmath.mpf(str(d)) for d in delta_of((accounting.Decimal(mu),) * 2, Fraction(epsilon)))
            truth = true_delta(Fraction(mu) ** 2 / 2, epsilon)
            assert low <= truth <= high
            assert (high - low) / truth < mpmath.mpf("1e-30")


@pytest.mark.parametrize("epsilon", ["1e-6", "0.1", 1, 3, 10, 1000])
def test_a_pure_step_costs_what_its_corner_says(epsilon):
    """mu = 2 probit(e^epsilon / (1 + e^epsilon)), rounded up; for small epsilon pi/2 times what zCDP asks."""
    amount = gdp_of_pure(Fraction(epsilon))
    with mpmath.workdps(60):
        corner = 1 / (1 + mpmath.exp(exact(epsilon)))
        assert mpmath.ncdf(-mpmath.sqrt(exact(amount) / 2)) <= corner
        assert mpmath.ncdf(-mpmath.sqrt(exact(amount * (1 - Fraction(1, 10**15))) / 2)) > corner
    assert 0 <= Fraction(epsilon) - pure_of_gdp(amount) * (1 - Fraction(1, 10**15)) <= Fraction(epsilon) / 10**14
    assert gdp_of_pure(pure_of_gdp(amount)) <= amount * (1 + Fraction(1, 10**18))


def test_nothing_costs_nothing():
    assert gdp_of_pure(Fraction(0)) == 0
    assert Price(currency="pure", amount=Fraction(0)).into("gdp").amount == 0


def test_a_curve_of_pure_dp_lies_above_that_of_its_price():
    """No test of two laws with odds of e^epsilon has more power than Gaussian-DP of the price allows."""
    for epsilon in (0.05, 0.7, 3.0):
        mu = math.sqrt(2 * float(gdp_of_pure(Fraction(epsilon))))
        level = np.linspace(1e-6, 1 - 1e-6, 4001)
        power = np.minimum(math.exp(epsilon) * level, 1 - math.exp(-epsilon) * (1 - level))
        assert (power <= gaussian_power(mu, level) + 1e-12).all()
        assert not (power <= gaussian_power(mu * 0.99, level) + 1e-12).all()


def gaussian_power(mu, level):
    from scipy.special import ndtr, ndtri

    return ndtr(ndtri(level) + mu)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_selection_costs_half_as_much_epsilon_as_a_step_that_is_only_pure(epsilon):
    """Exponential mechanisms on all scores one row apart: none has a better test than its price says, one nearly so."""
    price = Price(currency="gdp", amount=gdp_of_pure(Fraction(epsilon) / 2))
    assert float(price.selection_epsilon) == pytest.approx(epsilon, rel=1e-12)
    mu, largest = math.sqrt(2 * float(price.amount)), 0.0
    source = np.random.default_rng(5)
    for _ in range(3000):
        size = int(source.integers(2, 6))
        scores = source.uniform(0, 6 / epsilon, size)
        moved = scores + source.choice([-1.0, 0.0, 1.0], size)
        largest = max(largest, needed(weights(scores, epsilon), weights(moved, epsilon)))
    # Two candidates, far apart in how one row moves them and even in between: the coin itself.
    largest = max(largest, needed(weights(np.array([0.0, 1.0]), epsilon), weights(np.array([1.0, 0.0]), epsilon)))
    assert largest <= mu * (1 + 1e-9)
    assert largest >= mu * 0.999


def weights(scores, epsilon):
    """P(i) proportional to exp(epsilon score_i / 2), for scores that one row changes by at most 1."""
    raw = np.exp(epsilon * (scores - scores.max()) / 2)
    return raw / raw.sum()


def needed(here, there):
    """The mu that the best test of two laws asks for."""
    from scipy.special import ndtri

    order = np.argsort(-here / there)
    return float(np.max(ndtri(np.cumsum(here[order])[:-1]) - ndtri(np.cumsum(there[order])[:-1])))


def test_the_slope_that_makes_the_even_coin_the_dearest_falls():
    """Phi(x) Phi(-x) / phi(x), the slope of probit after the logistic function, is largest at 0."""
    with mpmath.workdps(40):
        points = [mpmath.mpf(k) / 50 for k in range(1500)]
        slopes = [mpmath.ncdf(x) * mpmath.ncdf(-x) / mpmath.npdf(x) for x in points]
        assert all(left > right for left, right in itertools.pairwise(slopes))


def test_dp_accounting_agrees():
    pytest.importorskip("dp_accounting")
    from dp_accounting import pld

    for epsilon, delta, _ in KNOWN:
        sigma = 1 / math.sqrt(2 * float(Budget(epsilon=epsilon, delta=delta).price.amount))
        ours = float(Fraction(epsilon))
        loss = pld.privacy_loss_distribution.from_gaussian_mechanism(sigma, value_discretization_interval=ours / 5000)
        assert loss.get_epsilon_for_delta(float(delta)) == pytest.approx(ours, rel=2e-3)
