"""Averages of small groups: intervals that hold as often as they say, given that one is shown.

Draws are made of the released sums themselves, with noise of known law, so that many cost little; seeds are fixed.
"""

from math import exp, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

from hushtable.laws import Law
from hushtable.maths.weighted_rows.calibration import CALIBRATION_UNIT, Calibration
from hushtable.models.quotients import PLACES, Averages, Quotients

FALSE_ALARM = 1e-9
# Values of a group's rows, scaled to 0 and 1, and which share of the rows has each: at an end, in the middle, between.
SHAPES = {
    "none of two": ((0, 1), (1, 0)),
    "half of two": ((0, 1), (0.5, 0.5)),
    "most of two": ((0, 1), (0.1, 0.9)),
    "low of eight": (tuple(np.linspace(0, 1, 8)), (0.5, 0.5, 0, 0, 0, 0, 0, 0)),
    "all of eight": (tuple(np.linspace(0, 1, 8)), (1 / 8,) * 8),
}
# Rows of a group over the standard error of their number.
SIZES = (2.0, 3.5, 6.0)


def drawn(law, shape, size, count, *, cells=1, wrong=1.0, seed=0):
    """Quotients of `count` releases of one group and the true ratio; each value sums the noise of some cells."""
    values, shares = (np.array(part, dtype=np.float64) for part in SHAPES[shape])
    g = np.random.default_rng(seed)
    draw = g.normal if law == "gaussian" else g.laplace
    one = 1.0 if law == "gaussian" else sqrt(0.5)
    noise = draw(scale=one, size=(count, len(values), cells)).sum(axis=2)
    sums = size * sqrt(len(values) * cells) * shares + noise
    weights = values - PLACES[:, None]
    variance = wrong**2 * cells * (weights**2).sum(axis=1)
    fourth = 0.0 if law == "gaussian" else 3 * cells * wrong**4 * (weights**4).sum(axis=1)
    wide = np.ones((1, count))
    found = Quotients.from_noise(weights @ sums.T, variance[:, None] * wide, (fourth + 0 * variance)[:, None] * wide)
    return found, float(values @ shares)


def held(found, truth, confidence):
    """How many of the shown intervals hold the truth, and how many are shown."""
    inside = (found.low(confidence) <= truth + 1e-9) & (truth - 1e-9 <= found.high(confidence))
    return int(inside[found.known].sum()), int(found.known.sum())


def at_least(chance, held, shown):
    """Whether so many may hold if each does with at least this chance."""
    return binom.cdf(held, shown, chance) > FALSE_ALARM


def at_most(chance, held, shown):
    return binom.sf(held - 1, shown, chance) > FALSE_ALARM


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_normal_noise_is_held_given_that_an_average_is_shown(shape, size):
    """By the proof between 95 and 97.5%, and 99.9 and 99.95%, for any group."""
    found, truth = drawn(Law.GAUSSIAN, shape, size, 5_000)
    count = held(found, truth, 0.95)
    assert count[1] > 500
    assert at_least(0.95, *count)
    assert at_most(0.975, *count)
    assert at_least(0.999, *held(found, truth, 0.999))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("shape", "cells"), [*((shape, 1) for shape in SHAPES), ("half of two", 4)])
def test_laplace_noise_is_held_given_that_an_average_is_shown(shape, size, cells):
    """Approximate, by kurtosis: at least 93% and 99.5%, and 95% is 99.5% at most."""
    found, truth = drawn(Law.LAPLACE, shape, size, 4_000, cells=cells)
    count = held(found, truth, 0.95)
    assert count[1] > 250
    assert at_least(0.93, *count)
    assert at_most(0.997, *count)
    assert at_least(0.995, *held(found, truth, 0.999))


def test_a_scale_7_percent_wrong_is_seen():
    for wrong, fits in ((1.0, True), (0.93, False), (1.07, False)):
        found, truth = drawn(Law.GAUSSIAN, "half of two", 12.0, 25_000, wrong=wrong)
        count = held(found, truth, 0.95)
        assert (at_least(0.95, *count) and at_most(0.95, *count)) == fits, (wrong, count)


def test_intervals_that_ignore_the_choice_would_not_do():
    """The same draws, with the plain limits of [Fie54]: far below 95% for groups of which few are shown."""
    found, truth = drawn(Law.GAUSSIAN, "none of two", 1.5, 12_000)
    off = np.abs(found.top - truth * found.below) / np.sqrt(found.variance[0])
    plain = int((off[found.known] <= 1.96).sum())
    assert not at_least(0.93, plain, int(found.known.sum()))
    assert at_least(0.93, *held(found, truth, 0.95))


def test_large_groups_have_the_usual_interval():
    """Value and 1.96 first-order standard errors, up to terms of the order of noise over size."""
    found, _ = drawn(Law.GAUSSIAN, "most of two", 3000.0, 200)
    half = 1.959964 * np.sqrt(found.noise()[0])
    np.testing.assert_allclose(found.high(0.95) - found.value, half, rtol=2e-3)
    np.testing.assert_allclose(found.value - found.low(0.95), half, rtol=2e-3)


def test_bins_are_bounded_by_their_ends():
    """Rows anywhere in their bins: the mean of the lower ends bounds from below, that of the upper ends from above."""
    lower, low = drawn(Law.GAUSSIAN, "most of two", 5.0, 6_000)
    upper, high = drawn(Law.GAUSSIAN, "most of two", 5.0, 6_000)
    found = Averages.of(lower, upper, np.full(6000, 20.0), np.full(6000, 30.0))
    ends = found(0.95)
    shown = lower.known
    inside = (ends[0] <= 20 + 10 * low) & (20 + 10 * high <= ends[1])
    assert at_least(0.95, int(inside[shown].sum()), int(shown.sum()))
    assert (ends[0] >= 20).all()
    assert (ends[1] <= 30).all()


@pytest.mark.parametrize("law", list(Law))
def test_the_limit_of_the_audit_holds_as_often_as_it_says(law):
    """Upper limits at 95% of 60,000 audited tables; the estimate alone is too small for about half of them."""
    g, count, rows, scale = np.random.default_rng(3), 60_000, 10_000, 40.0 * CALIBRATION_UNIT
    truth = g.uniform(0.02, 0.2, count)
    noise = g.normal(scale=scale, size=count) if law.power == 2 else g.laplace(scale=scale, size=count)
    # The reference is rounded for the comparison, and its rounding is taken to be as bad as it can.
    noisy = np.rint((truth - 0.5 / CALIBRATION_UNIT) * 2 * CALIBRATION_UNIT * rows + noise).astype(np.int64)
    tables = tuple((i, i + 1) for i in range(count))
    audit = Calibration(tables, noisy, scale**law.power, law)
    bounds = [audit.bound(table, [2] * (count + 1), rows) for table in tables]
    estimates, limits = (np.array(part) for part in zip(*((b.bias, b.limit(0.95)) for b in bounds), strict=True))
    assert at_most(0.53, int((estimates >= truth).sum()), count)
    chance = 0.95 if law.power == 2 else 1 - exp(-sqrt(2) * NormalDist().inv_cdf(0.95)) / 2

    def fits(limits):
        holds = int((limits >= truth).sum())
        return at_least(chance, holds, count) and at_most(chance, holds, count)

    assert chance >= 0.95
    assert fits(limits)
    assert not fits(estimates + 0.93 * (limits - estimates))
    assert not fits(estimates + 1.07 * (limits - estimates))
