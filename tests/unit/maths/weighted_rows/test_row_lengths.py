"""Lengths of the fitted rows: kept at the released ones, while rows are weighed and while they are moved."""

import numpy as np

from hushtable.maths.weighted_rows import network
from hushtable.maths.weighted_rows.fit import fit
from hushtable.maths.weighted_rows.fit_targets import FitTargets
from hushtable.maths.weighted_rows.gibbs import renew
from hushtable.maths.weighted_rows.kernels import length_cells
from hushtable.maths.weighted_rows.rare_design import Lengths, RareColumns, length_cell
from hushtable.maths.weighted_rows.row_lengths import row_lengths
from hushtable.maths.weighted_rows.rules import Rules

WIDTH, COUNT = 12, 60_000
# The first column is even; of the others one has the usual code 1.
COLUMNS = RareColumns((0,), tuple(range(1, WIDTH)), (*[0] * (WIDTH - 2), 1))


def lively_rows():
    """Rare values are rarer still in three rows of four and frequent in the fourth; the second column comes alone."""
    random = np.random.default_rng(1)
    lively = random.random(COUNT) < 0.25
    codes = (random.random((WIDTH, COUNT)) < np.where(lively, 0.2, 0.01)).astype(np.uint16)
    codes[0] = random.random(COUNT) < 0.4
    codes[1] = (random.random(COUNT) < 0.05) & ~lively
    codes[-1] = 1 - codes[-1]
    return codes


def counted(codes):
    cells = np.bincount(length_cell(COLUMNS.is_rare(codes)), minlength=2 * (WIDTH - 1))
    return Lengths.of(cells, 1.0, float(COUNT))


def fitted():
    """No pair is a table: columns and lengths alone are fitted."""
    codes = lively_rows()
    shares = [np.bincount(c, minlength=2) / COUNT for c in codes]
    agreed = FitTargets(float(COUNT), shares, [1.0] * WIDTH, [], [], [])
    whole = [np.arange(2)] * WIDTH
    net = network.build(agreed, whole, Rules(()), row_lengths(COLUMNS, counted(codes), WIDTH))
    return codes, net, fit(net, [], COUNT, np.random.default_rng(2))


def test_rows_have_the_lengths_and_columns_they_should():
    """Each share within 0.001: rows are systematic draws, so their error is far below."""
    codes, net, done = fitted()
    counts = np.bincount(length_cells(done.codes, net.lengths.group, net.lengths.order), done.weights)
    np.testing.assert_allclose(counts / counts.sum(), net.lengths.wanted[: len(counts)], atol=1e-3)
    for j in range(WIDTH):
        share = np.bincount(done.codes[j], done.weights, minlength=2) / done.weights.sum()
        np.testing.assert_allclose(share, np.bincount(codes[j]) / COUNT, atol=1e-3)
    assert done.effective > 0.9, "the rows were weighed only, not moved"


def test_rare_values_meet_as_often_as_lengths_say():
    """By chance two of them would meet less than half as often; the column that comes alone meets none."""
    codes, _, done = fitted()

    def meet(rows, weights, i, j):
        rare = COLUMNS.is_rare(rows)
        return float((weights * (rare[i] & rare[j])).sum() / weights.sum())

    ones = np.ones(COUNT)
    for i, j in ((2, 3), (5, 10)):
        true, chance = meet(codes, ones, i, j), meet(codes, ones, i, i) * meet(codes, ones, j, j)
        assert chance < 0.5 * true
        assert abs(meet(done.codes, done.weights, i, j) - true) < 0.15 * true
    by_chance = meet(codes, ones, 0, 0) * meet(codes, ones, 5, 5)
    assert meet(done.codes, done.weights, 0, 5) < 0.8 * by_chance


def test_cells_of_the_kernel_are_those_of_the_statistic():
    codes = lively_rows()
    made = row_lengths(COLUMNS, counted(codes), WIDTH)
    np.testing.assert_array_equal(length_cells(codes, made.group, made.order), length_cell(COLUMNS.is_rare(codes)))


def test_a_gibbs_pass_follows_the_factors_of_lengths():
    """Five columns of share 1/2 and a factor for each cell: all 32 rows have the chances of brute force.

    After 30 passes rows are independent draws; each share is within 6 standard errors, false alarm below 1e-7 in all.
    """
    columns, width, count = RareColumns((), tuple(range(5)), (0,) * 5), 5, 200_000
    factors = np.array([2.0, 0.5, 1.0, 1.5, 2.0, 0.2, 0.7, 1.2, 0.1, 3.0])
    given = row_lengths(columns, Lengths(np.ones(6), np.ones(5)), width)
    net = network.build(FitTargets(1.0, [np.full(2, 0.5)] * width, [1.0] * width, [], [], []), [np.arange(2)] * width,
                        Rules(()), given)  # fmt: skip
    codes = np.zeros((width, count), dtype=np.uint16)
    for seed in range(30):
        renew(net, codes, np.zeros(net.cells[-1]), seed * 977 + 5, factors)
    rows = np.array(np.unravel_index(np.arange(32), [2] * width)).astype(np.uint16)
    chance = factors[length_cell(rows.astype(bool))]
    chance = chance / chance.sum()
    shares = np.bincount(np.ravel_multi_index(codes.astype(int), [2] * width), minlength=32) / count
    assert (np.abs(shares - chance) < 6 * np.sqrt(chance * (1 - chance) / count)).all()
