"""Levels, shares, plans, packing, rows drawn inside groups: the pieces a whole table is made of."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.laws import Law
from hushtable.maths.weighted_rows.calibration import AUDIT_UNIT, Audit, tables_to_audit, whole_reference
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable, interaction_of
from hushtable.maths.weighted_rows.resolution import (
    LEVELS,
    Column,
    Groupings,
    Pricing,
    dependence,
    likeness_order,
    plan_pairs,
    refined,
    score_sets,
)
from hushtable.maths.weighted_rows.shares import Totals, denoised
from hushtable.maths.weighted_rows.weighted_rows import WeightedRows, inside_groups, pack_rows, unpack_rows, word_spans


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda p: sum(p) > 0))
@settings(max_examples=50, deadline=None)
def test_levels_are_groupings_of_neighbours_that_get_finer(p):
    shares = np.array(p) / sum(p)
    for order in (None, np.random.default_rng(1).permutation(len(p))):
        ladder = Groupings(shares, order)
        for level in LEVELS:
            groups = ladder.steps[level]
            walked = groups[ladder.order]
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


def test_denoising_keeps_large_counts_and_the_total():
    counts = np.array([5000.0, 3000.0, *np.random.default_rng(0).normal(0, 30, 60)])
    clean = denoised(counts, 30.0, 8000.0)
    assert clean.sum() == pytest.approx(8000.0)
    assert clean.min() >= 0
    assert np.abs(clean[:2] - counts[:2]).max() < 350
    assert clean[2:].sum() < 400, "empty values were not recognised"
    np.testing.assert_allclose(denoised(np.array([-3.0, -1.0]), 1.0, 10.0), 5.0)


def test_totals_pool_tables_and_say_their_variance():
    one = GroupedSet((0,), (np.arange(3),))
    tables = [RawTable(one, np.array([10, 20, 30]), Law.GAUSSIAN, Fraction(4)),
              RawTable(one, np.array([13, 23, 33]), Law.GAUSSIAN, Fraction(8))]  # fmt: skip
    totals = Totals(1, tables)
    assert totals.variances == [pytest.approx(8 / 3)]
    assert totals.rows == pytest.approx((60 / 12 + 69 / 24) / (1 / 12 + 1 / 24))
    assert totals.rows_variance == pytest.approx(8.0)
    np.testing.assert_allclose(totals.counts()[0], totals.rows / 3 + np.array([-10, 0, 10]))


def test_the_plan_spends_everything_and_drops_what_is_not_worth_it():
    ladders = [Groupings(np.full(size, 1 / size)) for size in (10, 10, 2, 40)]
    pairs = [one.members for one in score_sets(ladders)]
    pricing = Pricing(Law.GAUSSIAN, 8.0)
    scores = np.array([0.3, 0.2, 0.0, 0.1, 1e-6, 0.05])
    plan = plan_pairs(ladders, pairs, scores, 20_000.0, pricing)
    spent = sum(pricing.cost(pricing.price(o), s) for o, s in zip(plan.tables, plan.deviations, strict=True))
    assert 0.9 < spent <= 1 + 1e-9
    kept = [one.members for one in plan.tables]
    assert pairs[2] not in kept
    assert pairs[4] not in kept
    for one, deviation in zip(plan.tables, plan.deviations, strict=True):
        assert pricing.loss(one) * deviation <= 0.7 * scores[pairs.index(one.members)] * 20_000 * (1 + 1e-9)
    finest = {one.members: one.cells for one in plan.tables}
    assert finest[pairs[0]] >= finest[pairs[1]]


def test_columns_are_measured_again_where_pairs_are_worth_nothing():
    ladders = [Groupings(np.full(2, 0.5)) for _ in range(3)]
    columns = [Column(GroupedSet((j,), (np.arange(2),)), 100.0, 2.0, 1.0) for j in range(3)]
    plan = plan_pairs(ladders, [(0, 1), (0, 2), (1, 2)], np.zeros(3), 1000.0, Pricing(Law.GAUSSIAN, 20.0), columns)
    assert not plan.tables
    assert [one.members for one in plan.again] == [(0,), (1,), (2,)]
    assert sum(0.5 * (20.0 / s) ** 2 for s in plan.deviations) == pytest.approx(1.0, rel=1e-6)


def test_dependence_takes_chance_away():
    """Independent columns score near 0, identical ones near 1 - 1/k."""
    g = np.random.default_rng(2)
    a, b = g.integers(0, 4, 50_000), g.integers(0, 4, 50_000)
    shares = [np.full(4, 0.25)] * 3
    sets = score_sets([Groupings(p) for p in shares])
    tables = [np.histogram2d(x, y, bins=4)[0] for x, y in ((a, b), (a, a), (b, a))]
    far = np.array([np.abs(t - 50_000 / 16).sum() for t in tables])
    found = dependence(far, 0.0, sets, shares, [0.0] * 3, 50_000.0)
    assert found[0] < 0.01
    assert found[1] == pytest.approx(0.75, abs=0.01)


@given(st.lists(st.integers(1, 900), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_packing_is_lossless(sizes, seed):
    g = np.random.default_rng(seed)
    codes = np.array([g.integers(0, size, 50) for size in sizes], dtype=np.uint16)
    words = pack_rows(codes, sizes)
    assert words.shape == (len(word_spans(sizes)), 50)
    np.testing.assert_array_equal(unpack_rows(words, sizes), codes)


def test_values_inside_groups_match_their_quota_within_one():
    base = np.array([0, 1, 0, 1, 1, 2])
    inside = np.array([0.3, 0.5, 0.7, 0.2, 0.3, 1.0])
    g = np.random.default_rng(0)
    groups = g.integers(0, 3, 10_000).astype(np.uint16)
    values = inside_groups(groups, base, inside, g)
    np.testing.assert_array_equal(base[values], groups)
    for code in range(6):
        quota = inside[code] * (groups == base[code]).sum()
        assert abs((values == code).sum() - quota) <= 1


def test_a_cloud_gives_its_own_tables_and_rows():
    g = np.random.default_rng(1)
    base = [np.array([0, 0, 1]), np.array([0, 1, 2, 2]), np.zeros(5, dtype=np.int64)]
    shares = [np.array([0.2, 0.3, 0.5]), np.full(4, 0.25), np.full(5, 0.2)]
    codes = np.array([g.integers(0, 2, 4000), g.integers(0, 3, 4000), np.zeros(4000)], dtype=np.uint16)
    cloud = WeightedRows.of(base, shares, codes, g.random(4000), [2, 0, 1])
    table = cloud.table((0, 1, 2))
    assert table.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(cloud.table((2,)), 0.2, atol=1e-9)
    rows = cloud.draw(20_000, g)
    drawn = np.bincount(np.ravel_multi_index(tuple(rows[:2]), (3, 4)), minlength=12).reshape(3, 4) / 20_000
    assert np.abs(drawn - table.sum(axis=2)).max() < 5e-3
    np.testing.assert_array_equal(cloud.values(1), cloud.values(1))


def test_an_audit_reference_keeps_running_sums():
    shares = np.full(1_000_000, 1e-6)
    reference = whole_reference(shares, 48_842.3)
    assert abs(reference.sum() - 48_842.3 * AUDIT_UNIT) <= 1
    assert reference.max() - reference.min() <= 1


def test_bounds_of_smaller_tables_come_from_larger_ones_by_size_alone():
    tables = ((0, 1), (0, 1, 2), (0, 1, 3))
    audit = Audit(tables, np.array([2048, 4096, 8192]), 100.0, Law.GAUSSIAN)
    assert audit.bound((1, 0), [2] * 4, 10.0).bias == pytest.approx(0.1 + 0.5 / AUDIT_UNIT)
    assert audit.bound((3,), [2] * 4, 10.0).tables == 1
    assert audit.bound((2, 3), [2] * 4, 10.0) is None
    assert tables_to_audit(4)[-1] == (1, 2, 3)
    assert len(tables_to_audit(100)) <= 2000


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


def test_contrasts_give_the_interaction_back():
    g = np.random.default_rng(4)
    counts = g.integers(0, 100, (4, 3))
    from hushtable.maths.interactions.contrasts import contrasts

    numbers = contrasts(4).matrix[1:] @ counts @ contrasts(3).matrix[1:].T
    raw = RawTable(GroupedSet((0, 1), (np.arange(4), np.arange(3))), numbers.ravel(), Law.GAUSSIAN, Fraction(1), True)
    np.testing.assert_allclose(raw.interaction, interaction_of(counts.astype(float)), atol=1e-9)
    assert raw.set.length == pytest.approx(0.75 * 2 / 3)
    assert math.prod(raw.set.shape) == raw.set.cells
