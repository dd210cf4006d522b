"""Parities, residuals and their spread against definitions written out in full."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hushtable.errors import BadPlan, TooLarge
from hushtable.maths.interactions.contrasts import contrasts
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.statistics import Histogram, Parities, Residuals, kernels, sensitivity

ADULT = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2)


def rows_of(sizes, count, seed=0, dtype=np.uint8):
    source = np.random.default_rng(seed)
    return np.array([source.integers(0, size, count) for size in sizes], dtype=dtype)


def colex(width, size):
    return sorted(combinations(range(width), size), key=lambda members: members[::-1])


def finished(statistic, codes):
    return statistic.to_coordinates(statistic.accumulate(codes))


def odd_by_hand(codes, order):
    sets = [s for size in range(1, order + 1) for s in colex(len(codes), size)]
    return np.array([int((codes[list(s)].sum(axis=0) % 2).sum()) for s in sets], dtype=np.int64)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(1, 9),
    count=st.integers(0, 200),
    order=st.integers(1, 7),
    threads=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_odd_counts_equal_a_count_by_hand(width, count, order, threads, seed):
    codes, order = rows_of((2,) * width, count, seed), min(order, width)
    np.testing.assert_array_equal(kernels.odd_counts(codes, order, threads), odd_by_hand(codes, order))


@pytest.mark.parametrize("count", [1, 63, 64, 65, 255, 256, 257, 1791, 1792, 1793, 5000, kernels.PACKED + 77])
def test_odd_counts_at_every_edge_of_a_block(count):
    codes = rows_of((2,) * 6, count, seed=count)
    np.testing.assert_array_equal(kernels.odd_counts(codes, 3, 2), odd_by_hand(codes, 3))


@pytest.mark.parametrize("width", [11, 12, 13, 40])
def test_odd_counts_at_every_edge_of_the_lanes(width):
    codes = rows_of((2,) * width, 300, seed=width)
    np.testing.assert_array_equal(kernels.odd_counts(codes, 3, 2), odd_by_hand(codes, 3))


@pytest.fixture(autouse=True)
def threads_everywhere(monkeypatch):
    """As many threads as asked for, however little work there is."""
    monkeypatch.setattr(kernels, "BRIEF", 0)


@pytest.fixture
def homes_everywhere(monkeypatch):
    """Rows are sorted by home columns however few they are."""
    monkeypatch.setattr(kernels, "FILL", 2)
    monkeypatch.setattr(kernels, "WORTH", 0)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(1, 14),
    count=st.integers(1, 200),
    order=st.integers(1, 7),
    threads=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_odd_counts_of_sorted_rows_equal_a_count_by_hand(homes_everywhere, width, count, order, threads, seed):
    codes, order = rows_of((2,) * width, count, seed), min(order, width)
    np.testing.assert_array_equal(kernels.odd_counts(codes, order, threads), odd_by_hand(codes, order))


@pytest.mark.parametrize(("width", "split"), [(61, False), (64, False), (65, True), (70, False), (131, True)])
def test_odd_counts_of_sorted_rows_across_words(homes_everywhere, width, split):
    """At some widths the bits of home columns lie in two words."""
    codes = rows_of((2,) * width, 300, seed=width)
    homes = [home for first, last, *_ in kernels._homes(width, 2, 300, 1) for home in [range(first, last)] if home]
    assert any(home[0] // 64 < home[-1] // 64 for home in homes) == split
    np.testing.assert_array_equal(kernels.odd_counts(codes, 2, 2), odd_by_hand(codes, 2))


@pytest.mark.parametrize("tiles", [1, 2, 3, 4, 5, 6, 7, 8, 15])
def test_odd_counts_of_sorted_rows_at_every_depth(homes_everywhere, tiles):
    """All rows but a few agree on the home columns, so that their block has every number of tiles."""
    codes = rows_of((2,) * 12, tiles * 256 - 20, seed=tiles)
    codes[6:, 10:] = 1
    np.testing.assert_array_equal(kernels.odd_counts(codes, 4, 1), odd_by_hand(codes, 4))


@pytest.mark.parametrize("count", [4_500, 9_000, 40_000])
def test_odd_counts_of_a_wide_table_are_the_same_sorted_or_not(count, monkeypatch):
    codes = (rows_of((10,) * 75, count, seed=count) < np.arange(75)[:, None] % 10).astype(np.uint8)
    sets = [s for size in (1, 2, 3) for s in colex(75, size)]
    assert len(kernels._homes(75, 3, count, 1)) > 1
    counts = kernels.odd_counts(codes, 3, 2)
    monkeypatch.setattr(kernels, "HOMES", 0)
    np.testing.assert_array_equal(counts, kernels.odd_counts(codes, 3, 2))
    for chosen in range(0, len(sets), 997):
        assert counts[chosen] == (codes[list(sets[chosen])].sum(axis=0) % 2).sum()


@pytest.mark.parametrize("order", [0, 1, 3])
def test_odd_counts_without_columns_rows_or_order(order):
    for width, count in ((0, 5), (4, 0)):
        codes = rows_of((2,) * width, count).reshape(width, count)
        np.testing.assert_array_equal(kernels.odd_counts(codes, order), odd_by_hand(codes, order))


def test_odd_counts_of_codes_of_any_layout_and_size():
    """What is not 0 counts as 1."""
    codes = rows_of((2,) * 9, 500, seed=3)
    expected = odd_by_hand(codes, 3)
    fixed = codes.copy()
    fixed.flags.writeable = False
    for same in (np.asfortranarray(codes), codes.astype(np.uint16) * 256, codes * np.uint8(2), fixed):
        np.testing.assert_array_equal(kernels.odd_counts(same, 3, 1), expected)


def test_odd_counts_when_all_bits_are_set():
    """Every bit plane of the carry-save adder is full."""
    codes = np.ones((5, kernels.DEEP * kernels.TILE * 3), dtype=np.uint8)
    expected = [codes.shape[1] * (size % 2) for size in range(1, 6) for _ in range(comb(5, size))]
    np.testing.assert_array_equal(kernels.odd_counts(codes, 5, 1), expected)


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    count=st.integers(0, 300),
    order=st.integers(1, 5),
    threads=st.integers(1, 3),
    wide=st.booleans(),
)
def test_tables_equal_a_count_by_hand(sizes, count, order, threads, wide):
    codes = rows_of(sizes, count, seed=count, dtype=np.uint16 if wide else np.uint8)
    order = min(order, len(sizes))
    expected = [by_hand(codes, sizes, members).ravel() for members in colex(len(sizes), order)]
    starts = np.cumsum([0] + [len(table) for table in expected])
    tables = kernels.contingency_tables(codes, tuple(sizes), order, starts, threads)
    np.testing.assert_array_equal(tables, np.concatenate(expected))


def by_hand(codes, sizes, members):
    table = np.zeros([sizes[j] for j in members], dtype=np.int64)
    np.add.at(table, tuple(codes[j].astype(np.intp) for j in members), 1)
    return table


@pytest.mark.parametrize("sizes", [(40, 30, 3), (4, 4, 4)])
def test_tables_over_many_blocks_small_and_large(sizes):
    codes = rows_of(sizes, 64 * kernels.ROWS + 4099)
    expected = [by_hand(codes, sizes, members).ravel() for members in colex(3, 2)]
    starts = np.cumsum([0] + [len(table) for table in expected])
    tables = kernels.contingency_tables(codes, sizes, 2, starts, 2)
    np.testing.assert_array_equal(tables, np.concatenate(expected))


@pytest.mark.parametrize(("sizes", "order"), [((2,) * 6, 3), ((3, 4, 2, 5), 2), ((7, 3, 4), 3), ((3, 1, 4), 2)])
def test_coordinates_are_sums_of_products_of_contrasts(sizes, order):
    codes = rows_of(sizes, 131)
    layout = InteractionLayout(sizes, order)
    coordinates = finished(Residuals(layout), codes)
    assert coordinates[0] == 131
    for size in range(order + 1):
        for members in combinations(range(len(sizes)), size):
            values = coordinates[layout.place(members)].reshape(layout.shape(members))
            for index in np.ndindex(values.shape):
                chosen = zip(members, index, strict=True)
                each = [contrasts(sizes[j]).matrix[c + 1][codes[j]] for j, c in chosen]
                assert values[index] == prod(each, start=np.ones(131, dtype=np.int64)).sum()


def test_coordinates_give_back_every_marginal():
    sizes, order = (3, 4, 2, 5), 3
    codes, layout = rows_of(sizes, 1000), InteractionLayout(sizes, order)
    coordinates = finished(Residuals(layout), codes)
    for members in combinations(range(4), order):
        shape = [sizes[j] for j in members]
        full = np.empty(shape)
        for chosen in product((0, 1), repeat=order):
            part = coordinates[layout.place([j for j, c in zip(members, chosen, strict=True) if c])]
            where = tuple(slice(1, None) if c else slice(0, 1) for c in chosen)
            full[where] = part.reshape(full[where].shape)
        for axis, size in enumerate(shape):
            full = np.moveaxis(np.tensordot(contrasts(size).inverse, full, axes=(1, axis)), 0, axis)
        np.testing.assert_allclose(full, by_hand(codes, sizes, members), atol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
def test_residuals_of_two_valued_attributes_are_parities(order):
    layout, codes = InteractionLayout((2,) * 5, order), rows_of((2,) * 5, 777)
    np.testing.assert_array_equal(finished(Residuals(layout), codes), finished(Parities(layout), codes))


def test_parities_are_even_minus_odd():
    codes = rows_of((2,) * 4, 99)
    signs = 1 - 2 * codes.astype(np.int64)
    layout = InteractionLayout((2,) * 4, 4)
    coordinates = finished(Parities(layout), codes)
    for members in (m for size in range(5) for m in combinations(range(4), size)):
        assert coordinates[layout.rank(members)] == signs[list(members)].prod(axis=0).sum()


def test_large_sums_stay_exact():
    """Beyond 2^53 doubles are not used."""
    statistic = Residuals(InteractionLayout((3, 3, 3), 3))
    sums = statistic.zeros()
    sums[-1], sums[0] = 2**54 + 1, 2**53 + 1
    corner = contrasts(3).matrix[1:, 2]
    expected = (2**54 + 1) * int(corner[0]) ** 3 + (2**53 + 1) * int(contrasts(3).matrix[1, 0]) ** 3
    place = statistic.interactions.place((0, 1, 2))
    assert int(statistic.to_coordinates(sums)[place][0]) == expected


def test_all_binary_spread_is_the_krawtchouk_formula():
    width, order = 12, 4
    weights = [Fraction(0), *(Fraction(7, i + 2) for i in range(order))]

    def changed(i, h):
        return sum(comb(h, u) * comb(width - h, i - u) for u in range(1, i + 1, 2))

    statistic = Parities(InteractionLayout((2,) * width, order))
    most = [max(sum(w * factor(i) * changed(i, h) for i, w in enumerate(weights)) for h in range(width + 1))
            for factor in (lambda i: 2, lambda i: Fraction(4, 2**i))]  # fmt: skip
    for power in (1, 2):
        assert statistic.sensitivity(power=power, weights=weights, neighbours="replace") == most[power - 1]


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 4, 2), ADULT])
def test_the_number_of_rows_cannot_change_when_a_row_is_replaced(sizes, power):
    statistic = Residuals(InteractionLayout(sizes, 2))
    alone = [Fraction(int(g == 0)) for g in range(statistic.groups)]
    assert statistic.sensitivity(power=power, weights=alone, neighbours="replace") == 0
    assert statistic.sensitivity(power=power, weights=alone, neighbours="add-remove") == 1


def test_a_large_grid_gives_an_upper_bound(monkeypatch):
    layout = InteractionLayout((2, 3, 3, 4, 5), 3)
    weights = [Fraction(g % 5, g + 1) for g in range(len(layout.groups))]
    exact = sensitivity.squared(layout, weights, "replace")
    monkeypatch.setattr(sensitivity, "GRID", 10)
    bound = sensitivity.squared(layout, weights, "replace")
    assert exact < bound < 2 * exact


def test_spread_of_many_sizes_is_a_bound_and_finite():
    layout = InteractionLayout(tuple(range(2, 30)), 2)
    weights = [Fraction(1)] * len(layout.groups)
    assert sensitivity.squared(layout, weights, "replace") <= 4 * sensitivity.squared(layout, weights, "add-remove")


def test_spread_of_adult_matches_the_norm_of_a_row():
    layout = InteractionLayout(ADULT, 2)
    weights = [Fraction(1)] * len(layout.groups)
    p = [Fraction(m - 1, m) for m in ADULT]
    expected = 1 + sum(p) + sum(a * b for a, b in combinations(p, 2))
    assert sensitivity.squared(layout, weights, "add-remove") == expected


def test_what_cannot_be_built_is_refused():
    with pytest.raises(BadPlan, match="two values per attribute, not 3; use residuals"):
        Parities(InteractionLayout((2, 3), 1))
    with pytest.raises(TooLarge, match="merge bins or drop attributes"):
        Histogram((100,) * 5)
    with pytest.raises(ValueError, match="4 groups need as many weights, not 1"):
        Parities(InteractionLayout((2, 2, 2), 3)).sensitivity(power=2, weights=[Fraction(1)], neighbours="replace")
