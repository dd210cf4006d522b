"""Laws of noise: prices and scales are inverse, and moments and quantiles are those of the noise itself."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from hushtable.budget import Price
from hushtable.laws import Law

VARIANCES = [0.01, 0.09, 0.25, 1.0, 1.99, 2.0, 2.01, 30.0, 1e4]


def moments(variance):
    """Variance and fourth cumulant of a rounded normal number, summed over whole numbers."""
    reach = math.ceil(14 * math.sqrt(variance)) + 3
    k = np.arange(1, reach)
    upper = ndtr(-(k - 0.5) / math.sqrt(variance)) - ndtr(-(k + 0.5) / math.sqrt(variance))
    second = math.fsum(2 * k**2 * upper)
    return second, math.fsum(2 * k**4.0 * upper) - 3 * second**2


@pytest.mark.parametrize("variance", VARIANCES)
def test_moments_of_rounded_noise_are_sums_over_whole_numbers(variance):
    second, fourth = moments(variance)
    assert Law.ROUNDED.variance(variance) == pytest.approx(second, rel=1e-12)
    assert Law.ROUNDED.stderr(variance) == pytest.approx(math.sqrt(second), rel=1e-12)
    assert Law.ROUNDED.discrete_variance(Fraction(variance)) == Law.ROUNDED.variance(variance)
    # Of large variances the sum of fourth powers has no digits left for it.
    assert Law.ROUNDED.fourth(variance) == pytest.approx(fourth, rel=1e-6, abs=1e-12 * max(1, variance) ** 2)


def test_many_scales_at_once_have_the_same_moments():
    scales = np.array([[0.0, 0.3], [2.0, 500.0]])
    for law in Law:
        np.testing.assert_allclose(law.variances(scales), [[law.variance(s) for s in row] for row in scales])
        np.testing.assert_allclose(law.fourths(scales), [[law.fourth(s) for s in row] for row in scales])
    assert scales.tolist() == [[0.0, 0.3], [2.0, 500.0]]


@pytest.mark.parametrize("law", list(Law), ids=str)
def test_no_noise_has_no_spread(law):
    assert law.variance(Fraction(0)) == law.stderr(Fraction(0)) == law.fourth(Fraction(0)) == 0
    assert law.discrete_variance(Fraction(0)) == 0


@pytest.mark.parametrize("law", list(Law), ids=str)
def test_price_and_scale_are_inverse_and_each_currency_has_its_law(law):
    price = law.price(Fraction(7, 3), Fraction(5, 2))
    assert law.scale(Fraction(7, 3), price) == Fraction(5, 2)
    assert Law.of(Price(currency=law.currency, amount=price)) is law


@pytest.mark.parametrize("variance", VARIANCES[2:])
@pytest.mark.parametrize("chance", [0.001, 0.25, 0.6, 0.975, 0.9995])
def test_quantiles_of_rounded_noise_are_the_least_whole_numbers_that_reach_the_chance(variance, chance):
    k = Law.ROUNDED.quantile(Fraction(variance), chance)
    sigma = math.sqrt(variance)
    assert k == round(k)
    assert ndtr((k + 0.5) / sigma) >= chance * (1 - 1e-12)
    assert ndtr((k - 0.5) / sigma) < chance


def test_quantiles_of_the_other_laws_are_those_of_their_twins():
    assert Law.GAUSSIAN.quantile(Fraction(4), 0.975) == pytest.approx(2 * 1.959964, rel=1e-6)
    for chance in (0.01, 0.3, 0.5, 0.9):
        x = Law.LAPLACE.quantile(Fraction(3), chance) / 3
        assert (0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)) == pytest.approx(chance)


@pytest.mark.parametrize("variance", [1e-3, 1e-6, 1e-300])
def test_rounded_noise_that_is_never_seen_has_a_variance_to_divide_by(variance):
    assert Law.ROUNDED.variance(variance) == 1e-12
    assert Law.ROUNDED.fourth(variance) == 0
    assert Law.ROUNDED.variances(np.array([variance, 4.0])).tolist() == [1e-12, Law.ROUNDED.variance(4.0)]
