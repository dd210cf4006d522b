"""The builder of answers: from numbers with their errors to an Answer, or to a CrossTab with one line a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..laws import Law
from ..questions.answer import (
    Answer,
    BiasKind,
    CrossTab,
    Limits,
    ListAnswer,
    ListTable,
    QuantileAnswer,
    SmoothAnswer,
    SmoothTable,
)
from ..questions.answer_forms import AnswerUnit
from ..questions.arithmetic import Errors, Later

__all__ = [
    "Estimates",
    "Labels",
    "Wording",
    "build_answer",
    "build_list_answer",
    "build_quantile",
    "build_smooth_answer",
    "certain_answer",
    "group_labels",
    "unit_of",
]

Floats = NDArray[np.float64]
Labels = dict[str, tuple[str, ...]]
"""Group column to its label in every line."""
Ends = Callable[[float], tuple[float, float]]
"""From a confidence to the interval of one number."""
Single = TypeVar("Single", bound=Answer)
Table = TypeVar("Table", bound=CrossTab)


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """A number for every group of a question, or for all rows, and how far each may be off."""

    value: ArrayLike
    stderr: ArrayLike
    bias: ArrayLike = 0.0
    kurtosis: ArrayLike = 0.0
    limits: Limits | None = None
    """From a confidence to the ends of all intervals, where they do not lie evenly around the values."""
    parts: Mapping[str, ArrayLike] = field(default_factory=dict)
    """What the standard error is made of, for answers that say so."""
    errors: Errors | Later | None = None
    """What the error of one number is made of, or with one more axis those of all groups, for arithmetic with them."""
    at_once: Limits | None = None
    """Like `limits`, for all groups at once, where it is known what their errors share."""

    def in_rows(self, rows: float) -> Estimates:
        """Fractions of so many rows as counts; their kurtosis is the same."""
        return Estimates(
            value=rows * np.asarray(self.value, dtype=np.float64),
            stderr=rows * np.asarray(self.stderr, dtype=np.float64),
            bias=rows * np.asarray(self.bias, dtype=np.float64),
            kurtosis=self.kurtosis,
        )


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What an answer says beside its numbers."""

    question: str
    unit: AnswerUnit
    law: Law
    """Of the noise, by which the intervals of all groups hold at once."""
    groups: Labels | None = None
    """None for one number."""
    estimator: str = "exact"
    notes: tuple[str, ...] = ()


def unit_of(*, count: bool) -> AnswerUnit:
    """The unit of an answer about a number of rows, or about their share."""
    return "count" if count else "fraction"


def group_labels(domain: Domain, positions: Sequence[int]) -> Labels | None:
    """The labels of all combinations of these attributes, the last one changing fastest; None for no attributes."""
    if not positions:
        return None
    attributes = [domain.closed[p] for p in positions]
    grid = np.indices([a.size for a in attributes]).reshape(len(attributes), -1)
    return {a.name: tuple(a.labels[c] for c in codes) for a, codes in zip(attributes, grid, strict=True)}


def build_answer(
    wording: Wording, estimates: Estimates, *, unbiased: Answer | CrossTab | None = None
) -> Answer | CrossTab:
    """A plain answer; `unbiased` is the same from measured numbers alone, where the value itself is a model's."""
    return _built(Answer, CrossTab, wording, estimates, {"unbiased": unbiased})


def build_list_answer(wording: Wording, estimates: Estimates) -> ListAnswer | ListTable:
    """An answer about lists of values, whose standard error has the parts `noise` and `collision`."""
    return _built(ListAnswer, ListTable, wording, estimates, {})


def build_smooth_answer(
    wording: Wording, estimates: Estimates, *, bias_kind: BiasKind = "certified", ends: Sequence[Ends] | None = None
) -> SmoothAnswer | SmoothTable:
    """An answer about real columns; `ends` are the intervals of all groups, where they are not symmetric."""
    joint = None if ends is None else ends[0] if wording.groups is None else _all_ends(ends)
    return _built(SmoothAnswer, SmoothTable, wording, estimates, {"bias_kind": bias_kind, "ends": joint})


def build_quantile(
    wording: Wording,
    estimates: Estimates,
    ends: Ends,
    *,
    bias_kind: BiasKind = "certified",
    certified: tuple[float, float] | None = None,
) -> QuantileAnswer:
    """A quantile of all rows that a question keeps; `certified` holds whatever the rows are, where `ends` may not."""
    return _single(QuantileAnswer, wording, estimates, {"bias_kind": bias_kind, "ends": ends, "certified": certified})


def certain_answer(question: str, share: float, *, count: bool, rows: float = 1.0, rows_stderr: float = 0.0) -> Answer:
    """A share that holds for every table: without error, but for that of the number of rows in a count."""
    scale, stderr = (rows, rows_stderr) if count else (1.0, 0.0)
    return Answer(question=question, unit=unit_of(count=count), value=share * scale, stderr=share * stderr)


def _built(
    single: type[Single], table: type[Table], wording: Wording, estimates: Estimates, own: dict[str, Any]
) -> Single | Table:
    if wording.groups is None:
        return _single(single, wording, estimates, own)
    value = np.asarray(estimates.value, dtype=np.float64)

    def column(numbers: ArrayLike) -> Floats:
        given = np.asarray(numbers, dtype=np.float64)
        return np.full(value.shape, float(given)) if given.ndim == 0 else given

    own = {name: column(part) for name, part in estimates.parts.items()} | own
    return table(
        question=wording.question, unit=wording.unit, groups=wording.groups, law=wording.law,
        estimator=wording.estimator, notes=wording.notes, limits=estimates.limits,
        value=value, stderr=column(estimates.stderr), bias=column(estimates.bias),
        kurtosis=column(estimates.kurtosis), parts=estimates.errors, limits_at_once=estimates.at_once, **own,
    )  # fmt: skip


def _single(kind: type[Single], wording: Wording, estimates: Estimates, own: dict[str, Any]) -> Single:
    def number(numbers: ArrayLike) -> float:
        return float(np.ravel(numbers)[0])

    own = {name: number(part) for name, part in estimates.parts.items()} | own
    return kind(
        question=wording.question, unit=wording.unit, estimator=wording.estimator, notes=wording.notes,
        limits=estimates.limits, value=number(estimates.value), stderr=number(estimates.stderr),
        bias=number(estimates.bias), kurtosis=number(estimates.kurtosis), parts=estimates.errors,
        **own,
    )  # fmt: skip


def _all_ends(each: Sequence[Ends]) -> Limits:
    def limits(confidence: float) -> tuple[Floats, Floats]:
        low, high = np.array([ends(confidence) for ends in each]).T
        return low, high

    return limits
