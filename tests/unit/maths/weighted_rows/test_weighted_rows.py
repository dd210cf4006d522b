"""Weighted rows: packed without loss, tables and draws that agree, values by quota inside groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.maths.weighted_rows import weighted_rows
from hushtable.maths.weighted_rows.weighted_rows import WeightedRows, inside_groups, pack_rows, unpack_rows, word_spans


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


def test_weighted_rows_give_their_own_tables_and_draws():
    g = np.random.default_rng(1)
    base = [np.array([0, 0, 1]), np.array([0, 1, 2, 2]), np.zeros(5, dtype=np.int64)]
    shares = [np.array([0.2, 0.3, 0.5]), np.full(4, 0.25), np.full(5, 0.2)]
    codes = np.array([g.integers(0, 2, 4000), g.integers(0, 3, 4000), np.zeros(4000)], dtype=np.uint16)
    fitted = WeightedRows.of(base, shares, codes, g.random(4000), [2, 0, 1])
    table = fitted.table((0, 1, 2))
    assert table.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(fitted.table((2,)), 0.2, atol=1e-9)
    rows = fitted.draw(20_000, g)
    drawn = np.bincount(np.ravel_multi_index(tuple(rows[:2]), (3, 4)), minlength=12).reshape(3, 4) / 20_000
    assert np.abs(drawn - table.sum(axis=2)).max() < 5e-3
    np.testing.assert_array_equal(fitted.values(1), fitted.values(1))


def test_single_columns_of_drawn_rows_are_those_of_the_model(monkeypatch):
    """Within two rows a value, where a plain draw strays by dozens; pairs that never occur still never do."""
    g = np.random.default_rng(2)
    codes = g.integers(0, 6, (10, 30_000)).astype(np.uint16)
    codes[1] = np.where(codes[0] == 0, 0, codes[1])
    base = [np.arange(6)] * 10
    shares = [np.bincount(own, minlength=6) / 30_000 for own in codes]
    model = WeightedRows.of(base, shares, codes, g.gamma(1.0, size=30_000), list(range(10)))

    def strays(rows):
        return max(np.abs(np.bincount(own, minlength=6) - 20_000 * model.table((j,))).max()
                   for j, own in enumerate(rows))  # fmt: skip

    rows = model.draw(20_000, np.random.default_rng(3))
    assert strays(rows) < 2
    assert not ((rows[0] == 0) & (rows[1] != 0)).any()
    np.testing.assert_array_equal(rows, model.draw(20_000, np.random.default_rng(3)))
    monkeypatch.setattr(weighted_rows, "EXCHANGED", 0)
    assert strays(model.draw(20_000, np.random.default_rng(3))) > 10
