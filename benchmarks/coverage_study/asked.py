"""Asked and Seen: a question with its exact answer, and what one release said to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import hushtable as ht
from hushtable.errors import BadQuestion
from hushtable.questions.answer import Answer, CrossTab

from .tally import LEVELS

__all__ = ["Asked", "Seen", "Span", "ask_all", "span_of"]

Span = tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Asked:
    """One question; `truth` is a number, or for groups a mapping from their labels to numbers."""

    kind: str
    """The kind of answer: fraction, count, cell, average, ..."""
    question: Any
    truth: Any
    count: bool = False
    span: Span = None
    """What any table could answer, where that is known: an interval that holds all of it says nothing."""
    may_refuse: bool = False
    """Whether a group that is too small may be refused."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One answer of one release, or None where it was refused as unknown."""

    kind: str
    question: int
    """The number of the question in its setting."""
    answer: Answer | CrossTab | None
    truth: Any
    span: Span = None

    @cached_property
    def ends(self) -> list[tuple[Any, Any]]:
        """The intervals at all levels; for some answers these are most of the work."""
        return [] if self.answer is None else [self.answer.interval(level) for level in LEVELS]


def ask_all(synopsis: ht.Synopsis, asked: list[Asked], parsed: dict[str, Any]) -> Iterator[Seen]:
    """All questions; `parsed` is shared by all releases of a setting, since parsing depends on the domain alone."""
    synopsis.__dict__["_questions"] = parsed
    for number, one in enumerate(asked):
        try:
            answer = synopsis.ask(one.question, count=one.count)
        except BadQuestion:
            if not one.may_refuse:
                raise
            yield Seen(one.kind, number, None, one.truth, one.span)
            continue
        yield Seen(one.kind, number, answer, _truths(answer, one.truth), one.span)
        if answer.unbiased is not None:
            yield Seen(f"{one.kind}, measured", number, answer.unbiased, _truths(answer, one.truth), one.span)


def _truths(answer: Answer | CrossTab, truth: Any) -> Any:
    """For a table of answers, the truth of every line; nan where a group has no rows and so no average."""
    if isinstance(answer, Answer) or not isinstance(truth, dict):
        return truth
    empty = np.nan if answer.unit == "mean" else 0.0
    return np.array([truth.get(labels, empty) for labels in zip(*answer.groups.values(), strict=True)])


def span_of(attribute: dict[str, Any]) -> tuple[float, float]:
    """The range of a number."""
    low, high = attribute["between"]
    return float(low), float(high)
