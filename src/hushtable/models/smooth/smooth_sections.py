"""What a report shows of real columns: densities, means, quantiles and categories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import BadQuestion
from ...questions.answer import Answer, CrossTab
from ..base import Model
from ..sections import Curve, Section, TextTable, bars_of, quoted

if TYPE_CHECKING:
    from .smooth import SmoothModel
    from .smooth_direct import SmoothDirectModel

__all__ = ["column_sections", "formula_sections", "smooth_sections"]

MOST_COLUMNS = 20
LEVELS = ("0.05", "0.25", "0.5", "0.75", "0.95")


def smooth_sections(model: SmoothModel) -> tuple[Section, ...]:
    """A density of each column, its mean and quantiles, and the shares of the categories."""
    return (*_densities(model), *_quantiles(model), *_categories(model))


def _quantiles(model: SmoothModel) -> tuple[Section, ...]:
    """A line a column: its mean, and below what its smallest and largest values lie."""
    lines = []
    for name in model.columns[:MOST_COLUMNS]:
        asked = name if name.isidentifier() else repr(name)
        questions = [f"avg({asked})", *(f"quantile({asked}, {level})" for level in LEVELS)]
        answers = dict(_answers(model, questions))
        if answers:
            lines.append((name, *(_interval(answers.get(question)) for question in questions)))
    text = (
        "The mean of each column, and the value below which so many of its rows lie, with 95% intervals. Any other "
        "mean or percentile can be asked: avg(...), quantile(..., 0.9)."
    )
    heads = ("column", "mean", *(f"{100 * float(level):g}% are below" for level in LEVELS))
    return (Section(heading="Means and percentiles", text=text, parts=(TextTable(heads, lines),)),) if lines else ()


def _interval(answer: Answer | CrossTab | None) -> str:
    """`37.2 (36.8 to 37.7)`."""
    if not isinstance(answer, Answer):
        return "-"
    low, high = answer.interval(0.95)
    places = max(0, 1 - math.floor(math.log10((high - low) / 2))) if math.isfinite(high - low) and high > low else 1
    return f"{answer.value:,.{places}f} ({low:,.{places}f} to {high:,.{places}f})"


def column_sections(model: Model, columns: Sequence[str]) -> tuple[Section, ...]:
    """The means of columns."""
    names = [name if name.isidentifier() else repr(name) for name in columns]
    return _asked("Released means", model, [f"avg({name})" for name in names])


def formula_sections(model: SmoothDirectModel) -> tuple[Section, ...]:
    """The released means."""
    return _asked("Released means", model, [f"avg({text})" for text in model.examples])


def _answers(model: Model, questions: Sequence[str]) -> Iterator[tuple[str, Answer | CrossTab]]:
    """The questions that have an answer."""
    for question in questions:
        try:
            yield question, model.answer(model.parse(question))
        except BadQuestion:
            continue


def _asked(heading: str, model: Model, questions: Sequence[str]) -> tuple[Section, ...]:
    lines = [(question, str(answer)) for question, answer in _answers(model, questions)]
    return (Section(heading=heading, parts=(TextTable(("question", "answer"), lines),)),) if lines else ()


def _densities(model: SmoothModel) -> tuple[Section, ...]:
    pictures = []
    for name in model.columns[:MOST_COLUMNS]:
        try:
            seen = model.density([name])
        except BadQuestion:
            continue
        pictures.append(
            Curve(
                caption=name, places=seen.places[0], value=seen.value, half=seen.half,
                logarithmic=seen.axes[0].transform == "log",
            )
        )  # fmt: skip
    text = (
        "Lines show where values are common, as a share of rows per unit, softened as far as the release resolves; "
        "bands are 95% intervals of each point."
    )
    return (Section(heading="How values are spread", text=text, parts=(tuple(pictures),)),) if pictures else ()


def _categories(model: SmoothModel) -> tuple[Section, ...]:
    table = quoted(model.domain.table)
    names = dict.fromkeys(a.name for block in model.released for a in block.block.by)
    asked = {f"SELECT {quoted(n)}, count(*) FROM {table} GROUP BY {quoted(n)}": n for n in names}
    pictures = tuple(
        bars_of(answer, caption=asked[text])
        for text, answer in _answers(model, list(asked))
        if isinstance(answer, CrossTab)
    )
    text = "Shares of all rows, with 95% error bars."
    return (Section(heading="Categories", text=text, parts=(pictures,)),) if pictures else ()
