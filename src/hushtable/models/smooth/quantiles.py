"""Quantiles: the value of a smooth column below which a share of the rows lies, with an interval that holds it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...maths.smooth.axes import Axis
from ...maths.smooth.functions import ndtr
from ...maths.smooth.steps import Steps, degrees, places_of, steps
from ...questions.answer import QuantileAnswer, interval_factor
from ...questions.smooth import SmoothQuestion
from ...words import readable
from ..build_answer import Estimates, Wording, build_quantile
from .released_sums import Released, SmoothSums
from .usual_places import UsualPlaces, usual_places

__all__ = ["quantile"]

Floats = NDArray[np.float64]
Ends = Callable[[float], tuple[float, float]]
# The confidence that steps are chosen for, and the share of rows a unit of the scale of [-1, 1] if they are even.
USUAL, DENSITY = 0.95, 0.5
# How many widths of a step away a place is asked too, besides itself.
AWAY = (0, 2, 6)
# Every so-manieth place is enough to choose by.
SOME = 16
# Values of the column at which a softened distribution function is computed.
PLACES = 513


def quantile(question: SmoothQuestion, released: Released, kept: Floats) -> QuantileAnswer:
    """The quantile of the rows: the least value that at least a share `level` of the rows do not exceed.

    Its interval is for usual columns; `certified` is for any rows, as follows. The share of rows up to a place lies
    between the means of two functions that the release has, one below and one above the step there. Each has its noise;
    the bias between them is not estimated but spanned. A place is too low if even the upper mean is surely below the
    level, too high if even the lower one is not. Places are looked at from the left until one is not too low, so that
    the interval begins too late only if the true quantile itself is wrongly found too low, whatever is said of other
    places; and likewise from the right.
    """
    asked = question.quantile
    assert asked is not None
    if asked.softness is not None:
        return _soft_quantile(question, released, kept)
    margin = released.margin([asked.column])
    (axis,) = margin.axes
    count = margin.mean(np.zeros(released.size), kept)
    if not count.sure:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no quantile")
    band = _band(released, margin, kept, asked.level, count.bottom.value)
    places = axis.original(places_of(margin.basis))
    middle = float(np.interp(0.0, _rising(band.middle), places))

    def surely(confidence: float) -> tuple[float, float]:
        low, high = band.ends(interval_factor(1 - (1 - confidence) / len(AWAY), band.kurtosis))
        return min(float(places[low]), middle), max(float(places[high]), middle)

    usual = usual_places(margin, kept)
    wording = Wording(question=question.text, unit="mean", law=released.law, estimator=released.basis)
    if usual is None:
        bracket = [float(places[i]) for i in band.ends(0.0)]
        return _bracketed(wording, axis, middle, surely, bracket[1] - bracket[0])
    return _calibrated(wording, released, axis, usual, asked.level, surely)


def _bracketed(wording: Wording, axis: Axis, value: float, surely: Ends, bracket: float) -> QuantileAnswer:
    """The interval that holds for any rows; `bias` is the part of it that is there without noise."""
    left, right = surely(USUAL)
    unresolved = min(bracket, right - left)
    stderr = (right - left - unresolved) / (2 * interval_factor(USUAL))
    wording = replace(wording, notes=_resolution(axis.name, unresolved, right - left))
    estimates = Estimates(value=value, stderr=stderr, bias=unresolved / 2)
    return build_quantile(wording, estimates, surely, certified=(left, right))


def _calibrated(
    wording: Wording, released: Released, axis: Axis, usual: UsualPlaces, level: float, surely: Ends
) -> QuantileAnswer:
    """The interval of usual columns, never beyond the one that holds for any rows."""
    certified = surely(USUAL)
    value = axis.stepped(float(np.clip(usual.value(level), *certified)))

    def ends(confidence: float) -> tuple[float, float]:
        low, high = usual.interval(level, confidence, surely(confidence))
        return min(low, value), max(high, value)

    left, right = ends(USUAL)
    step = None if axis.step is not None else released.resolution(axis, value) / 2
    wording = replace(wording, notes=(_whatever(certified, right - left, step),))
    estimates = Estimates(value=value, stderr=(right - left) / (2 * interval_factor(USUAL)))
    return build_quantile(wording, estimates, ends, bias_kind="calibrated", certified=certified)


def _whatever(certified: tuple[float, float], width: float, step: float | None) -> str:
    """What the interval takes for granted, and the one that does not; `step` where values may be rounded unseen."""
    low, high = (readable(float(f"{end:.{_digits(end, width)}g}")) for end in certified)
    rounded = "" if step is None else f", also if rounded to steps of {readable(float(f'{step:.2g}'))}"
    return (
        f"the interval is for columns as they usually are; whatever the rows{rounded}: between {low} and {high} (95%)"
    )


def _digits(number: float, width: float) -> int:
    """Digits that tell a number from another that is a tenth of the width away."""
    return max(2, math.ceil(math.log10(max(abs(number), 1e-300) / max(width, 1e-300))) + 2) if width else 6


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


def _band(released: Released, margin: SmoothSums, kept: Floats, level: float, rows: float) -> _Band:
    """The steps that are as sharp as the noise allows: on average over the places, if rows were spread evenly."""

    def price(degree: int) -> float:
        some = steps(margin.basis, degree, SOME)
        noise = _measured(released, margin, kept, level, rows, some).stderr
        return float((rows * some.gap * DENSITY + noise.mean(axis=0) * interval_factor(USUAL)).mean())

    kinds = degrees(margin.basis)
    best = min(kinds, key=price) if len(kinds) > 1 else kinds[0]
    return _measured(released, margin, kept, level, rows, steps(margin.basis, best))


def _measured(released: Released, margin: SmoothSums, kept: Floats, level: float, rows: float, given: Steps) -> _Band:
    """The sums of steps minus the level, moved apart by what rounding may have done to the rows."""
    lines = []
    for sign, coefficients in ((-1, given.below), (1, given.above)):
        sums, variance, kurtosis = margin.sums(coefficients - level * margin.basis.constant, kept)
        lines.append((sums + sign * rows * released.roundings(coefficients), np.sqrt(variance), kurtosis))
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


def _soft_quantile(question: SmoothQuestion, released: Released, kept: Floats) -> QuantileAnswer:
    """Where the softened distribution function reaches a level, with every place where it may.

    A quantile of the column plus normal noise, not of the column. The function is the mean of
    ndtr((q - column) / softness). Its error at each q is that of any smooth question, and a place is in the interval if
    the level is within that error of the function there.
    """
    asked = question.quantile
    assert asked is not None
    assert asked.softness is not None
    margin = released.margin([asked.column])
    (axis,) = margin.axes
    at = axis.original(np.linspace(-1, 1, PLACES))
    low, high, softness = axis.low, axis.high, asked.softness
    # Beyond the bounds there are no values, but the softened function has its tails there.
    places = np.concatenate([[low - 4 * softness], at, [high + 4 * softness]])
    level, stderr, kurtosis, bias = _distribution(released, margin, kept, places, softness)
    values = _rising(level)

    def ends(confidence: float) -> tuple[float, float]:
        half = bias + interval_factor(confidence, kurtosis) * stderr
        inside = np.flatnonzero(np.abs(level - asked.level) <= half)
        below, above = np.flatnonzero(level + half < asked.level), np.flatnonzero(level - half > asked.level)
        first = min([*inside[:1], *(above[:1])], default=0)
        last = max([*inside[-1:], *(below[-1:])], default=len(places) - 1)
        step = (max(first - 1, 0), min(last + 1, len(places) - 1))
        return float(np.clip(places[step[0]], low, high)), float(np.clip(places[step[1]], low, high))

    value = float(np.clip(np.interp(asked.level, values, places), low, high))
    note = (
        f"quantile of {axis.name} softened by {readable(float(f'{softness:.3g}'))}, which is not that of the rows; "
        "leave softness out for that"
    )
    left, right = ends(0.95)
    wording = Wording(question=question.text, unit="mean", law=released.law, estimator=released.basis, notes=(note,))
    return build_quantile(
        wording, Estimates(value=value, stderr=(right - left) / (2 * 1.96)), ends, bias_kind="sampled"
    )


def _distribution(
    released: Released, margin: SmoothSums, kept: Floats, places: Floats, softness: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """The softened distribution function at some places: value, standard error, kurtosis, bias bound."""
    (axis,) = margin.axes
    values = ndtr((places[:, None] - axis.original(margin.basis.points)) / softness)
    coefficients = values @ margin.basis.project.T
    errors = 1.05 * np.abs(values - coefficients @ margin.basis.values.T).max(axis=1)
    count = margin.mean(np.zeros(released.size), kept)
    if not count.sure:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no quantile")
    rows = count.bottom.value
    value = margin.sums(coefficients, kept)[0] / rows
    # The noise of a ratio, to first order.
    _, variance, kurtosis = margin.sums(coefficients - value[:, None] * margin.basis.constant, kept)
    return value, np.sqrt(variance) / rows, kurtosis, errors + released.roundings(coefficients)


def _rising(values: Floats) -> Floats:
    """The middle between the least and the largest rising function that the noisy one crosses."""
    upper = np.maximum.accumulate(values)
    lower = np.minimum.accumulate(values[::-1])[::-1]
    middle = (upper + lower) / 2
    return middle + np.arange(len(values)) * 1e-15
