"""rothblum2010: the printed parameters, the worked-out bounds and the adversary are what they say."""

from math import comb, log, sqrt

import numpy as np
import published  # noqa: F401  (puts papers/ on the path)
import pytest

import hushtable as ht
from papers.rothblum2010 import bounds
from papers.rothblum2010.sessions import nearly_wrong, our_session, questions, sparse_table, their_session

PURE, DELTA = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-6")


def test_the_printed_constants_are_of_no_use_on_a_survey():
    """T = 5.8 for answers between 0 and 1 at 21,574 rows."""
    assert bounds.printed(n=21_574, k=1000, universe=2.0**16, epsilon=1, delta=1e-6).threshold == pytest.approx(
        5.8, abs=0.05
    )
    assert bounds.printed(n=10**8, k=1000, universe=2.0**16, epsilon=1, delta=1e-6).threshold < 0.1


def test_the_printed_proof_closes_for_no_delta_in_use():
    assert bounds.azuma_exponent(1e-6) == pytest.approx(0.363, abs=1e-3)
    assert bounds.azuma_exponent(1e-40) < 1 < bounds.azuma_exponent(1e-50)


def test_the_printed_pure_algorithm_gives_a_row_away():
    given = bounds.printed(n=10**6, k=10**5, universe=2.0**16, epsilon=1, delta=None)
    assert given.sigma * 10**6 == pytest.approx(38_732, abs=1)
    assert bounds.printed_loss(n=10**6, k=10**5, universe=2.0**16, epsilon=1) == pytest.approx(2.58, abs=0.01)


def test_fresh_noise_costs_what_is_charged_and_less_noise_is_seen():
    plan, _ = bounds.guaranteed(10**4, 1000, 10, PURE)
    charged = float(plan.terms.opening)
    assert bounds.fresh_loss(plan, (1, 100, 10_000)) <= charged * (1 + 1e-9)
    too_small = lambda *given: real(given[0] * 0.93, *given[1:])  # noqa: E731
    real = bounds._lazy
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "_lazy", too_small)
        assert bounds.fresh_loss(plan, (1, 100, 10_000)) > charged * 1.05


@pytest.mark.parametrize("budget", [PURE, DELTA], ids=str)
def test_what_is_stated_is_what_the_potential_gives(budget):
    plan, stated = bounds.guaranteed(10**5, 20_000, 10, budget)
    margin = plan.margin
    noise = margin.half_width(0.975, simultaneous=True) - margin.threshold
    drop = 2 * ((margin.threshold - noise) / 10**5) ** 2
    assert plan.updates * drop >= 10 * log(2)
    assert stated >= (margin.threshold + noise) / 10**5
    assert stated < 1
    assert bounds.guaranteed(10**6, 20_000, 10, budget)[1] < stated


def test_the_lower_bound_is_below_trivial_answers_and_grows_as_it_should():
    base = {"n": 1000, "k": 10**6, "universe": 1 << 20, "epsilon": 1.0}
    alpha = bounds.lower_bound(**base).alpha
    assert 0.01 < alpha < 0.5
    assert bounds.lower_bound(**base | {"n": 4000}).alpha < alpha
    assert bounds.lower_bound(**base | {"epsilon": 0.25}).alpha > alpha
    assert bounds.lower_bound(**base | {"k": 10**9}).alpha > alpha
    assert bounds.lower_bound(**base | {"universe": 1 << 40}).alpha > alpha


def test_random_questions_keep_tables_apart_as_the_bound_counts():
    """The chance that a question moves by at most j of s, by brute force over all sets of 6 and 6 values."""
    s, differ = 12, 6
    for step in range(differ):
        inside = (
            sum(comb(differ, a) * comb(differ, b) for a in range(7) for b in range(7) if abs(a - b) <= step) / 2**12
        )
        enough = 2 * (1.0 * s + log(2) + 1e-9) / -log(inside)
        assert bounds._apart(s, s - differ, 1, int(enough) + 1, 1.0) >= (step + 1) / s
        assert bounds._apart(s, s - differ, 1, int(enough), 1.0) < (step + 1) / s or int(enough) == enough


def test_an_adversary_asks_what_is_wrong_by_just_so_much():
    cells = sparse_table(8, 16, 3)
    weights = np.random.default_rng(1).dirichlet(np.ones(256))
    asked = nearly_wrong(weights, cells, 0.3)
    assert weights @ asked - asked[cells].mean() == pytest.approx(0.3, abs=1e-12)
    assert set(np.unique(asked)) - {0.0, 1.0} <= set(asked[(asked > 0) & (asked < 1)])
    assert ((asked >= 0) & (asked <= 1)).all()


def test_sessions_repeat_and_stay_within_what_is_stated():
    plan, stated = bounds.guaranteed(10**5, 1000, 8, DELTA)
    first = our_session(plan, sparse_table(8, 4, 0), rows=10**5, k=1000, seed=0)
    assert first == our_session(plan, sparse_table(8, 4, 0), rows=10**5, k=1000, seed=0)
    assert first.lasted
    assert stated / 3 < first.largest <= stated
    given = bounds.printed(n=10**9, k=1000, universe=256.0, epsilon=1, delta=1e-6)
    theirs = their_session(given, sparse_table(8, 4, 0), many=8, k=1000, seed=0)
    assert theirs.lasted
    assert given.threshold * 0.99 <= theirs.largest <= given.accuracy


def test_a_session_that_needs_more_updates_than_allowed_ends():
    given = bounds.Printed(eta=0.01, sigma=1e-6, threshold=0.01, updates=3)
    assert not their_session(given, sparse_table(8, 4, 0), many=8, k=1000, seed=0).lasted


def test_questions_are_half_of_the_universe():
    shares = [true.mean() for true in questions(10, 200, 0)]
    assert np.mean(shares) == pytest.approx(0.5, abs=6 * sqrt(1 / (4 * 1024 * 200)))


def test_without_the_survey_the_claims_about_it_are_skipped():
    from papers.rothblum2010 import run

    seen = run.measure_curator([], run.NO_DATA)
    assert len(seen) == 3
    assert all(one.ours is None and "HUSHTABLE_DATA" in one.note for one in seen.values())
