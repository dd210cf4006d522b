"""Slopes: how values lie inside cells, drawn from a density that leans as its neighbours do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...domain.attributes import Binned
from .habits import Habits, end_of

__all__ = ["log_slopes", "value_drawer"]

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]
# The log density of a cell without rows, relative to the densest; and the largest lean inside one cell.
EMPTY, STEEPEST = -30.0, 30.0
# From here on whole numbers are no longer floats.
EXACT = 2.0**53


def log_slopes(starts: Floats, widths: Floats, shares: Floats) -> Floats:
    """The slope of the log density in every cell: the smaller of those to both neighbours, 0 where they differ in sign.

    The outermost cells with rows only decay outwards.
    """
    density = np.maximum(shares, 0.0) / widths
    top = max(float(density.max()), 1e-300)
    log = np.log(np.maximum(density / top, np.exp(EMPTY)))
    middle = starts + widths / 2
    between = np.diff(log) / np.diff(middle)
    before, after = np.concatenate([[0.0], between]), np.concatenate([between, [0.0]])
    same = np.sign(before) == np.sign(after)
    slopes = np.where(same, np.where(np.abs(before) < np.abs(after), before, after), 0.0)
    held = np.flatnonzero(shares > 0)
    if len(held):
        first, last = held[0], held[-1]
        slopes[first], slopes[last] = max(after[first], 0.0), min(before[last], 0.0)
        if first == last:
            slopes[first] = 0.0
    return np.asarray(np.clip(slopes, -STEEPEST / widths, STEEPEST / widths))


def value_drawer(
    attribute: Binned, shares: Floats, habits: Habits | None
) -> Callable[[Codes, np.random.Generator], Floats]:
    """What draws a value for every code of a cell, as a number of steps from 0: on the grid of steps, as people round.

    Where the range is no whole number of steps from 0, steps are counted from its lower end.
    """
    offset = attribute.low if attribute.low % attribute.unit else attribute.low * 0
    edges = [*attribute.edges[:-1], end_of(attribute)]
    at = np.array([float(-(-(edge - offset) // attribute.unit)) for edge in edges])
    starts, widths = at[:-1], np.maximum(np.diff(at), 1.0)
    slopes = log_slopes(starts, widths, shares)
    classes = (1,) if habits is None else habits.classes
    chances = np.ones((len(starts), 1)) if habits is None else habits.in_cells(attribute, shares)
    ends, multiples = chances.cumsum(axis=1), np.array(classes, dtype=np.float64)

    def draw(codes: Codes, random: np.random.Generator) -> Floats:
        start, width = starts[codes], widths[codes]
        steps = start + np.minimum(np.floor(width * _leaning(slopes[codes] * width, random)), width - 1)
        if len(classes) == 1:
            return np.asarray(steps)
        chosen = (random.random(len(codes))[:, None] >= ends[codes, :-1]).sum(axis=1)
        return _rounded(steps, start, width, multiples, chosen)

    return draw


def _leaning(lean: Floats, random: np.random.Generator) -> Floats:
    """From 0 to 1 with a density of exp(lean x)."""
    even = random.random(len(lean))
    flat = np.abs(lean) < 1e-6
    safe = np.where(flat, 1.0, lean)
    return np.where(flat, even, np.clip(np.log1p(even * np.expm1(safe)) / safe, 0.0, 1.0))


def _rounded(steps: Floats, start: Floats, width: Floats, multiples: Floats, chosen: NDArray[np.int64]) -> Floats:
    """The value of the chosen class nearest below, or above, inside the cell; rounder ones are stepped aside from."""
    own = multiples[chosen]
    above = np.append(multiples, np.inf)[chosen + 1]
    value = np.floor(steps / own) * own
    value = np.where(value < start, value + own, value)
    coarser = np.isfinite(above) & (np.mod(value, np.where(np.isfinite(above), above, 1.0)) == 0)
    aside = np.where(value + own < start + width, value + own, value - own)
    value = np.where(coarser & (aside >= start), aside, value)
    return np.where((value >= start) & (value < start + width), value, steps)
