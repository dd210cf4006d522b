"""Declaration: answers that follow from the rules of a domain and from no released number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.ruled_out import RuledOut, ruled_out
from ..words import counted, listed, shortened
from .answer import Answer, CrossTab, Limits
from .answer_forms import AnswerUnit
from .measure import COUNT
from .parse import Question

__all__ = ["BY_DECLARATION", "answer_of", "zero_note"]

BY_DECLARATION = "by declaration"
Floats = NDArray[np.float64]


class TableModel(Protocol):
    """A model."""

    @property
    def domain(self) -> Domain:
        """The table's."""

    def answer(self, question: Any, *, count: bool = False) -> Answer | CrossTab:
        """By released numbers."""


def answer_of(model: TableModel, question: Any, *, count: bool = False) -> Answer | CrossTab:
    """The model's answer, but 0 where the domain's rules say that there is no such row."""
    ruled = _ruled(model.domain, question)
    if ruled is None:
        return model.answer(question, count=count)
    if not question.groups:
        return _zero(question, ruled, count=count)
    answer = model.answer(question, count=count)
    # A model may answer fewer groups than there are, which it then says in its own way.
    return answer if not isinstance(answer, CrossTab) or len(answer) != len(ruled.groups) else _zeros(answer, ruled)


def _ruled(domain: Domain, question: Any) -> RuledOut | None:
    counts = isinstance(question, Question) and question.measure == COUNT
    if not counts or not (domain.impossible or domain.always):
        return None
    return ruled_out(question.where, question.groups, domain)


def _zero(question: Question, ruled: RuledOut, *, count: bool) -> Answer:
    unit: AnswerUnit = "count" if count else "fraction"
    return Answer(
        question=question.text, unit=unit, value=0.0, stderr=0.0, estimator=BY_DECLARATION, notes=(zero_note(ruled),)
    )


def zero_note(ruled: RuledOut) -> str:
    """Why an answer is 0."""
    return f"0 {BY_DECLARATION}: {_rules(ruled)}"


def _rules(ruled: RuledOut) -> str:
    texts = [repr(shortened(text, 60)) for text in ruled.texts]
    return f"the domain's {'rule' if len(texts) == 1 else 'rules'} {listed(texts, 3)}"


def _zeros(table: CrossTab, ruled: RuledOut) -> CrossTab:
    """The table with exact zeros where no row can be."""
    out = ruled.groups

    def kept(numbers: Floats) -> Floats:
        return np.where(out, 0.0, numbers)

    def limits(given: Limits | None) -> Limits | None:
        if given is None:
            return None
        return lambda confidence: (kept(given(confidence)[0]), kept(given(confidence)[1]))

    note = f"{counted(int(out.sum()), 'group')}: 0 {BY_DECLARATION}: {_rules(ruled)}"
    return replace(
        table,
        value=kept(table.value),
        stderr=kept(table.stderr),
        bias=kept(table.bias),
        kurtosis=kept(table.kurtosis),
        limits=limits(table.limits),
        limits_at_once=limits(table.limits_at_once),
        certified=None if table.certified is None else (kept(table.certified[0]), kept(table.certified[1])),
        unbiased=None if table.unbiased is None else _zeros(table.unbiased, replace(ruled, texts=())),
        notes=(*table.notes, note),
    )
