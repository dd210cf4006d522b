"""Raking and Gibbs moves: short cuts give what the plain way gives."""

from itertools import combinations, product

import numpy as np

from hushtable.maths.weighted_rows import network
from hushtable.maths.weighted_rows.fit import _once
from hushtable.maths.weighted_rows.fit_targets import FitTargets
from hushtable.maths.weighted_rows.gibbs import renew
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet
from hushtable.maths.weighted_rows.raking_kernels import effective, solve_cells, sweep, sweep_all
from hushtable.maths.weighted_rows.rules import Rules

ROWS = 5000.0


def some_network(sizes: list[int], seed: int) -> network.Network:
    """All pairs, with targets that differ from independence."""
    random = np.random.default_rng(seed)
    shares = [random.dirichlet(np.full(size, 5.0)) for size in sizes]
    sets, counts = [], []
    for i, j in combinations(range(len(sizes)), 2):
        sets.append(GroupedSet((i, j), (np.arange(sizes[i]), np.arange(sizes[j]))))
        counts.append(ROWS * np.outer(shares[i], shares[j]) * random.uniform(0.7, 1.3, (sizes[i], sizes[j])))
    agreed = FitTargets(ROWS, shares, [1.0] * len(sizes), sets, counts, [30.0] * len(sets))
    return network.build(agreed, [np.arange(size) for size in sizes], Rules())


def swept(net, codes, weights, copies, count):
    theta = np.zeros(len(net.target))
    for _ in range(3):
        sweep(codes, weights, copies, count, net.factors, net.maps, net.cells, theta, net.target, net.strength,
              net.rows, 0, 0.0, 4)  # fmt: skip
    return theta


def test_equal_rows_once_are_the_same_as_all_of_them():
    sizes = [3, 2, 4]
    net, random = some_network(sizes, 1), np.random.default_rng(2)
    codes = np.array([random.integers(0, size, 2000) for size in sizes]).astype(np.uint16)
    few, copies = _once(codes, sizes)
    assert few.shape[1] <= 24
    assert copies.sum() == 2000
    weights, joined, ones = np.ones(2000), copies.copy(), np.ones(2000)
    np.testing.assert_allclose(swept(net, codes, weights, ones, 2000), swept(net, few, joined, copies, 2000), atol=1e-9)
    np.testing.assert_allclose(effective(weights, ones, 2000), effective(joined, copies, 2000), rtol=1e-9)
    assert effective(joined, copies, 2000) < 0.999


def test_rows_that_hardly_repeat_stay_as_they_are():
    codes = np.arange(60_000, dtype=np.uint16)[None]
    same, copies = _once(codes, [2**16])
    assert same is codes
    assert (copies == 1).all()


def test_a_sweep_of_all_replicates_is_one_of_each():
    sizes = [3, 2, 4]
    net, random = some_network(sizes, 3), np.random.default_rng(4)
    codes = np.array([random.integers(0, size, 500) for size in sizes]).astype(np.uint16)
    target = net.target[:, None] * random.uniform(0.9, 1.1, (len(net.target), 5))
    together, theta = np.full((500, 5), ROWS / 500), np.zeros(target.shape)
    for begin in (0, net.alone):
        sweep_all(codes, together, net.factors, net.maps, net.cells, theta, target, net.strength, net.rows, begin)
    for k in range(5):
        weights, own, ones = np.full(500, ROWS / 500), np.zeros(len(net.target)), np.ones(500)
        for begin in (0, net.alone):
            sweep(codes, weights, ones, 500, net.factors, net.maps, net.cells, own, np.ascontiguousarray(target[:, k]),
                  net.strength, net.rows, begin, 0.0, 0)  # fmt: skip
        np.testing.assert_allclose(together[:, k], weights, rtol=1e-9)
        np.testing.assert_allclose(theta[:, k], own, atol=1e-9)


def test_theta_does_not_rise_where_no_row_is_and_may_fall():
    change = np.empty(3)
    solve_cells(np.zeros(3), np.zeros(3), np.array([50.0, -50.0, 0.0]), np.ones(3), 2.0, change)
    np.testing.assert_allclose(change, [0.0, -2.0, 0.0])


def test_columns_of_two_values_are_moved_by_their_odds():
    """Four dependent columns: after 30 passes all 16 rows have the chances of brute force, within 6 standard errors;
    false alarm below 1e-7 in all. One wrong factor of 1.07 would be seen."""
    net, count = some_network([2] * 4, 5), 400_000
    theta = np.random.default_rng(6).normal(0, 0.7, len(net.target))
    codes = np.zeros((4, count), dtype=np.uint16)
    for seed in range(30):
        renew(net, codes, theta, 977 * seed + 3, np.zeros(0))
    cells = list(product(range(2), repeat=4))

    def chances(theta):
        logs = []
        for cell in cells:
            log = sum(np.log(net.shares[j][cell[j]]) for j in range(4))
            for number, grouped in enumerate(net.sets):
                place = np.ravel_multi_index([cell[m] for m in grouped.members], grouped.shape)
                log += theta[net.cells[number] + place]
            logs.append(log)
        out = np.exp(np.array(logs))
        return out / out.sum()

    seen = np.bincount(np.ravel_multi_index(codes.astype(np.int64), [2] * 4), minlength=16) / count
    error = np.sqrt(chances(theta) * (1 - chances(theta)) / count)
    assert (np.abs(seen - chances(theta)) < 6 * error).all()
    wrong = theta.copy()
    wrong[net.cells[0]] += np.log(1.07)
    assert (np.abs(seen - chances(wrong)) > 6 * error).any()
