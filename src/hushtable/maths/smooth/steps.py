"""Steps: functions of a basis that lie above or below the step 1[x <= place], and are as near to it as they can be."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .chebyshev import ChebyshevBasis
from .splines import DEGREE, SplineBasis

__all__ = ["Steps", "degrees", "places_of", "steps"]

Floats = NDArray[np.float64]
# Places between two knots, or a degree.
FINE = 8
MOST_PLACES = 1600
# How many degrees of polynomials are worth comparing.
DEGREES = 24
# Splines on both sides of a step that are not 0 or 1: more come no nearer.
FREE = 4
# Points a span on which a template is found, and on which it is checked.
FOUND, CHECKED = 48, 400
# Beyond what is seen on the denser points: a cubic there may lie lower by its curvature, below 10, x (1/400)^2 / 8.
UNSEEN = 1e-5


class Steps(NamedTuple):
    """For every place a row of coefficients; the mean of `below` is at most the share of rows <= place, and so on."""

    below: Floats
    above: Floats
    gap: Floats
    """How far, on the scale of [-1, 1], each is from the step: the integral of the difference."""
    width: int
    """Over about how many places a step is spread; a few widths away it is flat."""


def places_of(basis: Basis) -> Floats:
    """Where steps are known, from -1 to 1."""
    if isinstance(basis, SplineBasis):
        return np.linspace(-1, 1, basis.spans * FINE + 1)
    count = min(FINE * basis.size, MOST_PLACES)
    return -np.cos(np.arange(count + 1) * np.pi / count)


def degrees(basis: Basis) -> list[int]:
    """The kinds of steps there are, sharper and sharper; sharper ones are noisier. One for splines, of degree 3."""
    if isinstance(basis, SplineBasis):
        return [DEGREE]
    return [int(k) for k in np.unique(np.rint(np.geomspace(1, basis.size - 1, DEGREES)))]


@lru_cache(maxsize=64)
def steps(basis: Basis, degree: int, every: int = 1) -> Steps:
    """Steps of one kind at every so-manieth place; kept, because they take longer to make than to use."""
    if isinstance(basis, SplineBasis):
        below, above, gap, width = _splines(basis)
        return Steps(below[::every], above[::every], gap[::every], max(1, width // every))
    assert isinstance(basis, ChebyshevBasis)
    places = places_of(basis)
    return _polynomials(basis, degree, places[::every], max(1, len(places) // (degree + 1) // every))


def _polynomials(basis: ChebyshevBasis, degree: int, places: Floats, count: int) -> Steps:
    """Selberg's polynomials of an arc, from those of Vaaler for the sawtooth: none are nearer [Vaa85].

    With x = cos a the step is the arc from a0 to 2 pi - a0, so that they are polynomials in x. Their integrals over
    the circle differ from that of the arc by 2 pi / (degree + 1), half of it at each end.
    """
    angle = np.arccos(np.clip(places, -1, 1))[:, None]
    k = np.arange(1, degree + 1)
    u = k / (degree + 1)
    wave = 2 / (degree + 1) * ((u - 1) / np.tan(np.pi * u) - 1 / np.pi) * np.sin(k * angle)
    bump = 2 / (degree + 1) * (1 - u) * np.cos(k * angle)
    made = []
    for sign in (-1, 1):
        out = np.zeros((len(places), basis.size))
        out[:, :1] = 1 - angle / np.pi + sign / (degree + 1)
        out[:, 1 : degree + 1] = wave + sign * bump
        made.append(out)
    # Near the ends an angle is a smaller piece of x.
    width = np.pi / (degree + 1)
    return Steps(made[0], made[1], width * np.maximum(np.sin(angle[:, 0]), width / 2), count)


@lru_cache(maxsize=8)
def _splines(basis: SplineBasis) -> Steps:
    """The same template at every knot, for each fraction of a span; below is above, turned around."""
    count = basis.spans * FINE + 1
    # Splines on evenly spaced knots without ends, the number j from knot j on, reach the same functions.
    even, gap = np.zeros((count, basis.size)), np.empty(count)
    numbers = np.arange(-DEGREE, basis.spans)
    for i in range(count):
        template, gap[i] = _template(i % FINE)
        place = numbers - i // FINE + FREE + DEGREE
        even[i] = np.concatenate([[1.0], template, [0.0]])[np.clip(place + 1, 0, len(template) + 1)]
    along = (basis.points + 1) / basis.step
    above = even @ (basis.project @ _spline(along[:, None] - numbers)).T + UNSEEN
    # The basis is symmetric, so that turning x around reverses the coefficients.
    return Steps(1.0 - above[::-1, ::-1], above, np.maximum(gap, gap[::-1]) * basis.step, FINE)


@cache
def _template(fraction: int) -> tuple[Floats, float]:
    """Coefficients, from knot -FREE - DEGREE on, of the nearest spline above the step at fraction / FINE, and its gap.

    Knots are whole numbers; all splines before these have the coefficient 1, all behind them 0. The least integral
    under a condition at each point of a grid is a linear programme; what lies lower between its points is added.
    """
    from scipy.optimize import linprog

    at = fraction / FINE
    numbers = np.arange(-FREE - DEGREE, FREE + 1)
    ends = (numbers[0], numbers[-1] + DEGREE + 1)

    def lines(points: int) -> tuple[Floats, Floats]:
        """The free splines on a grid, and how much of the step the splines before them leave to them."""
        x = np.linspace(*ends, (ends[1] - ends[0]) * points + 1)
        before = _spline(x[:, None] - np.arange(ends[0] - DEGREE, ends[0])).sum(axis=1)
        return _spline(x[:, None] - numbers), np.asarray((x <= at) - before, dtype=np.float64)

    functions, needed = lines(FOUND)
    least = linprog(np.ones(len(numbers)), A_ub=-functions, b_ub=-needed, bounds=(None, None))
    coefficients: Floats = np.asarray(least.x, dtype=np.float64)
    functions, needed = lines(CHECKED)
    coefficients = coefficients + max(0.0, float((needed - functions @ coefficients).max()))
    # All splines have the integral 1, and those before are a step in the middle of the last of them.
    return coefficients, float(coefficients.sum() + numbers[0] + (DEGREE - 1) / 2 + 0.5 - at)


def _spline(x: Floats) -> Floats:
    """The cubic B-spline with knots 0, 1, 2, 3, 4."""
    inside = np.clip(x, 0, DEGREE + 1)
    return np.asarray(sum(c * np.maximum(inside - k, 0) ** 3 for k, c in enumerate((1, -4, 6, -4))) / 6)
