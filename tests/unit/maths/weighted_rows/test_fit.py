"""The fit: its block update, its rows, and that it never collapses."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.weighted_rows import network
from hushtable.maths.weighted_rows.fit import fit
from hushtable.maths.weighted_rows.fit_targets import agree
from hushtable.maths.weighted_rows.gibbs import renew
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from hushtable.maths.weighted_rows.raking_kernels import solve_cells
from hushtable.maths.weighted_rows.rules import Rules
from hushtable.maths.weighted_rows.shares import ColumnTotals


def exact_tables(codes: np.ndarray, sizes: list[int], *, scale: int = 1) -> list[RawTable]:
    """Tables of single columns and all pairs at full resolution, without noise but as if they had some."""
    tables = []
    members = [(j,) for j in range(len(sizes))] + [(i, j) for j in range(len(sizes)) for i in range(j)]
    for chosen in members:
        shape = [sizes[j] for j in chosen]
        counts = np.bincount(np.ravel_multi_index([codes[j] for j in chosen], shape), minlength=int(np.prod(shape)))
        grouped = GroupedSet(chosen, tuple(np.arange(size) for size in shape))
        tables.append(RawTable(grouped, counts.astype(np.int64), Law.GAUSSIAN, Fraction(scale)))
    return tables


def fitted(codes: np.ndarray, sizes: list[int], *, count: int = 50_000, scale: int = 1):
    raw = exact_tables(codes, sizes, scale=scale)
    pairs = [table for table in raw if not table.alone]
    agreed = agree(ColumnTotals(len(sizes), [table for table in raw if table.alone]), pairs)
    net = network.build(agreed, network.base_groups(sizes, agreed.sets, []), Rules())
    scores = [float(len(pairs) - k) for k in range(len(pairs))]
    return fit(net, scores, count, np.random.default_rng(1)), net


def shares_of(done, positions, sizes) -> np.ndarray:
    shape = [sizes[p] for p in positions]
    key = np.ravel_multi_index([done.codes[p] for p in positions], shape)
    table = np.bincount(key, done.weights, minlength=int(np.prod(shape))).reshape(shape)
    return table / table.sum()


def dependent_rows(sizes: list[int], rows: int, seed: int) -> np.ndarray:
    g = np.random.default_rng(seed)
    lean = g.random(rows)
    return np.array([((0.5 * g.random(rows) + 0.5 * lean) * size).astype(np.uint16) for size in sizes])


def test_the_block_update_solves_its_equation():
    """Wherever the solution is within reach; beyond, the end of the reach."""
    grid = np.meshgrid([-1e4, -3.0, 0.0, 50.0, 1e6], [1e-3, 2.0, 1e4], [1.0, 80.0, 1e4], [-1.0, 0.0, 2.0])
    y, m, c, theta = (a.ravel() for a in grid)
    x = np.empty_like(y)
    solve_cells(m, theta, y, c, 50.0, x)
    inside = np.abs(x) < 50
    left = np.abs(m * np.exp(x) + c * (theta + x) - y)
    assert (left <= 1e-6 * (1 + np.abs(y)))[inside].all()
    assert inside.sum() > 0.8 * len(y)
    assert (m * np.exp(-50.0) + c * (theta - 50.0) > y)[x == -50.0].all()
    solve_cells(m, theta, y, c, 2.0, x)
    assert np.abs(x).max() <= 2.0


def test_without_noise_three_columns_are_fitted_as_by_proportional_fitting():
    sizes = [2, 2, 2]
    codes = dependent_rows(sizes, 20_000, seed=3)
    done, _ = fitted(codes, sizes)
    joint = np.full((2, 2, 2), 1 / 8)
    truth = np.zeros((2, 2, 2))
    np.add.at(truth, tuple(codes), 1 / codes.shape[1])
    for _ in range(500):
        for axis in range(3):
            joint *= truth.sum(axis=axis, keepdims=True) / joint.sum(axis=axis, keepdims=True)
    assert np.abs(shares_of(done, (0, 1, 2), sizes) - joint).sum() / 2 < 0.02
    for pair in ((0, 1), (0, 2), (1, 2)):
        (other,) = {0, 1, 2} - set(pair)
        assert np.abs(shares_of(done, pair, sizes) - truth.sum(axis=other)).max() < 2e-3


def test_a_gibbs_pass_leaves_the_distribution_as_it_is():
    """After one more move every pair's table is within 6 Monte Carlo standard errors; false alarm < 1e-7 in all."""
    sizes = [3, 4, 2, 5]
    done, net = fitted(dependent_rows(sizes, 30_000, seed=4), sizes, count=200_000)
    g = np.random.default_rng(9)
    kept = g.choice(len(done.weights), 200_000, p=done.weights / done.weights.sum())
    codes = np.ascontiguousarray(done.codes[:, kept])
    before = codes.copy()
    renew(net, codes, done.theta, 5, net.lengths.wanted)
    assert (before != codes).any(axis=1).all(), "no column moved"
    for i, j in ((0, 1), (1, 3), (2, 3)):
        shape = [sizes[i], sizes[j]]
        cells = np.ravel_multi_index([codes[i], codes[j]], shape)
        after = np.bincount(cells, minlength=np.prod(shape)) / codes.shape[1]
        want = shares_of(done, (i, j), sizes).ravel()
        # Both tables are samples, and the fit itself is one: three errors of that size add up at most.
        assert (np.abs(after - want) < 6 * 3 * np.sqrt(want * (1 - want) / codes.shape[1]) + 1e-4).all()


CONSTANT = np.zeros(5000, dtype=np.uint16)


@pytest.mark.parametrize("case", ["identical", "constant", "one column", "tiny", "no rows", "opposite"])
def test_never_collapses(case):
    g = np.random.default_rng(0)
    a, b = (g.integers(0, size, 5000).astype(np.uint16) for size in (6, 3))
    codes, sizes = {
        "identical": (np.array([a, a, b]), [6, 6, 3]),
        "constant": (np.array([a, CONSTANT, b]), [6, 4, 3]),
        "one column": (np.array([a]), [6]),
        "tiny": (np.array([a, b])[:, :3], [6, 3]),
        "no rows": (np.array([a, b])[:, :0], [6, 3]),
        "opposite": (np.array([b, 2 - b, b]), [3, 3, 3]),
    }[case]
    done, _ = fitted(codes, sizes, count=20_000, scale=400)
    assert done.effective >= 0.2
    assert np.isfinite(done.weights).all()
    for j, size in enumerate(sizes):
        assert done.codes[j].max() < size


def test_identical_columns_stay_nearly_identical():
    a = np.random.default_rng(1).integers(0, 6, 50_000).astype(np.uint16)
    done, _ = fitted(np.array([a, a, (a // 2).astype(np.uint16)]), [6, 6, 3], scale=100)
    assert np.trace(shares_of(done, (0, 1), [6, 6])) > 0.95


def test_every_combination_of_small_shapes_keeps_its_margins():
    for sizes in product((2, 3), repeat=3):
        codes = dependent_rows(list(sizes), 20_000, seed=sum(sizes))
        done, _ = fitted(codes, list(sizes))
        for j, size in enumerate(sizes):
            truth = np.bincount(codes[j], minlength=size) / codes.shape[1]
            assert np.abs(shares_of(done, (j,), sizes) - truth).max() < 1e-3
