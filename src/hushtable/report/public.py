"""Public report: what a synopsis file says of its table, and how sure it is. Made from the file alone."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..models.sections import Bars, Curve, Picture, Section, TextTable
from ..questions.answer import CrossTab
from ..questions.declaration import answer_of
from ..questions.parse import Question
from ..questions.stamp import SIMULATED
from ..synopsis import Synopsis
from ..words import counted, readable
from .page import facts_table, figures, page, section
from .pictures import bars, heat_map, histogram, line

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["crossed", "facts", "notable_pairs", "public_report"]

Floats = NDArray[np.float64]
MOST_COLUMNS, MOST_PAIRS, MOST_CELLS = 60, 12, 20_000
MOST_PAIRS_SEARCHED = 2000


def public_report(synopsis: Synopsis) -> str:
    """One HTML page for everyone."""
    sections = [
        section("What this is", facts(synopsis), _remarks(synopsis)),
        *(_drawn(part) for part in synopsis.model.sections()),
        *_single_section(synopsis),
        *_pair_section(synopsis),
    ]
    stamp = SIMULATED if synopsis.not_private else None
    return page(f"{synopsis.domain.table}: released summary", sections, stamp=stamp)


def _single_section(synopsis: Synopsis) -> list[str]:
    tables = [(a.name, crossed(synopsis, (p,))) for p, a in enumerate(synopsis.domain.closed[:MOST_COLUMNS])]
    pictures = [
        (name, bars(table.groups[name], table.value, _half(table), None, f"shares of {name}"))
        for name, table in tables
        if table is not None
    ]
    text = "Bars are released shares; lines are 95% error bars. Of columns with many values the largest are shown."
    return [section("Single columns", figures(pictures), text=text)] if pictures else []


def crossed(synopsis: Synopsis, positions: tuple[int, ...]) -> CrossTab | None:
    """The released table of a few columns; None where it cannot be asked."""
    if not synopsis.model.answers_tables or not positions:
        return None
    if prod(synopsis.domain.sizes[p] for p in positions) > MOST_CELLS:
        return None
    try:
        answer = answer_of(synopsis.model, Question(text="report", groups=positions))
    except BadQuestion:
        return None
    return answer if isinstance(answer, CrossTab) else None


def _half(answer: CrossTab) -> Floats:
    """Half of a 95% interval: that of the unbiased value where there is one, which is the narrower."""
    best = answer if answer.unbiased is None else answer.unbiased
    low, high = best.interval(0.95)
    return np.asarray((high - low) / 2)


def facts(synopsis: Synopsis) -> str:
    """Who is protected, by how much, and how the numbers came about."""
    accounting, model = synopsis.accounting, synopsis.model
    budget = ", ".join(f"{name} = {_number(value)}" for name, value in accounting["budget"].items())
    rows = [
        ("table", f"{synopsis.domain.table}, {counted(len(synopsis.domain.attributes), 'column')}"),
        ("released", f"{synopsis.workload} by {synopsis.mechanism}"),
        ("budget", budget),
        ("protects", f"{counted(accounting['rows_per_person'], 'row')} of one person, {accounting['neighbours']}"),
    ]
    if (row_count := model.row_count()) is not None:
        total, stderr = row_count
        spread = "exact" if stderr == 0 else f"± {1.96 * stderr:,.0f} (95%)"
        rows.append(("number of rows", f"{total:,.0f}, {spread}"))
    return facts_table(("", ""), [*rows, *model.facts()])


def _number(value: str | Fraction) -> str:
    from fractions import Fraction as Exact

    return readable(Exact(value))


def _remarks(synopsis: Synopsis) -> str:
    from html import escape

    return "".join(f'<p class="note">{escape(remark)}</p>' for remark in synopsis.model.remarks())


def notable_pairs(synopsis: Synopsis) -> list[tuple[int, int]]:
    """The pairs that differ most from independence, by the released numbers."""
    closed = range(min(len(synopsis.domain.closed), MOST_COLUMNS))
    scored = []
    for i, j in list(combinations(closed, 2))[:MOST_PAIRS_SEARCHED]:
        answer = crossed(synopsis, (i, j))
        if answer is not None:
            table = answer.value.reshape(synopsis.domain.sizes[i], -1)
            scored.append((float(np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum()), i, j))
    return [(i, j) for _, i, j in sorted(scored, reverse=True)[:MOST_PAIRS]]


def _pair_section(synopsis: Synopsis) -> list[str]:
    pictures = []
    for i, j in notable_pairs(synopsis):
        answer, first, second = crossed(synopsis, (i, j)), synopsis.domain.closed[i], synopsis.domain.closed[j]
        assert answer is not None
        table = answer.value.reshape(first.size, second.size)
        name = f"{first.name} (down) and {second.name} (across)"
        pictures.append((name, heat_map(table, first.labels, second.labels, name)))
    if not pictures:
        return []
    return [section("Pairs of columns that depend most on each other", figures(pictures),
                    text="Darker cells hold more rows. Point at a cell to read it.")]  # fmt: skip


def _drawn(shown: Section) -> str:
    """A section of a model's facts as HTML."""
    parts = [
        facts_table(part.heads, part.lines)
        if isinstance(part, TextTable)
        else figures([(picture.caption, _picture(picture)) for picture in part])
        for part in shown.parts
    ]
    return section(shown.heading, *parts, text=shown.text)


def _picture(shown: Picture) -> str:
    if isinstance(shown, Bars):
        return bars(shown.labels, shown.value, shown.half, None, shown.title)
    if isinstance(shown, Curve):
        return line(shown.places, shown.value, shown.half, shown.title, logarithmic=shown.logarithmic)
    return histogram(shown.values, shown.title, shown.axis)
