"""Quantiles: the value of a smooth column below which a share of the rows lies, with an interval that holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..maths.smooth.steps import Steps, degrees, places_of, steps
from ..questions.answer import QuantileAnswer, interval_factor
from ..questions.smooth import SmoothQuestion
from ..words import readable
from .margins import Margin, Released
from .soft_quantiles import rising, soft_quantile

__all__ = ["quantile"]

Floats = NDArray[np.float64]
# The confidence that steps are chosen for, and the share of rows a unit of the scale of [-1, 1] if they are even.
USUAL, DENSITY = 0.95, 0.5
# How many widths of a step away a place is asked too, besides itself.
AWAY = (0, 2, 6)
# Every so-manieth place is enough to choose by.
SOME = 16


def quantile(question: SmoothQuestion, one: Released, kept: Floats) -> QuantileAnswer:
    """The quantile of the rows: the least value that at least a share `level` of the rows do not exceed.

    The share of rows up to a place lies between the means of two functions that the release has, one below and one
    above the step there. Each has its noise; the bias between them is not estimated but spanned. A place is too low if
    even the upper mean is surely below the level, too high if even the lower one is not. Places are looked at from
    the left until one is not too low, so that the interval begins too late only if the true quantile itself is wrongly
    found too low, whatever is said of other places; and likewise from the right.
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
        low, high = band.ends(interval_factor(1 - (1 - confidence) / len(AWAY), band.kurtosis))
        return min(float(places[low]), value), max(float(places[high]), value)

    (left, right), bracket = ends(USUAL), [float(places[i]) for i in band.ends(0.0)]
    unresolved = min(bracket[1] - bracket[0], right - left)
    return QuantileAnswer(
        question=question.text, unit="mean", value=value, bias=unresolved / 2,
        stderr=(right - left - unresolved) / (2 * interval_factor(USUAL)), ends=ends, estimator=one.basis,
        notes=_resolution(axis.name, unresolved, right - left),
    )  # fmt: skip


@dataclass(frozen=True)
class _Band:
    """At each place the sums over rows of (step below, or above) - level: noisy numbers around 0 at the quantile."""

    sums: Floats
    """Two lines: below, above."""
    stderr: Floats
    kurtosis: Floats
    width: int

    @property
    def middle(self) -> Floats:
        """The best guess."""
        return np.asarray(self.sums.mean(axis=0))

    def ends(self, reached: Floats | float) -> tuple[int, int]:
        """The places next to the first that is not surely too low and to the last that is not surely too high.

        Beside a step the function above it is above 1, which beside a pile of rows hides much. A place is too low if
        one farther to the right is, so that a few of these are asked too; what is said of each is said more surely.
        """
        last = self.sums.shape[1] - 1
        noise = reached * self.stderr
        alone = (self.sums[0] - noise[0] >= 0, self.sums[1] + noise[1] < 0)
        too_high, too_low = alone[0].copy(), alone[1].copy()
        for away in AWAY[1:]:
            count = min(away * self.width, last)
            too_low[: last + 1 - count] |= alone[1][count:]
            too_high[count:] |= alone[0][: last + 1 - count]
        first = last if too_low.all() else int(np.argmin(too_low))
        final = 0 if too_high.all() else last - int(np.argmin(too_high[::-1]))
        # Between two places nothing is said, so that the interval goes on to the next.
        return max(first - 1, 0), min(final + 1, last)


def _band(one: Released, margin: Margin, kept: Floats, level: float, rows: float) -> _Band:
    """The steps that are as sharp as the noise allows: on average over the places, if rows were spread evenly."""

    def price(degree: int) -> float:
        some = steps(margin.basis, degree, SOME)
        noise = _measured(one, margin, kept, level, rows, some).stderr
        return float((rows * some.gap * DENSITY + noise.mean(axis=0) * interval_factor(USUAL)).mean())

    kinds = degrees(margin.basis)
    best = min(kinds, key=price) if len(kinds) > 1 else kinds[0]
    return _measured(one, margin, kept, level, rows, steps(margin.basis, best))


def _measured(one: Released, margin: Margin, kept: Floats, level: float, rows: float, given: Steps) -> _Band:
    """The sums of steps minus the level, moved apart by what rounding may have done to the rows."""
    lines = []
    for sign, coefficients in ((-1, given.below), (1, given.above)):
        sums, variance, kurtosis = margin.sums(coefficients - level * margin.basis.constant, kept)
        lines.append((sums + sign * rows * one.roundings(coefficients), np.sqrt(variance), kurtosis))
    sums, stderr, kurtosis = (np.array(both) for both in zip(*lines, strict=True))
    return _Band(sums, stderr, kurtosis, given.width)


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
