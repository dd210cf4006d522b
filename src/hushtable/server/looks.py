"""Looks: answers and columns as pages show them, from the same functions that `hush ask` and `hush info` call."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from ..domain.hints import quoted_name
from ..errors import HushError
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import with_bar
from ..questions.stamp import other_notes
from ..synopsis import Synopsis
from .drawing import heat, scale_bar, share_bar
from .problems import TooMuch
from .settings import Limits
from .shelf import Opened

__all__ = ["AnswerLook", "ColumnLook", "answer_look", "asked", "column_looks", "cross_look", "lines_for"]

MOST_COLUMNS, MOST_VALUES = 60, 12
WHOLE = {"fraction": 1.0}
MEANS = {
    "exact": "The bar is the noise of the release: in 95 of 100 releases it holds the number of the table.",
    "unbiased": "The bar is the noise of the release: in 95 of 100 releases it holds the number of the table.",
    "measured": "The bar is the noise of the release: in 95 of 100 releases it holds the number of the table.",
    "computed": "The bar comes from those of the parts: of 100 such answers about 95 hold the number of the table.",
}
USUAL = (
    "The value is that of a model of the table; of 100 questions of this kind, the bars of about 95 hold the number "
    "of the table."
)


@dataclass(frozen=True, kw_only=True)
class AnswerLook:
    """One answer: words, numbers, a picture, and how to get the same elsewhere."""

    question: str
    text: str
    sentence: str
    picture: Markup
    meaning: str
    notes: tuple[str, ...]
    heads: tuple[str, ...] = ()
    lines: tuple[tuple[Any, ...], ...] = ()
    """A line a group: labels, then a picture, a number and an interval."""
    labels: int = 0
    """So many of the columns of a line are labels."""
    elsewhere: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ColumnLook:
    """One column of a release with the shares of its values."""

    name: str
    kind: str
    lines: tuple[tuple[str, Markup, str], ...]
    more: int
    why_not: str = ""


def asked(opened: Opened, question: str, limits: Limits, *, count: bool | None = None) -> Answer | CrossTab:
    """An answer within the limits; TooMuch says which one it would break."""
    if len(question) > limits.question:
        raise TooMuch(f"a question may have {limits.question:,} characters, and this one has {len(question):,}")
    with opened.turn() as synopsis:
        answer = synopsis.ask(question, count=count)
    if isinstance(answer, CrossTab) and len(answer) > limits.cells:
        raise TooMuch(
            f"{len(answer):,} groups are more than the {limits.cells:,} of one answer; group by fewer columns"
        )
    return answer


def answer_look(opened: Opened, answer: Answer | CrossTab, base: str, confidence: float = 0.95) -> AnswerLook:
    """What the page shows of an answer."""
    facts: dict[str, Any] = {
        "question": answer.question,
        "meaning": MEANS.get(answer.estimator, USUAL),
        "notes": other_notes(answer.notes),
        "elsewhere": lines_for(opened.name, answer.question, base),
    }
    if isinstance(answer, CrossTab):
        heads, lines = _groups(answer, confidence)
        words = f"{len(answer):,} groups, each with its {100 * confidence:g}% interval."
        return AnswerLook(
            text="", sentence=words, picture=Markup(""), heads=heads, lines=lines, labels=len(answer.groups), **facts
        )
    low, high = answer.interval(confidence)
    whole = WHOLE.get(answer.unit) or (opened.info.rows if answer.unit == "count" else None)
    value = float(with_bar(answer.value, low, high, answer.estimator))
    picture = scale_bar(value, low, high, answer.unit, whole)
    text = answer.text(confidence).rpartition("\n")[2]
    return AnswerLook(text=text, sentence=_sentence(answer, low, high, confidence), picture=picture, **facts)


def column_looks(opened: Opened) -> list[ColumnLook]:
    """Every column that can be shown, with one axis for all."""
    with opened.turn() as synopsis:
        return [_column(synopsis, info.name, info.kind) for info in opened.info.columns[:MOST_COLUMNS]]


def cross_look(opened: Opened, first: str, second: str, limits: Limits) -> dict[str, Any]:
    """Two columns crossed: a heat map whose cells have values and bars."""
    table = quoted_name(opened.info.table)
    names = f"{quoted_name(first)}, {quoted_name(second)}"
    question = f"SELECT {names}, count(*) FROM {table} GROUP BY {names}"
    answer = asked(opened, question, limits, count=False)
    if not isinstance(answer, CrossTab):
        raise TooMuch("these two columns cannot be crossed in this release; ask about one of them")
    low, high = answer.interval(0.95)
    downs, acrosses = answer.groups[first], answer.groups[second]
    rows, columns = list(dict.fromkeys(downs)), list(dict.fromkeys(acrosses))
    value = with_bar(answer.value, low, high, answer.estimator)
    most = float(np.nanmax(np.clip(value, 0.0, None), initial=0.0))
    cells = {
        (down, across): (_percent(v), _half(a, b), heat(float(v), most))
        for down, across, v, a, b in zip(downs, acrosses, value, low, high, strict=True)
    }
    grid = [(row, [cells.get((row, column), ("", "", "h0")) for column in columns]) for row in rows]
    return {"question": question, "columns": columns, "grid": grid, "notes": other_notes(answer.notes)}


def lines_for(name: str, question: str, base: str) -> tuple[tuple[str, str], ...]:
    """The same question from Python, a shell and over HTTP."""
    file = f"{name}.hush"
    return (
        ("Python", f'ht.load("{file}").ask({question!r})'),
        ("shell", f"hush ask {shlex.quote(file)} {shlex.quote(question)}"),
        ("curl", f"curl -G {base}/api/v1/releases/{name}/ask --data-urlencode {shlex.quote('q=' + question)}"),
    )


def _column(synopsis: Synopsis, name: str, kind: str) -> ColumnLook:
    quoted = quoted_name(name)
    try:
        text = f"SELECT {quoted}, count(*) FROM {quoted_name(synopsis.domain.table)} GROUP BY {quoted}"
        answer = synopsis.ask(text, count=False)
    except HushError as error:
        return ColumnLook(name=name, kind=kind, lines=(), more=0, why_not=str(error))
    if not isinstance(answer, CrossTab):
        return ColumnLook(name=name, kind=kind, lines=(), more=0, why_not="it has no table of its own here")
    low, high = answer.interval(0.95)
    labels = next(iter(answer.groups.values()))
    value = with_bar(answer.value, low, high, answer.estimator)
    kept = np.sort(np.argsort(-np.nan_to_num(value), kind="stable")[:MOST_VALUES])
    lines = tuple(
        (labels[i], share_bar(float(value[i]), float(low[i]), float(high[i])), _percent(value[i])) for i in kept
    )
    return ColumnLook(name=name, kind=kind, lines=lines, more=len(labels) - len(lines))


def _groups(answer: CrossTab, confidence: float) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Heads and lines of a table; one axis for all lines, from 0 to the largest end."""
    columns = answer.columns(confidence)
    if "low" not in columns:  # several aggregates in one SELECT: a table of numbers
        plain = tuple(tuple(_cell(columns[name][i]) for name in columns) for i in range(len(answer)))
        return tuple(columns), plain
    low, high = answer.interval(confidence)
    shown = with_bar(answer.value, low, high, answer.estimator)
    ends = [float(end) for end in (*shown, *high) if math.isfinite(end)]
    top, percent = max([*ends, 1e-12]), answer.unit == "fraction"
    write = _percent if percent else _plain
    lines = []
    for i in range(len(answer)):
        value, a, b = float(shown[i]), float(low[i]), float(high[i])
        labels = tuple(column[i] for column in answer.groups.values())
        between = f"{write(a)} to {write(b)}" if math.isfinite(a) and math.isfinite(b) else "unknown"
        lines.append((*labels, share_bar(value, a, b, top), write(value), between))
    return (*answer.groups, "", answer.unit, f"{100 * confidence:g}% interval"), tuple(lines)


def _sentence(answer: Answer, low: float, high: float, confidence: float) -> str:
    sure = f"{100 * confidence:g}%"
    if not math.isfinite(answer.value):
        return "This is not known: the noise is larger than what was asked about."
    if not math.isfinite(float(with_bar(answer.value, low, high, answer.estimator))):
        return "This is not known: nothing says how far what the model makes of it may be off."
    write = _percent if answer.unit == "fraction" else _plain
    what = {"fraction": " of the rows", "count": " rows"}.get(answer.unit, "")
    if low == high:
        return f"Exactly {write(answer.value)}{what}."
    return f"About {write(answer.value)}{what}; between {write(low)} and {write(high)} with {sure} confidence."


def _percent(share: float) -> str:
    return f"{100 * float(share):.2f}%" if math.isfinite(share) else "unknown"


def _half(low: float, high: float) -> str:
    half = 50 * (float(high) - float(low))
    return f"± {half:.2f}" if math.isfinite(half) else ""


def _plain(number: float) -> str:
    if not math.isfinite(number):
        return "unknown"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:,.4g}"


def _cell(value: Any) -> str:
    return _plain(value) if isinstance(value, float) else str(value)
