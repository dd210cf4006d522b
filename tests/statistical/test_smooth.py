"""Smooth releases: stated noise against observed, and intervals that hold the truth, over many simulated releases.

Seeds are fixed, so a run does not flicker; the rates below are those of a change of seeds or of code.
"""

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from smooth import PURE, ZCDP, people, releases, table

pytestmark = pytest.mark.slow
FALSE_ALARM = 1e-9
CASES = [
    pytest.param(mechanism, budget, neighbours, id=f"{mechanism}-{budget.currency}-{neighbours}")
    for mechanism, budget in (("smooth-spline", PURE), ("smooth-spline", ZCDP), ("smooth-cheb", ZCDP))
    for neighbours in ("replace", "add-remove")
]


def scale_fits(z, kurtosis):
    """Whether independent standardised errors have variance 1: sum z^2 is chi-square up to its kurtosis."""
    freedom = z.size / (1 + kurtosis / 2)
    low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], freedom) / freedom
    return low < (z**2).mean() < high


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_released_numbers_have_the_stated_noise(mechanism, budget, neighbours):
    """All numbers of some releases with two groups and categories; sees a scale 7% wrong either way."""
    shape = people(neighbours=neighbours)
    workload = "smooth(columns=[[age, income], [bmi]], by=[sex])"
    exact, *noisy = releases(table(300), shape, workload, budget, mechanism, 14)
    z = []
    for model in noisy:
        for one, true in zip(model.released, exact.released, strict=True):
            margin, base = one.margin(one.block.names), true.margin(true.block.names)
            z.append(((margin.numbers - base.numbers) / np.sqrt(margin.variances)).ravel())
    z = np.concatenate(z)
    kurtosis = 0.0 if budget is ZCDP else 3.0
    assert z.size > 15_000
    assert scale_fits(z, kurtosis)
    assert not scale_fits(z * 0.93, kurtosis)
    assert not scale_fits(z * 1.07, kurtosis)


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_intervals_hold_the_truth(mechanism, budget, neighbours):
    """One question a release, many releases: noise-only intervals cover 95%, with the bias at least that."""
    rows, text = table(4000), "exp(-((age-40)/20)**2)*log(income)"
    shape = people(neighbours=neighbours)
    workload = "smooth(columns=[age, income], length_scale=1.0)"
    true = float(evaluate(parse_expression(text, ["age", "income"]), rows).mean())
    exact, *noisy = releases(rows, shape, workload, budget, mechanism, 1600)
    question = exact.parse(f"avg({text})")
    bias = exact.answer(question).bias
    centre = exact.answer(question).value
    assert abs(centre - true) <= bias
    one = noisy[0].released[0]
    margin = one.margin(("age", "income"))
    from hushtable.maths.smooth.asked_function import ExpressionTarget

    coefficients = margin.basis.fit(ExpressionTarget(question.parts[""]).values(margin.axes, margin.basis.points))
    inside = held = 0
    for model in noisy:
        seen = model.released[0].margin(("age", "income")).mean(coefficients, np.ones(1))
        inside += abs(seen.value - centre) <= 1.96 * seen.stderr
        held += abs(seen.value - true) <= 1.96 * seen.stderr + bias
    assert binomtest(inside, len(noisy), 0.95).pvalue > FALSE_ALARM
    assert binomtest(inside, len(noisy), 0.85).pvalue < FALSE_ALARM  # intervals a quarter too narrow would show
    assert held >= inside * 0.995
