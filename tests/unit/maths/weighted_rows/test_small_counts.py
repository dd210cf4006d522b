"""Small counts: shrunk by all counts, or by their neighbours where values stand in an order and that tells more."""

import numpy as np
import pytest
from tables import domain

from hushtable.maths.weighted_rows.resolution import ordered
from hushtable.maths.weighted_rows.shares import REACH, small_counts

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
    found = small_counts(noisy, DEVIATION, ordered=True)
    assert found[30] > 0.8 * true[30]
    assert np.delete(found, 30).max() < 0.4 * DEVIATION


@pytest.mark.parametrize("values", [1, 2, REACH, REACH + 1, 2 * REACH + 3])
def test_short_columns_do_no_harm(values):
    found = small_counts(np.linspace(-5.0, 5.0, values), 3.0, ordered=True)
    assert found.shape == (values,)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_categories_have_no_order():
    shape = domain({
        "age": {"kind": "number", "between": [0, 100], "bins": 20, "missing": "error"},
        "region": {"kind": "category", "values": [f"r{i}" for i in range(20)], "missing": "error"},
        "visits": {"kind": "integer", "between": [0, 30], "missing": "error"},
    })  # fmt: skip
    assert ordered(shape) == [0, 2]
