"""Lattices: whether noisy sums over rows are those of rows that lie on a few known places alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .row_spread import EVENNESS, Spread, fitted_masses

__all__ = ["lattice_fits"]

Floats = NDArray[np.float64]
# Directions in which the noise is this part of the largest or less have none; they tell how many rows there are.
NOISELESS = 1e-9
LEAST_MASS = 1e-9
# Rows on the lattice are said not to be there once in a thousand times.
FALSE_ALARM = 1e-3


def lattice_fits(basis: Basis, sums: Floats, covariance: Floats, spread: Spread, places: Floats) -> bool:
    """Whether rows on these places (ascending, on the scale of [-1, 1]) can have the sums, given their noise.

    The masses start where the spread has them, each cell at the nearest place, and are fitted as the spread is. They
    are refused if what is left of the sums is larger than noise is once in a thousand times.
    """
    from scipy.stats import chi2

    start = np.maximum(np.bincount(_nearest(spread, places), spread.masses, len(places)), LEAST_MASS * spread.rows)
    values = basis.at(places)
    masses = fitted_masses(values, start, sums, EVENNESS * covariance)
    if masses is None:
        return True
    variances, ways = np.linalg.eigh(covariance)
    noisy = variances > NOISELESS * variances.max()
    left = (ways.T @ (sums - masses @ values))[noisy]
    return bool((left**2 / variances[noisy]).sum() <= chi2.isf(FALSE_ALARM, int(noisy.sum())))


def _nearest(spread: Spread, places: Floats) -> NDArray[np.intp]:
    """For each cell of the spread the nearest place; the first and the last cell are the bounds."""
    middles = np.concatenate([[-1.0], (spread.edges[1:] + spread.edges[:-1]) / 2, [1.0]])
    return np.searchsorted((places[1:] + places[:-1]) / 2, middles)
