"""Usual places: where a quantile of a column lies, if the column is as real ones are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...maths.smooth.axes import Axis
from ...maths.smooth.clumps import Clumps, clumps_of
from ...maths.smooth.lattices import lattice_fits
from ...maths.smooth.row_spread import MOST_FUNCTIONS, Spread, spread_rows
from ...maths.smooth.splines import SplineBasis
from .released_sums import SmoothSums

__all__ = ["PILED", "SCALES", "UsualPlaces", "usual_places"]

Floats = NDArray[np.float64]
# By how much what clumps leave open is scaled: for columns without piles, and for those whose largest clumps are more
# than this share of the rows. The least with which 95% intervals hold 94% and more of each table (docs/smooth.md).
PILED = 0.03
SCALES = {"spline": (0.3, 0.75), "chebyshev": (0.3, 1.35)}
# Where noise moves the share of rows below a place by more than this, what it hides is not usual: intervals of columns
# together with categories, of 200 and 2,000 rows, held 76% to 93% there, and 95% to 100% below it.
MOST_NOISE = 0.05
# Steps that numbers have without a word of it: 1, 0.1, 0.01, ... Lattices of more places a function than this are finer
# than what the sums tell, and are not looked for.
LARGEST_STEP, MOST_PLACES = 1.0, 4
KEPT = 8


@dataclass(frozen=True, eq=False)
class UsualPlaces:
    """The most even spread of rows that fits the released sums, and how far rows in clumps may be from it."""

    axis: Axis
    spread: Spread
    clumps: Clumps
    steps: tuple[float, ...] = ()
    """Steps that were not declared and that the values may have, for all that the sums tell."""

    def value(self, level: float) -> float:
        """Where the spread reaches a level, in the column's own units."""
        place = np.asarray(np.interp(level * self.spread.rows, self.spread.below, self.spread.edges))
        return self.axis.stepped(float(self.axis.original(place)))

    def interval(self, level: float, confidence: float, surely: tuple[float, float]) -> tuple[float, float]:
        """Where a quantile may be, in the column's own units, and never beyond what is sure.

        The spread knows nothing of steps. Rows of one value lie half a step to either side in it, so that if it reaches
        the level between two places, values with a step do so between the two of them that are nearest.
        """
        low, high = (float(end) for end in self.axis.original(np.array(self.ends(level, confidence))))
        if self.axis.step is not None:
            low, high = max(low, surely[0]), min(high, surely[1])
            return self.axis.stepped(low, lambda x: math.ceil(x - 0.5)), self.axis.stepped(
                high, lambda x: math.floor(x + 0.5)
            )
        lows, highs = ([end, *(step * round(end / step) for step in self.steps)] for end in (low, high))
        return max(min(lows), surely[0]), min(max(highs), surely[1])

    def ends(self, level: float, confidence: float) -> tuple[float, float]:
        """The outermost places at which the share of rows may be the level, on the scale of [-1, 1]."""
        edges, last = self.spread.edges, len(self.spread.edges) - 1
        off = self.spread.below - level * self.spread.rows
        may_be = np.flatnonzero(self.clumps.beyond(off, level) > 1 - confidence)
        reached = min(int(np.searchsorted(off, 0.0)), last)
        first, final = min([reached, *may_be[:1]]), max([reached, *may_be[-1:]])
        # Between two edges nothing is said, so that the interval goes on to the next.
        return float(edges[max(first - 1, 0)]), float(edges[min(final + 1, last)])


def usual_places(margin: SmoothSums, kept: Floats, scale: float | None = None) -> UsualPlaces | None:
    """Of the rows of the kept cells; None where the release is too fine or too noisy, or has numbers no rows have."""
    if margin.basis.size > MOST_FUNCTIONS:
        return None
    scales = SCALES[_kind(margin)] if scale is None else (scale, scale)
    return _found(margin, kept.astype(np.float64).tobytes(), scales)


def _kind(margin: SmoothSums) -> str:
    return "spline" if isinstance(margin.basis, SplineBasis) else "chebyshev"


@lru_cache(maxsize=KEPT)
def _found(margin: SmoothSums, kept: bytes, scales: tuple[float, float]) -> UsualPlaces | None:
    """Kept, because one column is asked about at several levels."""
    sums, covariance = margin.joint(np.frombuffer(kept))
    spread = spread_rows(margin.basis, sums, covariance)
    clumps = None if spread is None else clumps_of(margin.basis, sums, covariance, spread)
    if spread is None or clumps is None or clumps.noise.at(0.5)[-1].max() > (MOST_NOISE * spread.rows) ** 2:
        return None
    (axis,) = margin.axes
    clumps = clumps.scaled(scales[clumps.largest > PILED * spread.rows])
    return UsualPlaces(axis, spread, clumps, tuple(_steps(margin, axis, sums, covariance, spread)))


def _steps(margin: SmoothSums, axis: Axis, sums: Floats, covariance: Floats, spread: Spread) -> Iterator[float]:
    """Powers of ten of which the values may be multiples: those that the sums do not refuse, and a finer one."""
    if axis.step is not None:
        return
    power = math.floor(math.log10(min(LARGEST_STEP, axis.high - axis.low)))
    while (axis.high - axis.low) / 10.0**power <= MOST_PLACES * margin.basis.size:
        step = 10.0**power
        inner = step * np.arange(math.ceil(axis.low / step), math.floor(axis.high / step) + 1)
        # Values beyond the bounds count at the bounds.
        places = np.unique(axis.scaled(np.concatenate([[axis.low], inner, [axis.high]])))
        if lattice_fits(margin.basis, sums, covariance, spread, places):
            yield step
        power -= 1
    yield 10.0**power
