"""Lattices: sums of rows on a few places fit these, and sums of other rows do not where noise does not hide it."""

import numpy as np
import pytest

from hushtable.maths.smooth.lattices import lattice_fits
from hushtable.maths.smooth.row_spread import spread_rows
from hushtable.maths.smooth.splines import spline_basis

TENTHS = np.linspace(-1, 1, 11)


def fits(rows, noise):
    """Whether a lattice of eleven places fits the sums of these rows with so much noise."""
    basis = spline_basis(24)
    covariance = noise**2 * np.eye(basis.size)
    sums = basis.at(rows).sum(axis=0) + np.random.default_rng(3).normal(0, noise, basis.size)
    return lattice_fits(basis, sums, covariance, spread_rows(basis, sums, covariance), TENTHS)


@pytest.mark.parametrize("noise", [5.0, 50.0, 1000.0])
def test_rows_on_the_lattice_are_never_refused(noise):
    """Each of three is, once in a thousand times; the seeds are fixed."""
    rows = np.round(np.random.default_rng(1).beta(2, 4, 20_000) * 10) / 5 - 1
    assert fits(rows, noise)


def test_smooth_rows_are_refused_unless_noise_hides_it():
    rows = 2 * np.random.default_rng(1).beta(2, 4, 20_000) - 1
    assert not fits(rows, 5.0)
    assert fits(rows, 2000.0)
