"""Shares: totals are pooled; small counts are shrunk by all, or by their neighbours where an order tells more."""

from fractions import Fraction

import numpy as np
import pytest
from tables import domain

from hushtable.laws import Law
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from hushtable.maths.weighted_rows.kernels import around, spread_rows
from hushtable.maths.weighted_rows.resolution import ordered
from hushtable.maths.weighted_rows.shares import REACH, ColumnTotals, denoised, fit_prior, small_counts

DEVIATION, RELEASES = 15.0, 40
HILL = 40 * np.exp(-(((np.arange(90) - 35) / 15) ** 2))
# Half of the values never occur, the others often; in no order.
SCATTERED = np.random.default_rng(4).permutation(np.repeat([0.0, 60.0], 45))


def errors(true, **options):
    """Summed absolute errors of many noisy versions, each of the noise alone and of what is left of it."""
    random, raw, clean = np.random.default_rng(1), 0.0, 0.0
    for _ in range(RELEASES):
        noisy = true + random.normal(0, DEVIATION, len(true))
        raw += np.abs(noisy - true).sum()
        clean += np.abs(small_counts(noisy, DEVIATION, **options) - true).sum()
    return clean / raw


def test_neighbours_tell_of_a_smooth_column():
    alone, beside = errors(HILL), errors(HILL, ordered=True)
    assert alone < 0.8
    assert beside < 0.7 * alone


def test_neighbours_that_tell_nothing_are_not_asked():
    alone, beside = errors(SCATTERED), errors(SCATTERED, ordered=True)
    assert alone < 0.7
    assert beside < 1.03 * alone


def test_a_peak_among_neighbours_stays():
    """Also one that is a small count itself: five standard deviations above values that never occur."""
    true = np.zeros(60)
    true[30] = 5 * DEVIATION
    noisy = true + np.random.default_rng(2).normal(0, DEVIATION, 60)
    noisy[30] = true[30]
    clean = small_counts(noisy, DEVIATION, ordered=True)
    assert clean[30] > 0.8 * true[30]
    assert np.delete(clean, 30).max() < 0.4 * DEVIATION


@pytest.mark.parametrize("values", [1, 2, REACH, REACH + 1, 2 * REACH + 3])
def test_short_columns_do_no_harm(values):
    clean = small_counts(np.linspace(-5.0, 5.0, values), 3.0, ordered=True)
    assert clean.shape == (values,)
    assert np.isfinite(clean).all()
    assert (clean >= 0).all()


def test_categories_have_no_order():
    shape = domain({
        "age": {"kind": "number", "between": [0, 100], "bins": 20, "missing": "error"},
        "region": {"kind": "category", "values": [f"r{i}" for i in range(20)], "missing": "error"},
        "visits": {"kind": "integer", "between": [0, 30], "missing": "error"},
    })  # fmt: skip
    assert ordered(shape) == [0, 2]


def test_denoising_keeps_large_counts_and_the_total():
    counts = np.array([5000.0, 3000.0, *np.random.default_rng(0).normal(0, 30, 60)])
    clean = denoised(counts, 30.0, 8000.0)
    assert clean.sum() == pytest.approx(8000.0)
    assert clean.min() >= 0
    assert np.abs(clean[:2] - counts[:2]).max() < 350
    assert clean[2:].sum() < 400, "empty values were not recognised"
    np.testing.assert_allclose(denoised(np.array([-3.0, -1.0]), 1.0, 10.0), 5.0)


def test_totals_pool_tables_and_say_their_variance():
    column = GroupedSet((0,), (np.arange(3),))
    tables = [RawTable(column, np.array([10, 20, 30]), Law.GAUSSIAN, Fraction(4)),
              RawTable(column, np.array([13, 23, 33]), Law.GAUSSIAN, Fraction(8))]  # fmt: skip
    totals = ColumnTotals(1, tables)
    assert totals.variances == [pytest.approx(8 / 3)]
    assert totals.rows == pytest.approx((60 / 12 + 69 / 24) / (1 / 12 + 1 / 24))
    assert totals.rows_variance == pytest.approx(8.0)
    np.testing.assert_allclose(totals.counts()[0], totals.rows / 3 + np.array([-10, 0, 10]))


def test_a_prior_is_the_mean_of_the_posteriors_that_it_gives():
    """EM round by round, with the posteriors written out; they are returned for the prior of the last round."""
    likelihood = np.random.default_rng(3).random((40, 7))
    expected = np.full(7, 1 / 7)
    for _ in range(5):
        each = likelihood * expected / (likelihood * expected).sum(axis=1, keepdims=True)
        expected = each.mean(axis=0)
    prior, posterior = fit_prior(likelihood, 5)
    np.testing.assert_allclose(prior, expected, rtol=1e-12)
    np.testing.assert_allclose(posterior, each, rtol=1e-12)


def test_neighbours_count_less_the_farther_they_are_and_oneself_not():
    np.testing.assert_allclose(around(np.array([[0.0], [0.0], [6.0], [0.0], [0.0]]), 2).ravel(), [2, 4, 0, 4, 2])
    np.testing.assert_allclose(around(np.array([[1.0], [2.0]]), 8).ravel(), [2 * 8 / 9, 8 / 9])


def test_rows_are_parted_among_the_groups_of_a_table_as_their_shares_say():
    codes, weights = np.array([[0, 1, 1], [1, 0, 1]], dtype=np.uint16), np.array([0.5, 0.2, 0.3])
    first, second = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.3, 0.2], [0.0, 0.6, 0.4]])
    cells = np.zeros(6)
    spread_rows(codes, weights, np.array([0, 1]), np.array([2, 3]), np.concatenate([first.ravel(), second.ravel()]),
                np.array([0, 4]), cells)  # fmt: skip
    np.testing.assert_allclose(
        cells.reshape(2, 3), np.einsum("r,rg,rh->gh", weights, first[codes[0]], second[codes[1]])
    )
