"""Answers of a whole table: the model's value with its bar, and beside it the unbiased measured one.

Files of format 1 have no replicates to make bars of: there the bound of the audit stands in for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...maths.weighted_rows.calibration import Bound
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ...words import listed
from ..build_answer import Estimates, Wording, build_answer, certain_answer, group_labels, unit_of
from .measured import measured_estimates
from .model_shares import shares

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["CONFIDENCE", "AnswerBars", "bound_of", "whole_table_answer"]

Floats = NDArray[np.float64]
MOST_GROUPS = 2_000_000
# Of the limit that the note of a model's value states.
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class AnswerBars:
    """Bound on the bias of a fraction and noise of that bound; nan where nothing is known."""

    bias: float
    stderr: float
    notes: tuple[str, ...]


def whole_table_answer(model: WholeTableModel, question: Question, *, count: bool) -> Answer | CrossTab:
    """The answer, as fractions or as numbers of rows."""
    cells = math.prod(model.domain.sizes[p] for p in question.groups)
    if cells > MOST_GROUPS:
        raise BadQuestion(f"{cells:,} groups; at most {MOST_GROUPS:,} are listed: group by fewer columns")
    if question.kind == "count" and (share := _certain(model, question)) is not None:
        rows, spread = model.total
        return certain_answer(question.text, share, count=count, rows=rows, rows_stderr=math.sqrt(spread))
    if model.replicates is not None:
        from .replicated_answers import replicated_answer

        return replicated_answer(model, model.replicates, question, count=count)
    bars = _bars(model, question.positions)
    if question.kind == "mean":
        from .whole_table_means import whole_table_means

        return whole_table_means(model, question, bars)
    wording = Wording(
        question=question.text, unit=unit_of(count=count), law=model.law, estimator="model", notes=bars.notes,
        groups=group_labels(model.domain, question.groups),
    )  # fmt: skip
    unbiased, released = None, measured_estimates(model, question, relative=not count)
    if released is not None:
        unbiased = build_answer(replace(wording, estimator="measured", notes=()), released)
    value = shares(model, question.where, question.groups)
    fractions = Estimates(value=value, stderr=bars.stderr, bias=bars.bias)
    return build_answer(wording, fractions.in_rows(model.total[0] if count else 1.0), unbiased=unbiased)


def _certain(model: WholeTableModel, question: Question) -> float | None:
    """1 for a question that holds for all rows of any table, 0 for one that holds for none, else None."""
    if question.groups or question.where is None:
        return None if question.groups else 1.0
    shape = [model.domain.sizes[p] for p in question.positions]
    if math.prod(shape) > MOST_GROUPS:
        return None
    holds = question.where.table(question.positions, shape)
    return 1.0 if holds.all() else None if holds.any() else 0.0


def bound_of(model: WholeTableModel, positions: Sequence[int]) -> Bound | None:
    """How far, at most, any question about these attributes is off by the audit; None where it does not tell."""
    rows, spread = model.total
    bound = None if model.audit is None else model.audit.bound(positions, model.domain.sizes, rows)
    if bound is None:
        return None
    # The model's total is the released number of rows, whose error moves a fraction by at most 3/2 of its own.
    return Bound(bound.bias, math.hypot(bound.stderr, 1.5 * math.sqrt(spread) / rows), bound.tables)


def _bars(model: WholeTableModel, positions: Sequence[int]) -> AnswerBars:
    """What the audit says of questions about these attributes."""
    names = [model.domain.closed[p].name for p in positions]
    about = listed(names) or "all rows"
    bound = bound_of(model, positions)
    if bound is not None:
        how = "audited together" if bound.tables == 1 else f"mean of {bound.tables} audited tables that hold them"
        note = (f"model value: with {100 * CONFIDENCE:g}% confidence no question about {about} is wrong by more than "
                f"{bound.limit(CONFIDENCE):.4f} of the rows ({how})")  # fmt: skip
        return AnswerBars(bound.bias, bound.stderr, (note, *model.remarks()))
    why = "it was released without an audit" if model.audit is None else f"{about} were not audited together"
    note = f"unknown: nothing says how far the model's value is off; {why}"
    return AnswerBars(math.nan, model.monte_carlo, (note, *model.remarks()))
