"""Ratios of errors to deviations: what noise allows to be believed, kinds of questions, and tables to compare."""

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.distribution import Factored
from hushtable.maths.distribution.kind_ratios import (
    AT_ONCE,
    BETWEEN,
    COARSE,
    DEPENDENCE,
    DRIFT,
    FINE,
    HARDER,
    UNTOLD_ALONE,
    USUAL,
    Comparison,
    KindRatios,
    comparisons_for,
    expected_noise,
    expected_sum,
    grouped_table,
    kind_of,
    pair_comparisons,
    tables_to_compare,
)
from hushtable.maths.distribution.question_parts import QuestionParts
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet

SIZES = (2, 3, 4, 5)
ROWS = 100.0


def ratios(sums, noise, comparisons=COARSE, expected=10**6):
    many = len(comparisons)
    scales = tuple((noise * expected) ** 2 for _ in range(many))
    return KindRatios(comparisons, np.array(sums) * expected // 1000, np.full(many, expected), scales, Law.GAUSSIAN)


def joined(random):
    distribution = Factored(SIZES)
    distribution.join((0, 2))
    for group in distribution.groups:
        group.table = random.dirichlet(np.ones(len(group.table)))
    return distribution


def test_a_precise_sum_is_believed_and_a_noisy_one_is_not():
    exact = ratios([3000, 500], 1e-4)
    assert exact.ratio("together", 3, ROWS) == (pytest.approx(HARDER * 3.0 * USUAL[2], rel=1e-3), "measured")
    assert exact.ratio("apart", 3, ROWS) == (pytest.approx(HARDER * 0.5 * USUAL[2], rel=1e-2), "measured")
    noisy, other = ratios([3000, 3000], 1e3), ratios([-9000, 9000], 1e3)
    for width in (1, 3, 5, 9):
        assert noisy.ratio("together", width, ROWS).basis == "usual"
        assert noisy.ratio("together", width, ROWS).ratio == pytest.approx(
            other.ratio("together", width, ROWS).ratio, rel=0.02
        )
    assert noisy.ratio("together", 3, ROWS).ratio >= HARDER * USUAL[2] * (1 + BETWEEN)


def test_what_was_not_measured_does_not_fall_with_the_number_of_rows():
    """Deviations by chance do, as one over the square root of the rows; their ratio takes it back."""
    nothing = ratios([], 1.0, comparisons=())
    errors = [nothing.ratio("together", 3, rows).ratio / rows**0.5 for rows in (1e4, 1e6, 1e8)]
    assert errors == pytest.approx([errors[0]] * 3)
    assert nothing.ratio("together", 3, 100.0).ratio == pytest.approx(HARDER * USUAL[2] * (1 + BETWEEN))


def test_columns_of_which_nothing_was_told_err_more_where_they_lie_apart():
    nothing, rows = ratios([], 1.0, comparisons=()), 10**6
    apart = [nothing.ratio("apart", 2, rows, untold=untold).ratio for untold in (0.0, 0.5, 1.0)]
    assert apart == sorted(apart)
    assert apart[2] == pytest.approx(HARDER * UNTOLD_ALONE * rows**0.5)
    told, untold = (nothing.ratio("together", 2, rows, untold=part).ratio for part in (0.0, 1.0))
    assert told == untold, "a parity of two columns tells how they go together"


def test_one_pair_that_is_surely_off_is_believed_however_noisy_pairs_are():
    """A curator of few columns: noise of three times what is usual, and a pair that is off thirty times."""
    pairs = pair_comparisons(4, 1.0, 10**6, Law.LAPLACE)
    expected = np.full(len(pairs), 1000)
    sums = np.array([30_000 if each.columns == (0, 1) else 1000 for each in pairs])
    found = KindRatios(pairs, sums, expected, (3000 / 2**0.5,) * len(pairs), Law.LAPLACE)._beyond
    strong, weak = (found[each][0] for each in pairs if each.columns in ((0, 1), (2, 3)))
    assert strong > 20
    assert weak < 5


def test_noise_makes_bars_wider_never_narrower_than_half_of_what_is_usual():
    halfway = [ratios([1000, 1000], noise).ratio("together", 3, ROWS).ratio for noise in (0.01, 0.1, 0.3, 0.6)]
    assert halfway == sorted(halfway)
    assert ratios([-5000, -5000], 1e-3).ratio("together", 5, ROWS).ratio >= HARDER * 0.5


def test_wider_than_was_compared_is_extrapolated_and_what_was_not_compared_is_usual():
    exact = ratios([3000, 500], 1e-4)
    assert exact.ratio("together", 6, ROWS).basis == "extrapolated"
    alone = ratios([3000], 1e-4, comparisons=COARSE[:1])
    ratio, basis = alone.ratio("apart", 3, ROWS)
    assert basis == "usual"
    assert ratio >= alone.ratio("together", 3, ROWS).ratio, "columns apart are not expected to be better than together"


def test_numbers_of_columns_are_told_apart_where_the_noise_allows():
    assert comparisons_for(1.0, 10**6, Law.LAPLACE) == FINE
    assert comparisons_for(1e9, 10**6, Law.LAPLACE) == ()
    middle = next(c for c in np.geomspace(1, 1e9, 200) if expected_noise(4 * c, 10**6) > 0.25)
    assert comparisons_for(middle, 10**6, Law.LAPLACE) == COARSE
    fine = ratios([2000, 1000, 500, 4000], 1e-4, comparisons=FINE)
    found = [fine.ratio("together", width, ROWS).ratio / USUAL[width - 1] / HARDER for width in (1, 2, 3, 4, 5)]
    assert found == pytest.approx([0.5, 0.5, 1, 2, 2], rel=1e-2)


def test_kinds():
    distribution = joined(np.random.default_rng(1))
    assert kind_of(distribution, (0, 2), {0, 1, 2, 3}) == "together"
    assert kind_of(distribution, (0, 1), {0, 1, 2, 3}) == "apart"
    assert kind_of(distribution, (1,), {1}) == "together"
    assert kind_of(distribution, (1,), set()) == "apart"
    assert Comparison("any", 1, 5).holds("apart", 9)


def test_a_grouped_table_is_the_table_summed_by_group():
    random = np.random.default_rng(4)
    distribution = joined(random)
    for members in ((0, 2), (3, 0), (2, 1, 0), (3, 1, 2, 0)):
        maps = tuple(np.r_[np.arange(2), random.integers(0, 2, SIZES[j] - 2)] for j in members)
        whole, out = distribution.table(members), np.zeros((2,) * len(members))
        for cell in np.ndindex(*whole.shape):
            out[tuple(groups[c] for groups, c in zip(maps, cell, strict=True))] += whole[cell]
        np.testing.assert_allclose(grouped_table(distribution, GroupedSet(members, maps)), out, atol=1e-15)


@pytest.mark.parametrize("ordered", [False, True])
def test_compared_tables_are_of_the_columns_and_never_measured(ordered):
    distribution, random = joined(np.random.default_rng(2)), np.random.default_rng(3)
    sets = tables_to_compare(
        distribution, random, COARSE, columns=(0, 2, 3), tables=[(0, 2)], seen={0, 2}, ordered=ordered
    )
    assert set(sets) == {COARSE[1]}, "what lies together was measured"
    for table in sets[COARSE[1]]:
        assert set(table.members) <= {0, 2, 3}
        assert not set(table.members) <= {0, 2}
        for groups in table.maps:
            turns = int((groups != np.roll(groups, 1)).sum())
            assert set(groups.tolist()) == {0, 1}
            assert not ordered or turns == 2


def test_the_expected_sum_is_that_of_usual_errors():
    """Simulated: errors of so many deviations, normal; one mean of 20,000 is within 6 of its standard errors."""
    random, rows = np.random.default_rng(5), 1000.0
    sets = [GroupedSet((0, 2), (np.array([0, 1]), np.array([0, 1, 0, 1])))]
    table = grouped_table(joined(random), sets[0])
    deviation = USUAL[1] * np.sqrt(np.maximum(table * (1 - table), 1 / rows) / rows)
    drawn = rows * np.abs(random.normal(0, deviation, (20_000, *table.shape))).sum(axis=(1, 2))
    expected, error = expected_sum("together", sets, [table], 0.0, rows), drawn.std() / np.sqrt(len(drawn))
    assert abs(drawn.mean() - expected) < 6 * error
    assert abs(drawn.mean() * 1.07 - expected) > 6 * error


def test_dependence_that_was_compared_at_once_leaves_single_columns_to_their_noise():
    """A question about one column has the noise it starts from and a little of the rest; a pair has all of it."""
    seen = ratios([3000], 1e-6, comparisons=(DEPENDENCE,))
    assert seen.apart
    assert not seen.by_pairs
    none, alone, pair = np.zeros(1), np.full(1, 0.25), np.full(1, 0.0625)
    times = AT_ONCE * USUAL[1] * 3
    single = seen.by_parts(QuestionParts({(0,): alone}, none, np.full(1, 0.5)), ROWS, 50.0)
    assert single == pytest.approx(np.sqrt((DRIFT * times) ** 2 * 0.25 / ROWS + (1 + 25) / ROWS**2), rel=1e-3)
    both = seen.by_parts(QuestionParts({(0, 1): pair}, none, none), ROWS, 50.0)
    assert both == pytest.approx(np.sqrt(times**2 * 0.0625 / ROWS + 1 / ROWS**2), rel=1e-3)
    # Nothing was measured of single columns: they are known no better.
    unmeasured = seen.by_parts(QuestionParts({(0,): alone}, none, np.full(1, 0.5)), ROWS, 0.0)
    assert unmeasured == pytest.approx(np.sqrt(times**2 * 0.25 / ROWS + 1 / ROWS**2), rel=1e-3)
