"""Interpolation: an estimate for a condition that cuts a bin, and an interval that holds wherever its rows lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from ..domain import Domain
from ..domain.cuts import BinCuts
from ..domain.predicate import Predicate, conjunction, disjunction
from ..errors import BadQuestion, CutInsideBin
from ..words import listed
from .answer import Answer, CrossTab
from .declaration import answer_of
from .parse import Question, is_select, parse
from .sql.cells import Ends, as_answer, as_table, combined, known_cells
from .sql.statement import is_share, read_statement

__all__ = ["AnswersTables", "interpolated"]

ONLY = (
    "interpolation is for shares and counts: a condition, or SELECT [columns,] count(*) FROM table WHERE ... with "
    "other columns in GROUP BY than in WHERE"
)
SPREAD = "interpolated inside bins of {}, as if rows were spread evenly; the interval holds wherever in them rows lie"


class AnswersTables(Protocol):
    """What answers plain questions about codes: a model."""

    @property
    def domain(self) -> Domain:
        """The table's."""

    @property
    def answers_tables(self) -> bool:
        """Whether tables of columns can be asked for."""

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        """Its answer."""


def interpolated(text: str, model: AnswersTables, *, count: bool) -> Answer | CrossTab | None:
    """The estimate; None where no bin is cut, so that the plain answer is to be had."""
    if not model.answers_tables:
        raise BadQuestion("interpolation is for releases that count columns in bins; ask this one without it")
    try:
        if (is_select(text) or is_share(text)) and read_statement(text, model.domain) is not None:
            return None
    except CutInsideBin:
        raise BadQuestion(ONLY) from None
    cuts = BinCuts()
    question = parse(text, model.domain, cuts)
    if not cuts.found:
        return None
    if question.kind != "count":
        raise BadQuestion(ONLY)
    ways = [(float(share), parse(text, model.domain, way).where) for share, way in cuts.ways()]
    readings = [where for _, where in ways if where is not None]
    tables = [_asked(question, where, model, count=count) for where in readings]
    surely = _asked(question, conjunction(readings), model, count=count)
    possibly = _asked(question, disjunction(readings), model, count=count)
    names = listed(sorted({model.domain.closed[position].name for position, _ in cuts.found}))
    whole = _between(surely, possibly, tables, [share for share, _ in ways])
    whole = replace(whole, question=text, estimator="interpolated", notes=(*question.notes, *whole.notes,
                    SPREAD.format(names)))  # fmt: skip
    return whole if question.groups else as_answer(whole)


def _asked(question: Question, where: Predicate, model: AnswersTables, *, count: bool) -> CrossTab:
    asked = replace(question, where=where, notes=())
    if asked.empty(model.domain.sizes):
        return known_cells(0.0, unit="count" if count else "fraction")
    return as_table(answer_of(model, asked, count=count))


def _between(surely: CrossTab, possibly: CrossTab, tables: Sequence[CrossTab], shares: Sequence[float]) -> CrossTab:
    """The mean of all readings; from the lower end of what is surely counted to the upper end of what may be.

    At one confidence for both: the interval misses only if one of the two misses on its outer side.
    """
    weights = np.array(shares)
    value, stderr, bias = (
        weights @ np.array([getattr(table, name) for table in tables]) for name in ("value", "stderr", "bias")
    )
    away = np.maximum(value - surely.value, possibly.value - value)

    def ends(confidence: float) -> Ends:
        return np.minimum(surely.interval(confidence)[0], value), np.maximum(possibly.interval(confidence)[1], value)

    base = possibly if len(possibly.groups) else next((t for t in tables if t.stderr.any()), possibly)
    out = combined([base], value, stderr, bias + np.maximum(away, 0.0), lambda both: both[0], unit=base.unit)
    return replace(out, limits=ends)
