"""Quantiles: the value of a smooth column below which a share of the rows lies, with an interval that holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion, readable
from ..questions.answer import reach
from ..questions.smooth import SmoothQuestion
from ..questions.smooth_answers import QuantileAnswer
from ..smooth.steps import places_of, steps
from .margins import Margin, Released
from .soft_quantiles import rising, soft_quantile

__all__ = ["quantile"]

Floats = NDArray[np.float64]
# The confidence that steps are chosen for, and the share of rows a unit of the scale of [-1, 1] if they are even.
USUAL, DENSITY = 0.95, 0.5


def quantile(question: SmoothQuestion, one: Released, kept: Floats) -> QuantileAnswer:
    """The quantile of the rows: the least value that at least a share `level` of the rows do not exceed.

    The share of rows up to a place lies between the means of two functions that the release has, one below and one
    above the step there. Each has its noise; the bias between them is not estimated but spanned. A place is too low if
    even the upper mean is surely below the level, too high if even the lower one is not. Both are said at one place,
    the true quantile: the first that is not too low and the last that is not too high are an interval, whatever the
    other places say.
    """
    asked = question.quantile
    assert asked is not None
    if asked.softness is not None:
        return soft_quantile(question, one, kept)
    margin = one.margin([asked.column])
    (axis,) = margin.axes
    count = margin.mean(np.zeros(one.size), kept)
    if not count.sure:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no quantile")
    band = _band(one, margin, kept, asked.level, count.bottom.value)
    places = axis.original(places_of(margin.basis))
    value = float(np.interp(0.0, rising(band.middle), places))

    def ends(confidence: float) -> tuple[float, float]:
        low, high = band.ends(reach(confidence, band.kurtosis))
        return min(float(places[low]), value), max(float(places[high]), value)

    (left, right), bracket = ends(USUAL), [float(places[i]) for i in band.ends(0.0)]
    unresolved = min(bracket[1] - bracket[0], right - left)
    return QuantileAnswer(
        question=question.text, unit="mean", value=value, bias=unresolved / 2,
        stderr=(right - left - unresolved) / (2 * reach(USUAL)), ends=ends, estimator=one.basis,
        notes=_resolution(axis.name, unresolved, right - left),
    )  # fmt: skip


@dataclass(frozen=True)
class _Band:
    """At each place the sums over rows of (step below, or above) - level: noisy numbers around 0 at the quantile."""

    sums: Floats
    """Two lines: below, above."""
    stderr: Floats
    kurtosis: Floats

    @property
    def middle(self) -> Floats:
        """The best guess."""
        return np.asarray(self.sums.mean(axis=0))

    def ends(self, reached: Floats | float) -> tuple[int, int]:
        """The places next to the first that is not surely too low and to the last that is not surely too high."""
        reached = np.broadcast_to(reached, self.sums.shape)
        last = self.sums.shape[1] - 1
        too_high = self.sums[0] - reached[0] * self.stderr[0] >= 0
        too_low = self.sums[1] + reached[1] * self.stderr[1] < 0
        first = last if too_low.all() else int(np.argmin(too_low))
        final = 0 if too_high.all() else last - int(np.argmin(too_high[::-1]))
        # Between two places nothing is said, so that the interval goes on to the next.
        return max(first - 1, 0), min(final + 1, last)


def _band(one: Released, margin: Margin, kept: Floats, level: float, rows: float) -> _Band:
    """The steps that are best at each place: as sharp as the noise allows, if rows were spread evenly."""
    best: _Band | None = None
    cost = np.empty(0)
    for below, above, gap in steps(margin.basis):
        sums, stderr, kurtosis = (np.empty((2, len(gap))) for _ in range(3))
        for i, coefficients in enumerate((below, above)):
            sums[i], variance, kurtosis[i] = margin.sums(coefficients - level * margin.basis.constant, kept)
            stderr[i] = np.sqrt(variance)
            # What rounding may add to a row moves the whole band.
            sums[i] += (2 * i - 1) * rows * one.roundings(coefficients)
        price = rows * gap * DENSITY + stderr.mean(axis=0) * reach(USUAL)
        if best is None:
            best, cost = _Band(sums, stderr, kurtosis), price
            continue
        better = price < cost
        cost = np.minimum(price, cost)
        best = _Band(*(np.where(better, new, old) for new, old in (
            (sums, best.sums), (stderr, best.stderr), (kurtosis, best.kurtosis)
        )))  # fmt: skip
    assert best is not None
    return best


def _resolution(name: str, unresolved: float, width: float) -> tuple[str, ...]:
    """A remark where the interval would hardly be narrower without noise."""
    if unresolved < width / 2:
        return ()
    shown = readable(float(f"{unresolved:.2g}"))
    note = (
        f"the interval allows for any rows that the release cannot tell apart, which for {name} is {shown} of its "
        "width; a smaller length_scale, or log(...) for a long tail, makes it narrower"
    )
    return (note,)
