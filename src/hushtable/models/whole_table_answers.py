"""Answers of a whole table: the model's value with the audit's bound, and beside it the unbiased measured one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion, listed
from ..questions.answer import Answer, AnswerUnit, CrossTab
from ..questions.parse import Question
from ..questions.predicate import Predicate
from .linear import levels
from .whole_table_measured import measured_moments

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["whole_table_answer"]

Floats = NDArray[np.float64]
MOST_GROUPS = 2_000_000


@dataclass(frozen=True, eq=False)
class _Bars:
    """Bound on the bias of a fraction and noise of that bound; nan where nothing is known."""

    bias: float
    stderr: float
    notes: tuple[str, ...]


def whole_table_answer(model: WholeTableModel, question: Question, *, count: bool) -> Answer | CrossTab:
    """The answer, as fractions or as numbers of rows."""
    cells = math.prod(model.domain.sizes[p] for p in question.groups)
    if cells > MOST_GROUPS:
        raise BadQuestion(f"{cells:,} groups; at most {MOST_GROUPS:,} are listed: group by fewer columns")
    bars = _bars(model, question.positions)
    if question.kind == "mean":
        return _mean(model, question, bars)
    rows, _ = model.total
    scale = rows if count else 1.0
    unit: AnswerUnit = "count" if count else "fraction"
    value = scale * _shares(model, question.where, question.groups)
    beside = None
    if (found := measured_moments(model, question, relative=not count)) is not None:
        beside = _wrapped(model, question, unit, found[0], np.zeros_like(found[0]), *found[1:], "measured", ())
    bias, stderr = np.full_like(value, bars.bias * scale), np.full_like(value, bars.stderr * scale)
    kurtosis = np.zeros_like(value)
    return _wrapped(model, question, unit, value, bias, stderr, kurtosis, "model", bars.notes, beside)


def _shares(model: WholeTableModel, where: Predicate | None, axes: Sequence[int]) -> Floats:
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


def _bars(model: WholeTableModel, positions: Sequence[int]) -> _Bars:
    """What the audit says of questions about these attributes."""
    rows, spread = model.total
    names = [model.domain.closed[p].name for p in positions]
    about = listed(names) or "all rows"
    found = None if model.audit is None else model.audit.bound(positions, model.domain.sizes, rows)
    if found is not None:
        how = "audited together" if found.tables == 1 else f"mean of {found.tables} audited tables that hold them"
        note = (f"model value: no question about {about} is wrong by more than {found.bias:.4f} of the rows "
                f"(measured to ± {1.96 * found.stderr:.4f}; {how})")  # fmt: skip
        # The model's total is the released number of rows, whose error moves a fraction by at most 3/2 of its own.
        stderr = math.hypot(found.stderr, 1.5 * math.sqrt(spread) / rows)
        return _Bars(found.bias, stderr, (note, *model.remarks()))
    if model.audit is None:
        why = "it was released without an audit"
    else:
        worst = np.quantile(model.audit.variations(max(len(t) for t in model.audit.tables), rows), 0.95)
        why = f"{about} were not audited together; 95% of the audited tables are within {max(worst, 0.0):.4f}"
    note = f"model value without an error bound: {why}; Monte Carlo error at most {model.monte_carlo:.4f}"
    return _Bars(math.nan, model.monte_carlo, (note, *model.remarks()))


def _mean(model: WholeTableModel, question: Question, bars: _Bars) -> Answer | CrossTab:
    """Mean of an attribute over the rows that have a value."""
    assert question.average is not None
    attribute = model.domain.closed[question.average]
    middle, half, has = levels(attribute)
    axes = [p for p in question.groups if p != question.average]
    shares = _shares(model, question.where, [*axes, question.average]).reshape(-1, attribute.size) * has
    if question.average in question.groups:
        # One group a value: each row of a group has that value, up to the width of its bin.
        sizes = [model.domain.sizes[p] for p in axes]
        at = question.groups.index(question.average)
        full = np.einsum("cv,vw->cvw", shares, np.eye(attribute.size)).reshape(*sizes, attribute.size, attribute.size)
        shares = np.moveaxis(full, -2, at).reshape(-1, attribute.size)
    group = shares.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, width = shares @ middle / group, shares @ half / group
        # Conditional distributions differ by at most 3/2 of the distance over the share of the group.
        reach = np.ptp(np.concatenate([(middle - half)[has > 0], (middle + half)[has > 0]]))
        leverage = np.where(group > 0, 1.5 * reach / group, np.nan)
    notes = bars.notes
    if half.any():
        notes = (*notes, f"{attribute.name} was released in bins: the bound says how far values inside may move it")
    if not question.groups and not group[0] > 0:
        raise BadQuestion("the model has no such rows, so they have no mean")
    return _wrapped(model, question, "mean", value, width + leverage * bars.bias, leverage * bars.stderr,
                    np.zeros_like(value), "model", notes)  # fmt: skip


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
