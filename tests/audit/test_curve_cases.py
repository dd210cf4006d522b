"""The whole law of rounded Gaussian noise stays below the curve it is priced by; laws that are nearly it do not."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from hushtable.audit import curve_cases as curves
from hushtable.audit.curve_cases import CURVES, CurveCase, audit_curve
from hushtable.audit.exact_laws import noise_log
from hushtable.laws import Law

CASES = [case for name in CURVES for case in curves.curve_cases(name)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_law_keeps_below_its_curve_and_comes_near_it(case):
    (check,) = audit_curve(case)
    assert check.passed
    assert check.found > 0.2 * check.claim


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_discrete_gaussian_planted_as_the_law_is_found(case):
    (check,) = audit_curve(replace(case, law=Law.GAUSSIAN))
    assert not check.passed


@pytest.mark.parametrize(("sigma", "most"), [(1, 2.3), (5, 1.07)])
def test_how_far_the_discrete_gaussian_is_above_the_curve(sigma, most, monkeypatch):
    """As docs/budget.md says."""
    monkeypatch.setattr(curves, "EPSILONS", np.geomspace(0.01, 30, 400))
    (check,) = audit_curve(CurveCase("discrete", Law.GAUSSIAN, (float(sigma**2),), (1,)))
    assert check.found / check.claim == pytest.approx(most, abs=0.05 * (most - 1))


def test_noise_three_percent_too_small_is_found(monkeypatch):
    real = curves.noise_log
    monkeypatch.setattr(curves, "noise_log", lambda law, variance, at: real(law, variance * 0.97**2, at))
    assert not audit_curve(CASES[4])[0].passed


def test_rounding_toward_zero_is_found(monkeypatch):
    """0 gets what is between -1 and 1, every other number what lies beyond it up to the next."""

    def toward_zero(law, variance, at):
        from scipy.special import ndtr

        size, sigma = np.abs(at), math.sqrt(variance)
        mass = ndtr(-size / sigma) - ndtr(-(size + 1) / sigma)
        return np.log(np.where(size == 0, 2 * mass, mass))

    monkeypatch.setattr(curves, "noise_log", toward_zero)
    found = [case for case in CASES if not audit_curve(case)[0].passed]
    assert len(found) >= 4


@pytest.mark.parametrize("variance", [0.25, 4.0, 30.25])
def test_chances_are_those_of_the_rounded_normal_in_many_digits(variance):
    with mpmath.workdps(300):
        sigma = mpmath.sqrt(variance)
        for k in (0, 1, -2, 7, 12):
            low, high = ((k + side) / sigma for side in (mpmath.mpf("-0.5"), mpmath.mpf("0.5")))
            truth = mpmath.log((mpmath.erf(high / mpmath.sqrt(2)) - mpmath.erf(low / mpmath.sqrt(2))) / 2)
            assert noise_log(Law.ROUNDED, variance, np.array([k]))[0] == pytest.approx(float(truth), rel=1e-10)
