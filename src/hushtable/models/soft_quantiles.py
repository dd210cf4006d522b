"""Soft quantiles: the released distribution function of one column, softened, read from the side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..maths.smooth.functions import ndtr
from ..questions.answer import QuantileAnswer, interval_factor
from ..questions.smooth import SmoothQuestion
from ..words import readable
from .margins import Margin, Released

__all__ = ["rising", "soft_quantile"]

Floats = NDArray[np.float64]
# Values of the column at which the distribution function is computed.
PLACES = 513


def soft_quantile(question: SmoothQuestion, one: Released, kept: Floats) -> QuantileAnswer:
    """Where the softened distribution function reaches a level, with every place where it may.

    A quantile of the column plus normal noise, not of the column. The function is the mean of
    ndtr((q - column) / softness). Its error at each q is that of any smooth question, and a place is in the interval if
    the level is within that error of the function there.
    """
    asked = question.quantile
    assert asked is not None
    assert asked.softness is not None
    margin = one.margin([asked.column])
    (axis,) = margin.axes
    at = axis.original(np.linspace(-1, 1, PLACES))
    low, high, softness = axis.low, axis.high, asked.softness
    # Beyond the bounds there are no values, but the softened function has its tails there.
    places = np.concatenate([[low - 4 * softness], at, [high + 4 * softness]])
    level, stderr, kurtosis, bias = _distribution(one, margin, kept, places, softness)
    values = rising(level)

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
    return QuantileAnswer(
        question=question.text, unit="mean", value=value, stderr=(right - left) / (2 * 1.96), ends=ends,
        estimator=one.basis, bias_kind="sampled", notes=(note,),
    )  # fmt: skip


def _distribution(
    one: Released, margin: Margin, kept: Floats, places: Floats, softness: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """The softened distribution function at some places: value, standard error, kurtosis, bias bound."""
    (axis,) = margin.axes
    values = ndtr((places[:, None] - axis.original(margin.basis.points)) / softness)
    coefficients = values @ margin.basis.project.T
    errors = 1.05 * np.abs(values - coefficients @ margin.basis.values.T).max(axis=1)
    count = margin.mean(np.zeros(one.size), kept)
    if not count.sure:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no quantile")
    rows = count.bottom.value
    value = margin.sums(coefficients, kept)[0] / rows
    # The noise of a ratio, to first order.
    _, variance, kurtosis = margin.sums(coefficients - value[:, None] * margin.basis.constant, kept)
    return value, np.sqrt(variance) / rows, kurtosis, errors + one.roundings(coefficients)


def rising(values: Floats) -> Floats:
    """The middle between the least and the largest rising function that the noisy one crosses."""
    upper = np.maximum.accumulate(values)
    lower = np.minimum.accumulate(values[::-1])[::-1]
    middle = (upper + lower) / 2
    return middle + np.arange(len(values)) * 1e-15
