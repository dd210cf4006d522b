"""Cells: tables of answers put side by side, picked, scaled and divided, each with intervals that hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..answer import Answer, CrossTab, interval_factor
from ..answer_forms import AnswerUnit
from ..arithmetic import Errors, Later, QuotientSide, known_errors, quotient_ends

__all__ = [
    "as_answer",
    "as_table",
    "combined",
    "joined",
    "known_cells",
    "moved",
    "quotient",
    "rounded",
    "sum_or_difference",
    "taken",
]

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]


def as_table(answer: Answer | CrossTab) -> CrossTab:
    """Any answer as a plain table; one number is a table of one cell without groups."""
    if isinstance(answer, CrossTab):
        if type(answer) is CrossTab:
            return answer
        own = {field.name: getattr(answer, field.name) for field in fields(CrossTab)}
        return CrossTab(**(own | {"limits": answer.interval}))

    def limits(confidence: float) -> Ends:
        low, high = answer.interval(confidence)
        return np.array([low]), np.array([high])

    beside = None if answer.unbiased is None else as_table(answer.unbiased)
    surely = None if answer.certified is None else (np.array(answer.certified[:1]), np.array(answer.certified[1:]))
    return CrossTab(
        question=answer.question, unit=answer.unit, groups={}, value=np.array([answer.value]),
        stderr=np.array([answer.stderr]), bias=np.array([answer.bias]), kurtosis=np.array([answer.kurtosis]),
        law=Law.GAUSSIAN, estimator=answer.estimator, notes=answer.notes, unbiased=beside,
        limits=limits, not_private=answer.not_private, certified=surely,
        parts=_changed(answer.parts, lambda each: each[..., None]),
    )  # fmt: skip


def as_answer(table: CrossTab) -> Answer:
    """A table of one cell as one number."""
    beside = None if table.unbiased is None else as_answer(table.unbiased)
    surely = None if table.certified is None else (float(table.certified[0][0]), float(table.certified[1][0]))
    return Answer(
        question=table.question, unit=table.unit, value=float(table.value[0]), stderr=float(table.stderr[0]),
        bias=float(table.bias[0]), estimator=table.estimator, notes=table.notes, unbiased=beside,
        limits=table.interval, not_private=table.not_private, certified=surely, kurtosis=float(table.kurtosis[0]),
        parts=_changed(table.parts, lambda each: each[..., 0]),
    )  # fmt: skip


def known_cells(value: float, *, cells: int = 1, unit: AnswerUnit = "value") -> CrossTab:
    """A number that is known exactly, in so many cells."""
    values, zeros = np.full(cells, value), np.zeros(cells)
    return CrossTab(question="", unit=unit, groups={}, value=values, stderr=zeros, bias=zeros, kurtosis=zeros,
                    law=Law.GAUSSIAN, parts=Errors())  # fmt: skip


def _changed(parts: Errors | Later | None, change: Callable[[Floats], Floats]) -> Later | None:
    """The same errors of other cells; `change` takes an array whose last axis are the cells."""
    if parts is None:
        return None

    def made() -> Errors | None:
        known = known_errors(parts)
        return None if known is None else known.mapped(change)

    return Later(made)


def _placed(start: int, end: int, total: int) -> Callable[[Floats], Floats]:
    """From some cells to all, of which they are a part."""

    def put(each: Floats) -> Floats:
        out = np.zeros((*each.shape[:-1], total))
        out[..., start:end] = each
        return out

    return put


def _sum_of(parts: Sequence[CrossTab]) -> Later:
    """The errors of tables one after the other."""

    def made() -> Errors | None:
        whole, start, total = Errors(), 0, sum(map(len, parts))
        for part in parts:
            if (known := known_errors(part.parts)) is None:
                return None
            whole, start = whole.plus(known.mapped(_placed(start, start + len(part), total))), start + len(part)
        return whole

    return Later(made)


def joined(parts: Sequence[CrossTab]) -> CrossTab:
    """The cells of several tables one after the other."""
    if len(parts) == 1:
        return parts[0]
    beside = [part.unbiased for part in parts]
    whole = [part for part in beside if part is not None]

    def limits(confidence: float) -> Ends:
        ends = [part.interval(confidence) for part in parts]
        return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])

    numbers: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("value", "stderr", "bias", "kurtosis")
    }
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    known = [part.certified for part in parts if part.certified is not None]
    surely = None
    if len(known) == len(parts):
        surely = np.concatenate([low for low, _ in known]), np.concatenate([high for _, high in known])
    return replace(parts[0], groups={}, limits=limits, limits_at_once=None, notes=notes, certified=surely, **numbers,
                   parts=_sum_of(parts),
                   unbiased=joined(whole) if len(whole) == len(parts) else None)  # fmt: skip


def taken(table: CrossTab, places: NDArray[np.int64]) -> CrossTab:
    """Some cells of a table, in this order; their intervals are the same as before."""

    def limits(confidence: float) -> Ends:
        low, high = table.interval(confidence)
        return low[places], high[places]

    def at_once(confidence: float) -> Ends:
        low, high = table.interval(confidence, simultaneous=True)
        return low[places], high[places]

    numbers: dict[str, Any] = {name: getattr(table, name)[places] for name in ("value", "stderr", "bias", "kurtosis")}
    groups = {name: tuple(labels[i] for i in places) for name, labels in table.groups.items()}
    beside = None if table.unbiased is None else taken(table.unbiased, places)
    surely = None if table.certified is None else (table.certified[0][places], table.certified[1][places])
    return replace(table, groups=groups, limits=limits, unbiased=beside, certified=surely, **numbers,
                   limits_at_once=None if table.limits_at_once is None else at_once,
                   parts=_changed(table.parts, lambda each: each[..., places]))  # fmt: skip


def moved(table: CrossTab, factor: float, shift: float, *, unit: AnswerUnit) -> CrossTab:
    """factor x value + shift, for known numbers."""

    def mapped(ends: Ends) -> Ends:
        low, high = (factor * end + shift for end in ends)
        return (low, high) if factor >= 0 else (high, low)

    def limits(confidence: float) -> Ends:
        return mapped(table.interval(confidence))

    def at_once(confidence: float) -> Ends:
        return mapped(table.interval(confidence, simultaneous=True))

    beside = None if table.unbiased is None else moved(table.unbiased, factor, shift, unit=unit)
    return replace(table, value=factor * table.value + shift, stderr=abs(factor) * table.stderr, unit=unit,
                   bias=abs(factor) * table.bias, limits=limits, unbiased=beside,
                   limits_at_once=None if table.limits_at_once is None else at_once,
                   parts=_changed(table.parts, lambda each: factor * each),
                   certified=None if table.certified is None else mapped(table.certified))  # fmt: skip


def rounded(table: CrossTab, decimals: int) -> CrossTab:
    """Values with so many decimals; the intervals are wider by what rounding moves."""
    half = 0.5 * 10.0**-decimals

    def limits(confidence: float) -> Ends:
        low, high = table.interval(confidence)
        return low - half, high + half

    surely = None if table.certified is None else (table.certified[0] - half, table.certified[1] + half)
    return replace(table, value=np.round(table.value, decimals), bias=table.bias + half, limits=limits,
                   limits_at_once=None, certified=surely)  # fmt: skip


def combined(
    parts: Sequence[CrossTab], value: Floats, stderr: Floats, bias: Floats, ends: Callable[[list[Ends]], Ends],
    *, unit: AnswerUnit, notes: tuple[str, ...] = (),
) -> CrossTab:  # fmt: skip
    """A function of several answers whose noise may go together in any way.

    `ends` makes an interval of intervals. Each of those is asked for at so much more confidence that all hold at once
    (Bonferroni), whatever the dependence between them.
    """

    def limits(confidence: float) -> Ends:
        each = 1 - (1 - confidence) / len(parts)
        return ends([part.interval(each) for part in parts])

    return _of_several(parts, unit=unit, notes=notes, value=value, stderr=stderr, bias=bias, limits=limits)


def _of_several(
    tables: Sequence[CrossTab], *, unit: AnswerUnit, notes: tuple[str, ...] = (), **numbers: Any
) -> CrossTab:
    """A table made of others, with what they say."""
    said = tuple(dict.fromkeys([*(note for table in tables for note in table.notes), *notes]))
    estimators = dict.fromkeys(table.estimator for table in tables)
    own: dict[str, Any] = {"kurtosis": np.zeros_like(numbers["value"]), "limits": None, "parts": None} | numbers
    return replace(tables[0], unit=unit, notes=said, estimator=next(iter(estimators)), unbiased=None, certified=None,
                   limits_at_once=None, **own)  # fmt: skip


def sum_or_difference(left: CrossTab, right: CrossTab, sign: float) -> CrossTab:
    """left + sign right, with a bar that knows what they share, where that is known."""
    unit: AnswerUnit = left.unit if left.unit == right.unit else "value"
    value, bias = left.value + sign * right.value, left.bias + right.bias
    one, other = known_errors(left.parts), known_errors(right.parts)
    if one is not None and other is not None:
        errors = one.plus(other.times(sign))
        kurtosis = np.maximum(np.maximum(left.kurtosis, right.kurtosis), errors.kurtosis())
        stderr = np.broadcast_to(np.sqrt(errors.variance()), value.shape)
        return _of_several([left, right], unit=unit, value=value, stderr=stderr, bias=bias, kurtosis=kurtosis,
                           parts=errors)  # fmt: skip

    def ends(both: list[Ends]) -> Ends:
        (low, high), (least, most) = both
        return (low + least, high + most) if sign > 0 else (low - most, high - least)

    return combined([left, right], value, left.stderr + right.stderr, bias, ends, unit=unit)


def quotient(above: CrossTab, below: CrossTab, *, inside: bool) -> CrossTab:
    """above / below; `inside` says that the rows above are among those below, so that it is a share.

    Where it is known what both share, its interval is the ratios that noise does not rule out; else it holds however
    they go together.
    """
    with np.errstate(all="ignore"):
        value = np.where(below.value > 0, above.value / below.value, np.nan)
        bias = (above.bias + np.abs(value) * below.bias) / below.value
    one, other = known_errors(above.parts), known_errors(below.parts)
    unit: AnswerUnit = "fraction" if inside else "value"
    if one is None or other is None:
        return _quotient_of_ends(above, below, value, bias, inside=inside)
    top, under = QuotientSide(above.value, above.bias, one), QuotientSide(below.value, below.bias, other)
    kurtosis = np.maximum(above.kurtosis, below.kurtosis)

    counted = {above.unit, below.unit} <= {"count", "fraction"}

    def limits(confidence: float) -> Ends:
        low, high = quotient_ends(top, under, interval_factor(confidence, kurtosis))
        return np.maximum(low, 0.0) if counted else low, np.minimum(high, 1.0) if inside else high

    with np.errstate(all="ignore"):
        errors = one.plus(other.times(-np.nan_to_num(value))).times(1 / below.value)
        stderr = np.where(np.isnan(value), np.nan, np.sqrt(errors.variance()))
    return _of_several([above, below], unit=unit, value=value, stderr=stderr, bias=bias, kurtosis=kurtosis,
                       limits=limits, parts=errors if np.isfinite(stderr).all() else None)  # fmt: skip


def _quotient_of_ends(above: CrossTab, below: CrossTab, value: Floats, bias: Floats, *, inside: bool) -> CrossTab:
    def ends(both: list[Ends]) -> Ends:
        (low, high), (least, most) = both
        with np.errstate(all="ignore"):
            corners = np.array([low / least, low / most, high / least, high / most])
            sure = least > 0
            under, over = np.where(sure, corners.min(axis=0), -np.inf), np.where(sure, corners.max(axis=0), np.inf)
        return (np.maximum(under, 0.0), np.minimum(over, 1.0)) if inside else (under, over)

    with np.errstate(all="ignore"):
        stderr = (above.stderr + np.abs(value) * below.stderr) / below.value
    return combined([above, below], value, stderr, bias, ends, unit="fraction" if inside else "value")
