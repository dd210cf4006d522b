"""Shares of a number of rows whose noise is as large as itself: how often their intervals hold.

Seeds are fixed; the rates below are those of a change of seeds or of code.
"""

import numpy as np
import pytest
from scipy.stats import binom
from tables import domain, random_codes

from hushtable.budget import Budget
from hushtable.maths.interactions.noisy_table import Moments
from hushtable.mechanisms import mechanisms
from hushtable.mechanisms.planner import plan
from hushtable.models.linear.share_limits import share_limits
from hushtable.questions.answer import interval_factor
from hushtable.questions.parse import parse
from hushtable.questions.workloads import Marginals
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import Simulated

FALSE_ALARM = 1e-9
RELEASES = 4000


class Account:
    def charge(self, price, *, what):
        assert price.amount > 0


def models():
    """Releases of 200 rows, three of a person, under add-remove: the number of rows has a Laplace scale of 111."""
    bits = {f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(8)}
    shape = domain(bits, neighbours="add-remove", rows=3)
    codes = random_codes(shape, 200, seed=1)
    made = plan(shape, workload=Marginals(width=2), budget=Budget(epsilon=1), mechanism="monomial")
    total = {}

    def sums(statistic):
        if statistic.name not in total:
            total[statistic.name] = statistic.accumulate(codes)
        return total[statistic.name].copy()

    for seed in range(RELEASES):
        source = Simulated(seed)
        door = Door(total=sums, unit=shape.unit, price=made.design.price, account=Account(), randomness=source)
        yield mechanisms()["monomial"].release(door, shape, made.design)
    yield shape, codes


def within_bars(held):
    """Whether the share that holds may be from 93% to 97.5%."""
    return binom.ppf(FALSE_ALARM, RELEASES, 0.93) <= held <= binom.isf(FALSE_ALARM, RELEASES, 0.975)


@pytest.mark.slow
def test_shares_of_a_hardly_known_number_of_rows_hold_what_they_say():
    *released, (shape, codes) = models()
    question = parse("x0 AND NOT x1", shape)
    truth = float(((codes[0] == 1) & (codes[1] == 0)).mean())
    answers = [model.answer(question) for model in released]
    held = sum(low <= truth <= high for low, high in (answer.interval(0.95) for answer in answers))
    assert within_bars(held)
    # The first-order interval, which these replace, would fail.
    reach = [interval_factor(0.95, answer.kurtosis) * answer.stderr for answer in answers]
    assert not within_bars(sum(abs(a.value - truth) <= half for a, half in zip(answers, reach, strict=True)))


def shares(value, *, rows, variance=0.04, mixed=0.0):
    one = np.array([value])
    return Moments(one, np.full(1, variance), np.zeros(1), np.full(1, mixed), rows=rows)


# Relative variance of the number of rows, and a covariance that such noise may have.
NOISES = [(0.02, 0.0), *((rows, mixed) for rows in (0.1, 0.25, 0.27, 1.0, 30.0) for mixed in (-0.05, 0.0, 0.05))]


@pytest.mark.parametrize(("rows", "mixed"), NOISES)
@pytest.mark.parametrize("value", [-2.0, 0.0, 0.4, 1.0, 7.0])
def test_limits_hold_every_share_that_is_not_ruled_out(rows, mixed, value):
    """Every share from 0 to 1 for which count - share x rows is within its noise, found by trying them all."""
    limits = share_limits(shares(value, rows=rows, mixed=mixed))
    assert limits is not None
    low, high = limits(0.95)
    tried = np.linspace(0, 1, 2001)
    off = value - tried
    kept = tried[off**2 <= 1.959964**2 * (0.04 + 2 * off * mixed + off**2 * rows)]
    assert low[0] <= value <= high[0]
    if len(kept):
        assert low[0] <= kept.min() + 1e-9
        assert kept.max() <= high[0] + 1e-9
        assert low[0] >= min(value, kept.min()) - 0.001 or low[0] < 0
        assert high[0] <= max(value, kept.max()) + 0.001 or high[0] > 1


def test_a_known_number_of_rows_leaves_intervals_as_they_were():
    assert share_limits(shares(0.4, rows=0.0)) is None
    assert share_limits(shares(0.4, rows=0.01)) is None


def test_a_number_of_rows_below_one_rules_out_nothing():
    low, high = share_limits(shares(3.0, rows=float("inf")))(0.95)
    assert (low[0], high[0]) == (0.0, 3.0)
