"""Steps: for every basis and place one function above the step and one below it, as near as they say."""

import numpy as np
import pytest

from hushtable.maths.smooth.chebyshev import chebyshev_basis
from hushtable.maths.smooth.splines import spline_basis
from hushtable.maths.smooth.steps import degrees, places_of, steps

BASES = [spline_basis(size) for size in (4, 5, 6, 9, 28, 60)] + [chebyshev_basis(size, 1) for size in (2, 3, 8, 40)]


def points(places):
    """Even, at every place and just beside it, where a step is missed if it is."""
    x = np.concatenate([np.linspace(-1, 1, 3001), places, np.nextafter(places, -9), np.nextafter(places, 9)])
    return x[np.abs(x) <= 1]


@pytest.mark.parametrize("basis", BASES, ids=lambda b: f"{type(b).__name__}-{b.size}")
def test_every_step_is_bracketed_everywhere(basis):
    places = places_of(basis)
    assert (places[0], places[-1]) == (-1, 1)
    assert (np.diff(places) > 0).all()
    x = points(places)
    functions, step = basis.at(x), x[:, None] <= places
    for degree in degrees(basis):
        below, above, _, _ = steps(basis, degree)
        assert (functions @ above.T - step).min() >= -1e-9
        assert (step - functions @ below.T).min() >= -1e-9


@pytest.mark.parametrize("basis", [b for b in BASES if b.size > 8], ids=lambda b: f"{type(b).__name__}-{b.size}")
def test_gaps_are_the_integrals_and_about_what_the_basis_resolves(basis):
    places, x = places_of(basis), np.linspace(-1, 1, 20_001)
    inner = np.abs(places) < 0.5
    for degree in degrees(basis):
        below, above, gap, _ = steps(basis, degree)
        step = x[:, None] <= places[inner]
        true = 2 * (basis.at(x) @ above[inner].T - step).mean(axis=0)
        if gap[inner].max() < 0.25:  # wider ones are cut off by the bounds
            other = 2 * (step - basis.at(x) @ below[inner].T).mean(axis=0)
            # One number stands for both sides.
            np.testing.assert_allclose(np.maximum(true, other), gap[inner], rtol=0.05)
    finest = 2 / (basis.size - 3) if hasattr(basis, "spans") else np.pi / basis.size
    assert gap[inner].max() <= 1.01 * finest
