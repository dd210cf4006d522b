"""Answers of a whole table with replicates: the model's value and its calibrated bar; the worst case beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.error_ratios import KURTOSIS
from ...maths.weighted_rows.replicates import Replicates
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ..averages import mean_answer
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of
from ..limits import WithinRange, below_noise
from ..quotients import MIN_SIGMAS
from .measured import measured_averages, measured_estimates
from .model_shares import shares
from .replicated import ReplicateBars, errors_of
from .whole_table_answers import CONFIDENCE, bound_of
from .whole_table_means import by_group, possible_values

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["replicated_answer"]

Floats = NDArray[np.float64]


def replicated_answer(
    model: WholeTableModel, replicates: Replicates, question: Question, *, count: bool
) -> Answer | CrossTab:
    """The answer, as fractions or as numbers of rows, or the averages that were asked for."""
    bars = ReplicateBars(model, replicates, question)
    if question.kind == "mean":
        return _averages(bars)
    value = shares(model, question.where, question.groups)
    noise = bars.fractions(value)
    estimates = bars.counts(value, noise) if count else bars.shares(value, noise)
    wording = Wording(
        question=question.text, unit=unit_of(count=count), law=model.law, estimator="model",
        notes=(*bars.notes(), *below_noise(estimates)), groups=group_labels(model.domain, question.groups),
    )  # fmt: skip
    unbiased, released = None, measured_estimates(model, question, relative=not count)
    if released is not None:
        unbiased = build_answer(replace(wording, estimator="measured", notes=()), released)
    answer = build_answer(wording, estimates, unbiased=unbiased)
    return _certified(answer, bars, value)


def _certified(answer: Answer | CrossTab, bars: ReplicateBars, share: Floats) -> Answer | CrossTab:
    """With the intervals that hold for all questions about these columns at once, where they were compared."""
    bound = bound_of(bars.model, bars.question.positions)
    if bound is None:
        return answer
    limit, (scale, most) = bound.limit(CONFIDENCE), (bars.rows, np.inf) if answer.unit == "count" else (1.0, 1.0)
    low, high = scale * np.maximum(share - limit, 0.0), np.minimum(scale * (share + limit), most)
    if isinstance(answer, Answer):
        return replace(answer, certified=(float(low[0]), float(high[0])))
    return replace(answer, certified=(low, high))


def _averages(bars: ReplicateBars) -> Answer | CrossTab:
    """Means of an attribute over the rows that have a value; unknown for groups that may be empty."""
    model, question = bars.model, bars.question
    assert question.average is not None
    middle, half, has = question.measure.levels(model.domain.closed[question.average])
    axes = [p for p in question.groups if p != question.average]
    weights = by_group(model, question, shares(model, question.where, [*axes, question.average])) * has
    possible = by_group(model, question, possible_values(model, question, axes)) * has > 0
    least = np.where(possible, middle - half, np.inf).min(axis=1)
    most = np.where(possible, middle + half, -np.inf).max(axis=1)
    least, most = (np.where(possible.any(axis=1), ends, np.nan) for ends in (least, most))
    share = weights.sum(axis=1)
    noise, stderr, apart = bars.averages(has, middle, most - least)
    with np.errstate(all="ignore"):
        value, within = weights @ middle / share, weights @ half / share
        known = (share > MIN_SIGMAS * noise) & np.isfinite(stderr)
    unknown = np.where(known, 1.0, np.nan)
    limits = WithinRange(value * unknown, within, stderr * unknown, least, most)
    means = Estimates(value=limits.value, stderr=limits.stderr, bias=within * unknown, kurtosis=KURTOSIS, limits=limits,
                      errors=errors_of(question, limits.stderr, apart))  # fmt: skip
    released = measured_averages(model, question)
    unbiased = None
    if released is not None:
        unbiased = mean_answer(model.domain, question, released.estimates(), law=model.law, estimator="measured")
    return mean_answer(model.domain, question, means, law=model.law, estimator="model", notes=bars.notes(),
                       unbiased=unbiased)  # fmt: skip
