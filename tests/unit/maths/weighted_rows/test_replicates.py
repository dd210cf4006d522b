"""Replicates: their spread is that of releases with other noise, and they are a function of released numbers."""

from dataclasses import replace

import numpy as np
import pytest
from tables import domain, random_codes

import hushtable as ht
from hushtable.errors import BadSynopsis
from hushtable.laws import Law
from hushtable.maths.weighted_rows import replicates as made
from hushtable.maths.weighted_rows import table_noise
from hushtable.maths.weighted_rows.error_ratios import (
    USUAL,
    USUAL_BEFORE,
    ErrorRatios,
    beyond_pairs,
    deviations,
    tables_to_sum,
)
from hushtable.maths.weighted_rows.replicates import Replicates
from hushtable.maths.weighted_rows.row_logs import CellLogs, RowLogs
from hushtable.models.whole_table.replicate_file import described_replicates, read_ratios, replicate_numbers
from hushtable.vault.door.door import Door

SHAPE = domain({f"c{j}": {"kind": "integer", "between": [0, 3 + j], "missing": "error"} for j in range(4)},
               neighbours="add-remove")  # fmt: skip


class Account:
    def charge(self, price, *, what):
        pass


def release(codes, seed, budget=None, calibration=0.03, shape=SHAPE):
    workload = ht.WholeTable(calibration=calibration)
    plan = ht.plan(shape, workload=workload, budget=budget or ht.Budget(epsilon=1, delta="1e-9"))
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=plan.design.price, account=Account(),
                randomness=ht.Simulated(seed))  # fmt: skip
    return plan.by.release(door, shape, plan.design)


@pytest.fixture(scope="module")
def codes():
    return random_codes(SHAPE, 20_000, seed=3)


def shares_of(model):
    """Shares of all pairs of values of two columns, by the model and by all replicates."""
    replicates = model.replicates
    own = replicates.codes((0, 2))
    key = own[0].astype(np.int64) * SHAPE.sizes[2] + own[2]
    cells = SHAPE.sizes[0] * SHAPE.sizes[2]
    (first,), *others = replicates.tables((0, 2), np.ones(len(key), dtype=bool), key, cells)
    return first, np.array([each for (each,) in others])


@pytest.mark.parametrize("budget", [ht.Budget(epsilon=1, delta="1e-9"), ht.Budget(epsilon=2)], ids=["zcdp", "pure"])
def test_the_spread_is_that_of_other_releases(codes, budget):
    """Over 24 releases the mean square of (value - mean) is within a factor of 1.6 of what replicates foretell."""
    tables, foretold = [], []
    for seed in range(24):
        model = release(codes, seed, budget)
        own, others = shares_of(model)
        tables.append(model.cloud.table((0, 2)).ravel())
        foretold.append(((others - own) ** 2).mean(axis=0))
        np.testing.assert_allclose(own, tables[-1], atol=0.002)
    seen = np.var(tables, axis=0, ddof=1)
    assert 1 / 1.6**2 < seen.sum() / np.mean(foretold, axis=0).sum() < 1.6**2


def test_the_same_release_has_the_same_replicates(codes):
    first, again = (release(codes[:, ::step], 5) for step in (1, -1))
    np.testing.assert_array_equal(first.replicates.logs.numbers, again.replicates.logs.numbers)
    for one, other in zip(first.replicates.fixed_shares, again.replicates.fixed_shares, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(first.ratios.sums, again.ratios.sums)


def test_many_rows_are_carried_by_some(codes, monkeypatch):
    model = release(codes, 1)
    assert len(model.cloud.fixed_weights) <= made.CARRIERS
    monkeypatch.setattr(made, "CARRIERS", 400)
    few, shares = made.carriers(model.cloud)
    assert len(few) == 400
    assert np.unique(shares).size == 1
    np.testing.assert_allclose(np.bincount(model.cloud.codes[0, few]) / 400,
                               np.bincount(model.cloud.codes[0], model.cloud.weights), atol=0.05)  # fmt: skip
    assert made.log_unit(model.cloud) == made.COARSE


def test_weights_are_shares_whether_they_are_kept_by_cell_or_by_row(codes, monkeypatch):
    """Both are rounded, cells to half a row; their tables of two columns differ by less than a tenth of what
    replicates differ by. With eight digits fewer they do not."""
    by_cell = release(codes, 2).replicates
    monkeypatch.setattr(table_noise, "MOST_SETS", 0)
    by_row = release(codes, 2).replicates
    assert isinstance(by_cell.logs, CellLogs)
    assert isinstance(by_row.logs, RowLogs)
    np.testing.assert_allclose(by_cell.weights.sum(axis=0), 1, atol=1e-12)

    def tables(replicates):
        key = by_row.codes((0, 2))[0].astype(np.int64) * SHAPE.sizes[2] + by_row.codes((0, 2))[2]
        return np.array([np.bincount(key, each) for each in replicates.weights.T])

    spread = tables(by_row).std(axis=0)
    assert (np.abs(tables(by_cell) - tables(by_row)) < 0.1 * spread).all()
    coarser = CellLogs(by_cell.logs.sets, by_cell.logs.digits - 8, by_cell.logs.numbers >> 8)
    worse = Replicates(by_cell.cloud, coarser, by_cell.fixed_shares)
    assert not (np.abs(tables(worse) - tables(by_row)) < 0.1 * spread).all()


GROUPED = domain({f"c{j}": {"kind": "integer", "between": [0, size - 1], "missing": "error"}
                  for j, size in enumerate((90, 2, 3))}, neighbours="add-remove")  # fmt: skip


def margins(codes, weights, sizes):
    """Of every column and every weight, as shares."""
    shares = [
        np.array([np.bincount(own, w, minlength=s) for w in weights.T]) for own, s in zip(codes, sizes, strict=True)
    ]
    return [each / each.sum(axis=1, keepdims=True) for each in shares]


def test_every_line_of_a_grouped_model_carries_replicates():
    """Lines that stand for several codes are taken several times; a replicate's margins stay those of all lines.

    Lines of small share in the model have large ones in replicates: drawn by equal shares they were now and then left
    out, which moved replicates more than the noise did.
    """
    g = np.random.default_rng(4)
    values = np.minimum(g.geometric(0.06, 4_000) - 1, 89)
    rows = np.array([values, values % 2 ^ (g.random(4_000) < 0.2), g.integers(0, 3, 4_000)], dtype=np.uint16)
    replicates = release(rows, 5, shape=GROUPED).replicates
    cloud, (lines, shares) = replicates.cloud, made.carriers(replicates.cloud)
    assert cloud.base_sizes[0] < 90, "codes are grouped"
    logs = replicates.logs.of_rows(cloud.codes[:, lines])
    raked = margins(cloud.codes[:, lines], shares[:, None] * np.exp(logs - logs.max(axis=0)), cloud.base_sizes)

    def apart(some):
        own = margins(cloud.codes[:, some.carriers[0]], some.weights, cloud.base_sizes)
        return max(float(np.abs(one - other).max()) for one, other in zip(own, raked, strict=True))

    assert apart(replicates) < 1e-9
    assert apart(replace(replicates, every=False)) > 1e-5
    assert replicates.carriers[1].sum() == pytest.approx(1)
    assert len(lines) < len(replicates.carriers[0]) <= made.CARRIERS
    said = described_replicates(replicates, None)
    assert said["replicate_carriers"] == "every line"
    assert "replicate_carriers" not in described_replicates(replace(replicates, every=False), None)


def test_an_effective_share_tells_even_replicates_from_uneven_ones(codes):
    replicates = release(codes, 2).replicates
    even = Replicates(replicates.cloud, RowLogs(np.zeros((2, len(replicates.weights)), dtype=np.int64), 1024),
                      tuple(shares[:2] for shares in replicates.fixed_shares))  # fmt: skip
    assert even.effective == pytest.approx(1)
    assert 0 < replicates.effective < 1


def test_uneven_replicates_are_said(codes):
    """One row of each replicate has 3,000 times its share: there is a remark, with the share that is left."""
    model = release(codes, 2)
    assert not any("uneven" in remark for remark in model.remarks())
    lines = len(made.carriers(model.cloud)[0])
    numbers = np.zeros((16, lines), dtype=np.int64)
    numbers[:, 0] = 8 * 1024
    uneven = Replicates(model.cloud, RowLogs(numbers, 1024), model.replicates.fixed_shares)
    (remark,) = replace(model, replicates=uneven).remarks()[len(model.remarks()) :]
    assert remark.startswith(f"replicates are uneven (an effective share of {uneven.effective:.1%})")
    assert uneven.effective < 0.05


def test_ratios_follow_what_was_measured_as_far_as_noise_allows():
    def ratios(seen, noise):
        expected = np.full(5, 1_000_000)
        return ErrorRatios(np.rint(np.array(seen) * expected).astype(np.int64), expected,
                           ((noise * 1_000_000) ** 2,) * 5, Law.GAUSSIAN)  # fmt: skip

    sharp, dull = ratios([2.0] * 5, 0.01), ratios([50.0] * 5, 100.0)
    assert all(1.6 * 0.9 < sharp.ratio(width).ratio < 2.1 for width in range(1, 6)), "32 tables are not all"
    assert all(ratios([23.0] * 5, 0.01).ratio(width).ratio > 15 for width in range(1, 6)), "a fit that went wrong shows"
    assert all(sharp.ratio(width).basis == "measured" for width in range(1, 6))
    assert all(dull.ratio(width).ratio < 1.5 * usual for width, usual in enumerate(USUAL, 1))
    assert dull.ratio(3).basis == "usual"
    assert sharp.ratio(7).basis == "extrapolated"
    assert sharp.ratio(7).ratio > sharp.ratio(5).ratio
    assert ratios([-3.0] * 5, 0.01).ratio(1).ratio > 0, "a noisy sum may be negative, a bar may not"


def test_a_deviation_is_never_0():
    assert deviations(np.array([0.0]), np.array([0.0]), 1, 1000.0)[0] == pytest.approx(1 / 1000)
    assert deviations(np.array([0.0]), np.array([0.0]), 4, 1000.0)[0] == pytest.approx(1 / 1000)
    assert deviations(np.array([0.5]), np.array([0.0]), 4, 1000.0, all_chance=True)[0] == pytest.approx(0.5 / 1000**0.5)


def test_chance_beyond_pairs_is_what_pairs_do_not_tell():
    """Of independent columns of halves: the variance of a row's part, given all that pairs of its columns say of it."""
    rows = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1)
    holds = rows.all(axis=0).astype(float)
    pairs = np.array([rows[i] * rows[j] for i in range(4) for j in range(i)] + [*rows, np.ones(16)]).T
    left = holds - pairs @ np.linalg.lstsq(pairs, holds, rcond=None)[0]
    assert beyond_pairs(np.array([1 / 16]), 4)[0] == pytest.approx((left**2).mean())
    assert beyond_pairs(np.array([0.3]), 2)[0] == 0


def test_tables_to_sum_are_cut_in_two_and_public():
    shares = [np.array([0.9, 0.05, 0.05]), np.full(4, 0.25), np.ones(1)]
    one, two = (tables_to_sum(shares, np.random.default_rng(1)) for _ in range(2))
    assert [len(tables[0].members) for tables in one] == [1, 2]
    for tables, same in zip(one, two, strict=True):
        for table, other in zip(tables, same, strict=True):
            assert table.members == other.members
            assert table.shape == (2,) * len(table.members)
            assert 2 not in table.members, "a column of one value has nothing to cut"


def test_single_columns_are_not_compared_and_wide_ones_as_exactly_as_narrow_ones(codes):
    """Bars of one column are the noise of its counts; an equal part of the budget goes to each other width."""
    ratios = release(codes, 2).ratios
    assert ratios.expected[0] == ratios.sums[0] == 0
    assert (ratios.expected[1:] > 0).all()
    assert ratios.scales[1:] == pytest.approx([ratios.scales[1]] * (len(ratios.scales) - 1))


def test_a_file_says_what_was_usual_and_older_ones_have_what_was_usual_then(codes):
    model = release(codes, 2)
    said, numbers = (
        described_replicates(model.replicates, model.ratios),
        replicate_numbers(model.replicates, model.ratios),
    )
    assert read_ratios(model.law, said, numbers).usual == USUAL
    older = {key: value for key, value in said.items() if key != "ratio_usual"}
    assert read_ratios(model.law, older, numbers).usual == USUAL_BEFORE
    for wrong in ([1.0], [1.0] * 6, [1.0, 1.0, 0.0, 1.0, 1.0], [1.0, 1.0, float("nan"), 1.0, 1.0]):
        with pytest.raises(BadSynopsis, match="calibration that makes no sense"):
            read_ratios(model.law, said | {"ratio_usual": wrong}, numbers)
