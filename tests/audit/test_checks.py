"""Checks: noise that is used twice shows wherever it was used, and independent noise does not."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from hushtable.audit.checks import ALARM, Check, halves, is_independent

RUNS, STEPS, NUMBERS = 200, 5, 3


def signs(seed: int) -> np.ndarray:
    return halves(np.random.default_rng(seed).random((RUNS, STEPS, NUMBERS)))


def checked(parts: np.ndarray) -> Check:
    series = parts.reshape(len(parts), -1)
    return is_independent(series[:, :-1], series[:, 1:], parts, runs=len(parts), by="test")


@pytest.mark.parametrize(("first", "second"), list(combinations(range(STEPS), 2)))
def test_the_noise_of_any_step_used_in_any_other_is_found(first, second):
    parts = signs(1)
    parts[:, second] = parts[:, first]
    assert not checked(parts).passed
    parts[:, second] = -parts[:, first]  # and so is its opposite
    assert not checked(parts).passed


def test_one_number_in_one_step_is_enough():
    parts = signs(2)
    parts[:, 4, 2] = parts[:, 1, 2]
    assert checked(parts).found < 1e-3  # 200 coins of 600 agree: not yet an alarm
    many = np.concatenate([parts] * 8)
    assert not checked(many).passed


def test_independent_noise_is_not():
    """A p-value: at most q as often as with chance q, of 400 runs, at 6 standard deviations (1e-9)."""
    found = np.array([checked(signs(seed)).found for seed in range(400)])
    for level in (0.01, 0.1, 0.3):
        assert (found <= level).mean() <= level + 6 * np.sqrt(level * (1 - level) / 400)
    assert found.min() > ALARM


def test_the_p_value_is_that_of_the_worst_pair_of_all():
    parts = signs(3)
    parts[np.random.default_rng(4).random(parts.shape) < 0.4] = 0  # releases without this number
    series = parts.reshape(RUNS, -1)
    pairs = [series[:, :-1] * series[:, 1:], *(parts[:, i] * parts[:, j] for i, j in combinations(range(STEPS), 2))]
    tests = [binomtest(int((p > 0).sum()), int((p != 0).sum())).pvalue for p in pairs]
    assert checked(parts).found == pytest.approx(min(1.0, min(tests) * len(tests)), rel=1e-6)


def test_steps_that_come_only_after_some_outcomes_are_compared_fairly():
    """A second step only where the first came out low: agreement is still a fair coin."""
    found = []
    for seed in range(300):
        parts = signs(seed)
        parts[parts[:, 0, 0] > 0, 1:] = 0
        found.append(checked(parts).found)
    assert (np.array(found) <= 0.05).mean() <= 0.05 + 6 * np.sqrt(0.05 * 0.95 / 300)
