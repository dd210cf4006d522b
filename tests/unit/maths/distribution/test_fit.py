"""The fit: what it solves, that it never gets worse, and that it follows a measurement as far as its noise deserves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.laws import Law
from hushtable.maths.distribution import Evidence, Factored, fit
from hushtable.maths.distribution.fit import objective
from hushtable.maths.distribution.kernels import sum_step, table_steps
from hushtable.maths.distribution.measured import Measured, possible_table

SIZES = (2, 3, 2)


def tables(seed, variance):
    """Inconsistent noisy tables, and one weighted sum."""
    random = np.random.default_rng(seed)
    items = [
        Evidence(positions, random.normal(1 / cells, np.sqrt(variance), cells), variance)
        for positions, cells in (((0, 1), 6), ((2, 1), 6), ((0, 2), 4))
    ]
    weights = random.random(6)
    return [*items, Evidence((1, 0), np.array([random.uniform(weights.min(), weights.max())]), variance, weights)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.floats(-8, 0))
def test_no_pass_makes_the_objective_worse_and_everything_stays_finite(seed, exponent):
    evidence, distribution, start = tables(seed, 10.0**exponent), Factored(SIZES), Factored(SIZES)
    last = objective(distribution, start, evidence)
    for _ in range(15):
        fit(distribution, evidence, passes=1)
        now = objective(distribution, start, evidence)
        assert np.isfinite(now)
        assert now >= last - 1e-9 * max(1, abs(last))
        last = now


def test_at_the_end_a_target_is_missed_by_what_its_log_weight_excuses():
    evidence, distribution = tables(3, 0.01), Factored(SIZES)
    fit(distribution, evidence, passes=2000)
    for item in evidence:
        table = distribution.table(item.positions).ravel()
        says = table if item.weights is None else np.array([table @ item.weights])
        # Of a whole table all cells share the shift that keeps the sum at 1.
        missed = item.target - says - item.give * item.theta
        np.testing.assert_allclose(missed, 0, atol=2e-3)


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-12, 1), st.floats(-5, 5), st.floats(-50, 50), st.floats(1e-9, 10))
def test_a_cell_is_solved(now, target, theta, give):
    x = float(table_steps(np.array([now]), np.array([target]), np.array([theta]), give)[0])
    left = now * np.exp(x) + give * (theta + x) - target
    assert abs(left) <= 1e-7 * (now * np.exp(x) + give * (1 + abs(theta + x)) + abs(target))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(-6, 1))
def test_a_weighted_sum_is_solved(seed, exponent):
    random = np.random.default_rng(seed)
    now, weights, give = random.dirichlet(np.ones(8)), random.random(8), 10.0**exponent
    target, theta = float(random.uniform(weights.min(), weights.max())), float(random.normal())
    x = sum_step(now, weights, target, theta, give)
    tilted = now * np.exp(x * weights)
    assert (tilted / tilted.sum()) @ weights + give * (theta + x) == pytest.approx(target, abs=1e-8)


def test_without_noise_the_measured_table_is_reached():
    target = np.array([0.1, 0.2, 0.05, 0.3, 0.25, 0.1])
    distribution = Factored(SIZES)
    fit(distribution, [Evidence((0, 1), target, 1e-12)], passes=50)
    np.testing.assert_allclose(distribution.table((0, 1)).ravel(), target, atol=1e-8)


def test_much_noise_leaves_the_start_alone():
    distribution = Factored(SIZES)
    fit(distribution, [Evidence((0, 1), np.array([1.0, 0, 0, 0, 0, 0]), 1e6)], passes=50)
    np.testing.assert_allclose(distribution.table((0, 1)), np.full((2, 3), 1 / 6), atol=1e-5)


def test_noisy_counts_are_moved_to_what_is_possible():
    clean = possible_table(np.array([-5, 30, 80]), 100)
    assert clean.min() >= 0
    assert clean.sum() == pytest.approx(100)
    query = Measured((0,), np.array([130]), scale=4, function=np.array([1, 0]))
    assert query.evidence(rows=100, grid=1, law=Law.GAUSSIAN).target == [1.0]
    assert query.variance(Law.GAUSSIAN) == 4
    assert query.variance(Law.LAPLACE) == 32
