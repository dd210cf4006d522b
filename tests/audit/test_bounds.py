"""Bounds: against another's implementation, and against what they are meant to bound."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom

from hushtable.audit.attacks import Claim, Releases, attack
from hushtable.audit.bounds import at_least, at_most, delta_proven, epsilon_proven, rho_proven, two_sided

ALARMS = (1e-3, 1e-9)


@pytest.mark.parametrize("alarm", ALARMS)
@pytest.mark.parametrize(("count", "of"), [(0, 100), (1, 100), (5, 1000), (500, 1000), (99_990, 100_000), (100, 100)])
def test_clopper_pearson_is_that_of_scipy(count, of, alarm):
    low = beta.ppf(alarm, count, of - count + 1) if count else 0.0
    high = beta.isf(alarm, count + 1, of - count) if count < of else 1.0
    assert at_least(count, of, alarm) == pytest.approx(low, rel=1e-9, abs=1e-12)
    assert at_most(count, of, alarm) == pytest.approx(high, rel=1e-9)


@pytest.mark.parametrize(("count", "of", "chance"), [(0, 10, 0.3), (7, 10, 0.3), (480, 1000, 0.5), (60, 10_000, 0.002)])
def test_two_sided_tails_are_those_of_scipy(count, of, chance):
    tails = binom.cdf(count, of, chance), binom.sf(count - 1, of, chance)
    assert two_sided(count, of, chance) == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-9)


def test_proven_amounts_of_known_coins():
    assert epsilon_proven(0.5, 0.25) == pytest.approx(math.log(2))
    assert epsilon_proven(0.1, 0.2) == 0
    assert delta_proven(0.5, 0.1, math.log(2)) == pytest.approx(0.3)
    assert rho_proven(0.2, 0.3) == 0


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_rho_of_a_threshold_never_exceeds_that_of_the_gaussians_it_cuts(mu):
    from scipy.stats import norm

    found = [rho_proven(norm.sf(t - mu), norm.sf(t)) for t in np.linspace(-2, 6, 81)]
    assert max(found) <= mu**2 / 2
    assert max(found) > 0.6 * mu**2 / 2  # and is worth something


def releases(mean: float, seed: int, count: int = 20_000) -> Releases:
    # Whole numbers: noise of floats is told apart by its low bits alone.
    numbers = np.rint(np.random.default_rng(seed).laplace(100 * mean, 100.0, (count, 1)))
    return Releases(numbers, np.zeros(count))


def test_an_attack_without_any_law_proves_nearly_all_of_a_laplace_shift():
    """Only the classifier knows anything here; noise of scale 1 and a shift of 2 cost epsilon 2."""
    (check,) = attack(releases(0, 1), releases(2, 2), Claim(unit="epsilon", amount=2.0))
    assert check.by == "classifier"
    assert 1.5 < check.found <= 2.0
    assert check.passed
    assert not attack(releases(0, 1), releases(2, 2), Claim(unit="epsilon", amount=1.5))[0].passed


def test_equal_releases_prove_nothing():
    for seed in range(20):
        (check,) = attack(releases(0, seed, 2000), releases(0, seed + 100, 2000), Claim(unit="epsilon", amount=0.0))
        assert check.found == 0
