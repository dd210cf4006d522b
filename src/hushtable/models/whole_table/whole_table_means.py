"""Averages of a whole table: the model's own with limits by the audit, and beside them the measured ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ..averages import Around, mean_answer
from ..build_answer import Estimates
from ..quotients import MIN_SIGMAS, Averages
from .measured import measured_averages
from .model_shares import shares
from .whole_table_answers import AnswerBars

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["by_group", "possible_values", "whole_table_means"]

Floats = NDArray[np.float64]
# A condition on more combinations of values than this is not searched for values that it excludes.
MOST_CELLS = 2_000_000
MEASURED_LIMITS = (
    "averages of groups that were measured have the limits of the measured numbers, not those of the audit"
)


def whole_table_means(model: WholeTableModel, question: Question, bars: AnswerBars) -> Answer | CrossTab:
    """Mean of an attribute over the rows that have a value.

    A table within distance d of the model's moves the sum of (value - average) over a group by at most d times the
    range of the values, so the average by that over the share of the group.
    """
    assert question.average is not None
    attribute = model.domain.closed[question.average]
    middle, half, has = question.measure.levels(attribute)
    axes = [p for p in question.groups if p != question.average]
    weights = by_group(model, question, shares(model, question.where, [*axes, question.average])) * has
    possible = by_group(model, question, possible_values(model, question, axes)) * has > 0
    share = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, within = weights @ middle / share, weights @ half / share
    least = np.where(possible, middle - half, np.inf).min(axis=1)
    most = np.where(possible, middle + half, -np.inf).max(axis=1)
    least, most = (np.where(possible.any(axis=1), ends, np.nan) for ends in (least, most))
    # A group may be empty if its share is within the distance; without an audit nothing is said of that.
    surely = np.isnan(bars.bias) | (share > bars.bias + MIN_SIGMAS * bars.stderr)
    zeros = np.zeros_like(value)
    model_says = Around(least=least, most=most, value=np.where(surely, value, np.nan), within=within, share=share,
                        bias=bars.bias * (most - least), stderr=bars.stderr * (most - least), short=zeros,
                        short_stderr=zeros)  # fmt: skip
    released = measured_averages(model, question)
    if released is None:
        return mean_answer(model.domain, question, model_says.estimates(), law=model.law, estimator="model",
                           notes=bars.notes, within=within)  # fmt: skip
    unbiased = mean_answer(model.domain, question, released.estimates(), law=model.law, estimator="measured")
    moved = replace(released, value=np.where(share > 0, value, released.value))
    limited = _MeasuredOrAudited(model_says, moved, released.value)
    return mean_answer(model.domain, question, limited.estimates(), law=model.law, estimator="model",
                       notes=(*bars.notes, MEASURED_LIMITS), unbiased=unbiased, within=within)  # fmt: skip


@dataclass(frozen=True, eq=False)
class _MeasuredOrAudited:
    """The model's averages, with the limits of the measured numbers where these tell the group, else of the audit."""

    audited: Around
    released: Averages
    """With the model's values, which the limits then hold too."""
    measured: Floats

    @property
    def value(self) -> Floats:
        """The model's averages; nan where neither tells that there is a group."""
        return self._chosen(self.released.value, self.audited.value)

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of the intervals."""
        low, high = (
            self._chosen(*both) for both in zip(self.released(confidence), self.audited(confidence), strict=True)
        )
        return low, high

    def estimates(self) -> Estimates:
        """The values with their errors and limits."""
        stderr, bias, kurtosis = self.released.errors()
        moved = bias + np.abs(self.released.value - self.measured)
        both = zip((stderr, moved, kurtosis), self.audited.errors(), strict=True)
        stderr, bias, kurtosis = (self._chosen(released, audited) for released, audited in both)
        return Estimates(value=self.value, stderr=stderr, bias=bias, kurtosis=kurtosis, limits=self)

    def _chosen(self, released: Floats, audited: Floats) -> Floats:
        return np.where(np.isnan(self.measured), audited, released)


def possible_values(model: WholeTableModel, question: Question, axes: list[int]) -> Floats:
    """Which values of the attribute the rows of each combination of `axes` may have by the question's condition."""
    assert question.average is not None
    kept = [*axes, question.average]
    others = [p for p in question.positions if p not in kept]
    sizes = [model.domain.sizes[p] for p in (*kept, *others)]
    if question.where is None or prod(sizes) > MOST_CELLS:
        return np.ones(prod(sizes[: len(kept)]))
    table = question.where.table([*kept, *others], sizes)
    return np.asarray(table.max(axis=tuple(range(len(kept), len(sizes)))), dtype=np.float64).ravel()


def by_group(model: WholeTableModel, question: Question, weights: Floats) -> Floats:
    """A line a group and a column a value of the attribute, from weights with the attribute as their last axis."""
    assert question.average is not None
    size = model.domain.sizes[question.average]
    lines = weights.reshape(-1, size)
    if question.average not in question.groups:
        return lines
    # One group a value: each row of a group has that value, up to the width of its bin.
    sizes = [model.domain.sizes[p] for p in question.groups if p != question.average]
    full = np.einsum("cv,vw->cvw", lines, np.eye(size)).reshape(*sizes, size, size)
    return np.asarray(np.moveaxis(full, -2, question.groups.index(question.average)).reshape(-1, size))
