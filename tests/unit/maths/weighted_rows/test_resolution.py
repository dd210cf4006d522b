"""Resolution: groups get finer, plans spend everything where it is worth most, and hidden orders are found."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.laws import Law
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from hushtable.maths.weighted_rows.resolution import (
    LEVELS,
    Column,
    Groupings,
    Pricing,
    chance_distances,
    dependence,
    likeness_order,
    plan_pairs,
    refined,
    score_sets,
)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda p: sum(p) > 0))
@settings(max_examples=50, deadline=None)
def test_levels_are_groupings_of_neighbours_that_get_finer(p):
    shares = np.array(p) / sum(p)
    for order in (None, np.random.default_rng(1).permutation(len(p))):
        groupings = Groupings(shares, order)
        for level in LEVELS:
            groups = groupings.steps[level]
            walked = groups[groupings.order]
            assert walked[0] == 0
            assert set(np.diff(walked)) <= {0, 1}
            assert walked[-1] + 1 <= 2 * level + 1


def test_a_dominant_value_stands_alone():
    shares = np.array([0.01] * 10 + [0.8] + [0.01] * 10)
    groups = Groupings(shares).steps[6]
    assert (groups == groups[10]).sum() == 1


def test_refined_is_the_coarsest_common_refinement():
    first, second = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 1, 1])
    np.testing.assert_array_equal(refined([first, second]), [0, 1, 2, 2, 3])


def test_the_plan_spends_everything_and_drops_what_is_not_worth_it():
    groupings = [Groupings(np.full(size, 1 / size)) for size in (10, 10, 2, 40)]
    pairs = [pair.members for pair in score_sets(groupings)]
    pricing = Pricing(Law.GAUSSIAN, 8.0)
    scores = np.array([0.3, 0.2, 0.0, 0.1, 1e-6, 0.05])
    plan = plan_pairs(groupings, pairs, scores, 20_000.0, pricing)
    spent = sum(pricing.cost(pricing.price(o), s) for o, s in zip(plan.tables, plan.deviations, strict=True))
    assert 0.9 < spent <= 1 + 1e-9
    kept = [pair.members for pair in plan.tables]
    assert pairs[2] not in kept
    assert pairs[4] not in kept
    for pair, deviation in zip(plan.tables, plan.deviations, strict=True):
        assert pricing.loss(pair) * deviation <= 0.7 * scores[pairs.index(pair.members)] * 20_000 * (1 + 1e-9)
    finest = {pair.members: pair.cells for pair in plan.tables}
    assert finest[pairs[0]] >= finest[pairs[1]]


@pytest.mark.parametrize("law", list(Law))
def test_a_deviation_is_where_loss_and_price_balance(law):
    """Lagrange: s minimises loss s + multiplier price / (power s^power)."""
    pricing, price, loss, multiplier = Pricing(law, 8.0), 0.6, 2.5, 40.0
    best = pricing.deviation(price, loss, multiplier)
    around = best * np.linspace(0.5, 2.0, 3001)
    total = loss * around + multiplier * price / (law.power * around**law.power)
    assert around[np.argmin(total)] == pytest.approx(best, rel=1e-3)


def test_columns_are_measured_again_where_pairs_are_worth_nothing():
    groupings = [Groupings(np.full(2, 0.5)) for _ in range(3)]
    columns = [Column(GroupedSet((j,), (np.arange(2),)), 100.0, 2.0, 1.0) for j in range(3)]
    plan = plan_pairs(groupings, [(0, 1), (0, 2), (1, 2)], np.zeros(3), 1000.0, Pricing(Law.GAUSSIAN, 20.0), columns)
    assert not plan.tables
    assert [column.members for column in plan.again] == [(0,), (1,), (2,)]
    assert sum(0.5 * (20.0 / s) ** 2 for s in plan.deviations) == pytest.approx(1.0, rel=1e-6)


def test_dependence_takes_chance_away():
    """Independent columns score near 0, identical ones near 1 - 1/k."""
    g = np.random.default_rng(2)
    a, b = g.integers(0, 4, 50_000), g.integers(0, 4, 50_000)
    shares = [np.full(4, 0.25)] * 3
    sets = score_sets([Groupings(p) for p in shares])
    tables = [np.histogram2d(x, y, bins=4)[0] for x, y in ((a, b), (a, a), (b, a))]
    far = np.array([np.abs(t - 50_000 / 16).sum() for t in tables])
    scores = dependence(far, 0.0, chance_distances(sets, shares, [0.0] * 3, 50_000.0), 50_000.0)
    assert scores[0] < 0.01
    assert scores[1] == pytest.approx(0.75, abs=0.01)


def test_likeness_finds_a_hidden_order():
    """Values whose partner moves steadily, in shuffled codes: the order comes back up to direction."""
    g = np.random.default_rng(3)
    hidden = g.permutation(20)
    share = np.full(20, 0.05)
    lean = np.linspace(0.05, 0.95, 20)[hidden]
    counts = 20_000 * 0.05 * np.stack([lean, 1 - lean], axis=1)
    table = RawTable(GroupedSet((0, 1), (np.arange(20), np.arange(2))), np.rint(counts).astype(np.int64).ravel(),
                     Law.GAUSSIAN, Fraction(100))  # fmt: skip
    order = likeness_order(0, [table], [share, np.array([0.5, 0.5])], 20_000.0)
    ranks = hidden[order]
    assert (np.diff(ranks) == 1).all() or (np.diff(ranks) == -1).all()
    assert likeness_order(1, [table], [share, np.array([0.5, 0.5])], 20_000.0) is None
