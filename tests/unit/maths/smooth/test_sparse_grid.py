"""Sparse grids: exact on their own polynomials, and Fejer's weights in which rows never point away from each other."""

import numpy as np
import pytest

from hushtable.maths.smooth.axes import Axis
from hushtable.maths.smooth.chebyshev import chebyshev_basis, jackson
from hushtable.maths.smooth.fejer import fejer_weights
from hushtable.maths.smooth.sparse_basis import SparseBasis
from hushtable.maths.smooth.sparse_grid import SparseGrid, degrees_at, places_in, sparse_indices, sparse_size


def polynomials(points, indices):
    """T_m at points, a row a point."""
    angles = np.arccos(np.clip(points, -1, 1))
    return np.prod(np.cos(angles[:, None, :] * indices), axis=2)


@pytest.mark.parametrize(("d", "level"), [(1, 3), (2, 4), (3, 3), (6, 2), (8, 2)])
def test_a_grid_knows_its_own_polynomials(d, level):
    grid = SparseGrid(d, level)
    wanted = np.random.default_rng(d).normal(size=len(grid.indices))
    values = polynomials(grid.points, grid.indices) @ wanted
    assert np.allclose(grid.coefficients(values), wanted, atol=1e-10)
    assert np.allclose(grid.values(wanted), values, atol=1e-10)


def test_sizes_are_those_of_clenshaw_and_curtis():
    assert [sparse_size(level, [False] * 6) for level in range(6)] == [1, 13, 85, 389, 1457, 4865]


@pytest.mark.parametrize("optional", [[False] * 3, [True, False, True], [True] * 4])
def test_the_list_is_as_long_as_its_size_says_and_in_order(optional):
    indices = sparse_indices(3, optional)
    assert len(indices) == sparse_size(3, optional)
    assert (places_in(indices, indices, degrees_at(3) + 1) == np.arange(len(indices))).all()
    assert (places_in(indices, indices + 20, 40) == -1).all()


@pytest.mark.parametrize("decay", [-1.0, 0.0, 1.5])
def test_two_rows_never_point_away_from_each_other(decay):
    indices = sparse_indices(3, [False] * 5)
    points = np.cos(np.pi * np.random.default_rng(5).random((300, 5)))
    rows = polynomials(np.concatenate([points, -points]), indices)
    weights = fejer_weights(indices, 3, decay)
    assert weights.min() > 0
    assert ((rows * weights) @ rows.T).min() > -1e-9 * weights.sum()
    # Power: with equal weights they do.
    assert (rows @ rows.T).min() < -0.02 * len(indices)


def test_functions_of_few_columns_lose_nothing():
    basis = SparseBasis(degrees_at(4), 6, None, 4)
    x = basis.points
    function = x[:, 0] * x[:, 3] + x[:, 5] ** 7 - 2 * x[:, 1] ** 2 * x[:, 2]
    coefficients = basis.fit(function)
    assert np.abs(basis.error(function, coefficients)).max() < 1e-9


def test_what_is_lost_is_seen():
    """The largest error at 20,000 other points is not far above the largest at its own."""
    basis = SparseBasis(degrees_at(4), 6, None, 4)
    slopes = np.array([1.0, -0.7, 0.5, -0.3, 0.8, 0.2])
    coefficients = basis.fit(1 / (1 + np.exp(-basis.points @ slopes)))
    seen = basis.sampled(basis.error(1 / (1 + np.exp(-basis.points @ slopes)), coefficients))
    others = np.cos(np.pi * np.random.default_rng(3).random((20_000, 6)))
    there = polynomials(others, basis.indices) @ coefficients
    assert 1e-5 < np.abs(1 / (1 + np.exp(-others @ slopes)) - there).max() <= 1.2 * seen


def test_the_operator_of_many_columns_is_that_of_each():
    """Where a function has so few degrees that the grid sees all of it, damping is the only difference."""
    basis = SparseBasis(5, 5, 2, None)
    x = basis.points
    (place,) = places_in(basis.indices, np.array([[1, 0, 2, 0, 0]]), 6)
    coefficients = basis.fit(x[:, 0] * (2 * x[:, 2] ** 2 - 1))
    damped = jackson(5, 2)
    assert coefficients[place] == pytest.approx(damped[1] * damped[2] * damped[0] ** 3)
    assert np.abs(np.delete(coefficients, place)).max() < 1e-9


def test_missing_values_take_the_place_of_the_constant():
    basis = SparseBasis(degrees_at(2), 3, None, 2)
    axes = [Axis(name, 0, 1, optional=name != "b") for name in "abc"]
    lifted = basis.lift(basis.one(3), axes)
    indices = sparse_indices(2, [True, False, True])
    size = degrees_at(2)
    expected = {(0, 0, 0): 1, (size, 0, 0): -1, (0, 0, size): -1, (size, 0, size): 1}
    assert {tuple(i): v for i, v in zip(indices, lifted, strict=True) if v} == expected


def test_two_columns_of_a_sparse_release_lose_what_it_does_not_have():
    basis = chebyshev_basis(degrees_at(3), 2, None, 3)
    x = np.polynomial.chebyshev.chebvander(basis.points, 8)
    kept, lost = np.outer(x[:, 2], x[:, 4]), np.outer(x[:, 3], x[:, 3])
    assert basis.fit(kept)[2, 4] == pytest.approx(1)
    assert np.abs(basis.fit(lost)).max() < 1e-12
