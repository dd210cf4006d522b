"""Cells of a SELECT that are computed with: what both sides share is known, carried along, and used for all at once."""

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.models.at_once import AtOnce
from hushtable.questions.answer import CrossTab
from hushtable.questions.arithmetic import NOWHERE, Errors, known_errors
from hushtable.questions.noises import Noises
from hushtable.questions.sql.arithmetic import combine
from hushtable.questions.sql.cells import as_answer, joined, moved, quotient, taken


def cells(value, weights, *, known=True):
    """A table whose cells have these weights on noises 0, 1, 2, ..."""
    weights = np.array(weights, dtype=np.float64)
    noises = Noises(np.arange(len(weights)), weights)
    stderr = np.sqrt((weights**2).sum(axis=0))
    value = np.array(value, dtype=np.float64)
    return CrossTab(question="q", unit="count", groups={}, value=value, stderr=stderr, bias=np.zeros(len(value)),
                    kurtosis=np.zeros(len(value)), law=Law.GAUSSIAN,
                    parts=Errors(noises={NOWHERE: noises}) if known else None)  # fmt: skip


ABOVE = ([30.0, 60.0], [[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
BELOW = ([100.0, 90.0], [[3.0, 0.0], [0.0, 4.0], [4.0, 3.0]])


def test_differences_have_the_noise_that_is_not_shared():
    made = combine("-", cells(*BELOW), cells(*ABOVE))
    assert made.value.tolist() == [70.0, 30.0]
    assert made.stderr == pytest.approx([4.0, 3.0])
    added = combine("-", cells(*BELOW), cells(*ABOVE, known=False))
    assert (added.stderr >= 2 * made.stderr).all(), "what is not known may go together in any way"
    assert combine("+", cells(*BELOW), cells(*ABOVE)).stderr == pytest.approx([52**0.5, 73**0.5])


def test_quotients_know_what_both_sides_share():
    made, wide = (quotient(cells(*ABOVE, known=known), cells(*BELOW), inside=True) for known in (True, False))
    low, high = made.interval(0.95)
    least, most = wide.interval(0.95)
    assert (least < low).all()
    assert (high < most).all()
    assert ((most - least) > 1.2 * (high - low)).all()
    # Half a percent from the first order, as noise is small.
    shared = [(0.7**2 * 9 + 0.3**2 * 16) ** 0.5 / 100, ((16 + 4 * 9) / 9) ** 0.5 / 90]
    assert made.stderr == pytest.approx(shared)
    assert (high - low) / 2 == pytest.approx(1.96 * np.array(shared), rel=0.02)


def test_a_table_by_itself_is_exactly_one():
    low, high = quotient(cells(*BELOW), cells(*BELOW), inside=False).interval(0.95)
    assert low == pytest.approx([1.0, 1.0])
    assert high == pytest.approx([1.0, 1.0])


def test_cells_that_are_picked_moved_and_put_together_keep_what_they_share():
    both = joined([cells(*ABOVE), cells(*BELOW)])
    picked = taken(both, np.array([3, 0]))
    assert np.sqrt(known_errors(picked.parts).variance()) == pytest.approx([5.0, 3.0])
    twice = moved(cells(*BELOW), 2.0, 1.0, unit="value")
    assert combine("-", twice, moved(cells(*BELOW), 2.0, 0.0, unit="value")).stderr == pytest.approx(
        [0.0, 0.0], abs=1e-9
    )
    one, other = (as_answer(taken(cells(*each), np.array([0]))) for each in (BELOW, ABOVE))
    assert (one - other).stderr == pytest.approx(4.0)


class TestAllAtOnce:
    """Intervals of all cells at once, by replicates."""

    @staticmethod
    def limits(confidence):
        return np.array([confidence]), np.array([confidence])

    def test_cells_that_err_together_need_no_more_than_one(self):
        apart = np.outer(np.random.default_rng(1).normal(size=16), np.ones(200))
        together = AtOnce(self.limits, apart, np.sqrt((apart**2).mean(axis=0)))
        assert together.each(0.95) == pytest.approx(0.95, abs=0.015)

    def test_cells_that_err_alone_need_nearly_what_independent_ones_do(self):
        alone = AtOnce(self.limits, np.zeros((16, 20)), np.ones(20))
        assert alone.each(0.95) == pytest.approx(0.95 ** (1 / 20), abs=0.0015)
        assert alone.each(0.95) <= 0.95 ** (1 / 20)

    def test_replicates_of_many_independent_cells_are_not_taken_for_few(self):
        """Sixteen replicates of 300 independent cells: at least nine tenths of the way to independent ones."""
        apart = np.random.default_rng(2).normal(size=(16, 300))
        found = AtOnce(self.limits, apart, np.sqrt((apart**2).mean(axis=0))).each(0.95)
        assert 1 - found < 4 * (1 - 0.95 ** (1 / 300))

    def test_it_is_the_same_every_time_and_never_less_than_asked(self):
        apart = np.random.default_rng(3).normal(size=(16, 5))
        made = AtOnce(self.limits, apart, np.ones(5))
        assert made.each(0.9) == made.each(0.9)
        assert made.each(0.9999) == pytest.approx(0.9999 ** (1 / 5)), "too few draws to tell"
        assert AtOnce(self.limits, apart[:, :1], np.ones(1)).each(0.9) == pytest.approx(0.9)
