"""Empty cells: which ones are taken as empty follows from released numbers, and the fit leaves no rows in them."""

from fractions import Fraction

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.weighted_rows import empty_cells, network
from hushtable.maths.weighted_rows.empty_cells import GONE, emptied, seen_empty
from hushtable.maths.weighted_rows.fit import fit
from hushtable.maths.weighted_rows.fit_targets import agree
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from hushtable.maths.weighted_rows.rules import Rules
from hushtable.maths.weighted_rows.shares import ColumnTotals

ROWS, DEVIATION = 20_000, 40.0
PAIR = GroupedSet((0, 1), (np.arange(2), np.arange(4)))
SCALE = Fraction(int(DEVIATION**2))


def released(table: np.ndarray, seed: int) -> tuple[ColumnTotals, list[RawTable]]:
    """Single columns nearly exact, and the pair with noise."""
    noise = np.rint(np.random.default_rng(seed).normal(0, DEVIATION, table.shape)).astype(np.int64)
    alone = [
        RawTable(GroupedSet((j,), (np.arange(table.shape[j]),)), table.sum(axis=1 - j), Law.GAUSSIAN, Fraction(1))
        for j in range(2)
    ]
    return ColumnTotals(2, alone), [RawTable(PAIR, (table + noise).ravel(), Law.GAUSSIAN, SCALE)]


def rows_in(table: np.ndarray, cells: np.ndarray, seed: int) -> float:
    """How many rows of the fitted model are in these cells."""
    agreed = agree(*released(table, seed))
    net = network.build(agreed, network.base_groups(table.shape, agreed.sets, []), Rules())
    done = fit(net, [1.0], 20_000, np.random.default_rng(seed))
    share = np.bincount(done.codes[0] * table.shape[1] + done.codes[1], done.weights, minlength=table.size)
    return float(ROWS * share[cells.ravel()].sum() / share.sum())


# Whoever lives has no cause of death, of which the last two are so rare that noise would hide them alone.
ALIVE = np.array([[16_000, 0, 0, 0], [0, 3_000, 500, 500]])


def test_near_certain_relations_break_in_a_tenth_of_the_rows(monkeypatch):
    none = ALIVE == 0
    kept = [rows_in(ALIVE, none, seed) for seed in range(20)]
    monkeypatch.setattr(empty_cells, "SEEN", -np.inf)
    before = [rows_in(ALIVE, none, seed) for seed in range(20)]
    # Twenty means of five cells each: off by a factor of 2.5 only if all noises conspire.
    assert np.mean(before) > 20
    assert np.mean(kept) < np.mean(before) / 4


def test_cells_that_chance_would_hardly_fill_are_left_as_they_are():
    counts = np.array([[0.0, 50.0], [50.0, 900.0]])
    expected = np.array([[2.5, 47.5], [47.5, 902.5]])
    assert not seen_empty(GroupedSet((0, 1), (np.arange(2),) * 2), counts, DEVIATION**2, expected).any()


def test_cells_that_hold_rows_are_not_empty():
    expected = np.full(PAIR.shape, 1_000.0)
    assert not seen_empty(PAIR, expected, DEVIATION**2, expected).any()
    one = np.where(np.arange(8).reshape(2, 4) == 3, 0.0, expected)
    assert np.flatnonzero(seen_empty(PAIR, one, DEVIATION**2, expected)).tolist() == [3]


def test_small_neighbours_are_empty_together():
    """Each alone could hide in the noise, all forty together could not."""
    wide = GroupedSet((0, 1), (np.arange(2), np.arange(40)))
    deviation = DEVIATION * np.sqrt(wide.length)
    expected = np.array([[2.0 * deviation] * 40, [50.0 * deviation] * 40])
    seen = np.array([[0.0] * 40, [52.0 * deviation] * 40])
    empty = seen_empty(wide, seen, DEVIATION**2, expected)
    assert empty[0].all()
    assert not empty[1].any()


def test_no_wider_table_has_any():
    three = GroupedSet((0, 1, 2), (np.arange(2),) * 3)
    assert not seen_empty(three, np.zeros((2, 2, 2)), 1.0, np.full((2, 2, 2), 1e6)).any()


@pytest.mark.parametrize("strength", [1.0, 250.0])
def test_theta_ends_where_next_to_no_row_is_left(strength):
    """m + c theta = target has theta just below -GONE, where m is the expectation times exp(theta)."""
    from hushtable.maths.weighted_rows.raking_kernels import solve_cells

    expected, theta, change = np.array([2_000.0]), np.zeros(1), np.zeros(1)
    target = emptied(np.array([35.0]), np.array([True]), strength)
    solve_cells(expected, theta, target, np.array([strength]), 50.0, change)
    assert -GONE - 2_000 * np.exp(-GONE) / strength <= change[0] <= -GONE
