"""Answers of a whole table: the model's value with the audit's bound, and beside it the unbiased measured one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..domain.predicate import Predicate
from ..errors import BadQuestion
from ..maths.weighted_rows.calibration import Bound
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import AnswerUnit
from ..questions.parse import Question
from ..words import listed
from .whole_table_measured import measured_moments

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["Bars", "shares", "whole_table_answer"]

Floats = NDArray[np.float64]
MOST_GROUPS = 2_000_000
# Of the limit that the note of a model's value states.
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Bars:
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
        return _told(model, question, share, count=count)
    bars = _bars(model, question.positions)
    if question.kind == "mean":
        from .whole_table_means import whole_table_means

        return whole_table_means(model, question, bars)
    rows, _ = model.total
    scale = rows if count else 1.0
    unit: AnswerUnit = "count" if count else "fraction"
    value = scale * shares(model, question.where, question.groups)
    beside = None
    if (found := measured_moments(model, question, relative=not count)) is not None:
        beside = _wrapped(model, question, unit, found[0], np.zeros_like(found[0]), *found[1:], "measured", ())
    bias, stderr = np.full_like(value, bars.bias * scale), np.full_like(value, bars.stderr * scale)
    kurtosis = np.zeros_like(value)
    return _wrapped(model, question, unit, value, bias, stderr, kurtosis, "model", bars.notes, beside)


def _certain(model: WholeTableModel, question: Question) -> float | None:
    """1 for a question that holds for all rows of any table, 0 for one that holds for none, else None."""
    if question.groups or question.where is None:
        return None if question.groups else 1.0
    shape = [model.domain.sizes[p] for p in question.positions]
    if math.prod(shape) > MOST_GROUPS:
        return None
    holds = question.where.table(question.positions, shape)
    return 1.0 if holds.all() else None if holds.any() else 0.0


def _told(model: WholeTableModel, question: Question, share: float, *, count: bool) -> Answer:
    """Without error, but for the number of rows where that is noisy."""
    rows, spread = model.total
    scale, stderr = (rows, math.sqrt(spread)) if count else (1.0, 0.0)
    unit: AnswerUnit = "count" if count else "fraction"
    return Answer(question=question.text, unit=unit, value=share * scale, stderr=share * stderr)


def shares(model: WholeTableModel, where: Predicate | None, axes: Sequence[int]) -> Floats:
    """Share of the rows that satisfy a condition, for every cell of some attributes, in C order."""
    cloud, sizes = model.cloud, model.domain.sizes
    others = sorted((where.positions if where else frozenset()) - set(axes))
    positions = [*axes, *others]
    if cloud.fits(positions):
        table = cloud.table(positions)
        if where:
            table = table * where.table(positions, [sizes[p] for p in positions])
        return np.asarray(table.sum(axis=tuple(range(len(axes), len(positions))))).ravel()
    codes = np.zeros((len(sizes), len(cloud.weights)), dtype=np.uint16)
    for p in positions:
        codes[p] = cloud.values(p)
    weights = cloud.weights * where.on_rows(codes)[0] if where else cloud.weights
    key = np.zeros(len(weights), dtype=np.int64)
    for p in axes:
        key = key * sizes[p] + codes[p]
    return np.asarray(np.bincount(key, weights, minlength=math.prod(sizes[p] for p in axes)), dtype=np.float64)


def _bars(model: WholeTableModel, positions: Sequence[int]) -> Bars:
    """What the audit says of questions about these attributes."""
    rows, spread = model.total
    names = [model.domain.closed[p].name for p in positions]
    about = listed(names) or "all rows"
    found = None if model.audit is None else model.audit.bound(positions, model.domain.sizes, rows)
    if found is not None:
        how = "audited together" if found.tables == 1 else f"mean of {found.tables} audited tables that hold them"
        # The model's total is the released number of rows, whose error moves a fraction by at most 3/2 of its own.
        stderr = math.hypot(found.stderr, 1.5 * math.sqrt(spread) / rows)
        limit = Bound(found.bias, stderr, found.tables).limit(CONFIDENCE)
        note = (f"model value: with {100 * CONFIDENCE:g}% confidence no question about {about} is wrong by more than "
                f"{limit:.4f} of the rows ({how})")  # fmt: skip
        return Bars(found.bias, stderr, (note, *model.remarks()))
    why = "it was released without an audit" if model.audit is None else f"{about} were not audited together"
    note = f"model value without an error bound: {why}; Monte Carlo error at most {model.monte_carlo:.4f}"
    return Bars(math.nan, model.monte_carlo, (note, *model.remarks()))


def _wrapped(
    model: WholeTableModel, question: Question, unit: AnswerUnit, value: Floats, bias: Floats, stderr: Floats,
    kurtosis: Floats, estimator: str, notes: tuple[str, ...], beside: Answer | CrossTab | None = None,
) -> Answer | CrossTab:  # fmt: skip
    if not question.groups:
        assert not isinstance(beside, CrossTab)
        return Answer(question=question.text, unit=unit, value=float(value[0]), stderr=float(stderr[0]),
                      bias=float(bias[0]), kurtosis=float(kurtosis[0]), estimator=estimator, notes=notes,
                      unbiased=beside)  # fmt: skip
    assert not isinstance(beside, Answer)
    attributes = [model.domain.closed[p] for p in question.groups]
    grid = np.indices([a.size for a in attributes]).reshape(len(attributes), -1)
    labels = {a.name: tuple(a.labels[c] for c in codes) for a, codes in zip(attributes, grid, strict=True)}
    return CrossTab(question=question.text, unit=unit, groups=labels, value=value, stderr=stderr, bias=bias,
                    kurtosis=kurtosis, law=model.law, estimator=estimator, notes=notes, unbiased=beside)  # fmt: skip
