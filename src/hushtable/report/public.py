"""Public report: what a synopsis file says of its table, and how sure it is. Made from the file alone."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..domain.attributes import Attribute, Ordered
from ..errors import BadQuestion
from ..questions.answer import CrossTab
from ..questions.answer_forms import with_bar
from ..questions.declaration import answer_of
from ..questions.parse import Question
from ..questions.stamp import SIMULATED
from ..synopsis import Synopsis
from .appendix import appendix
from .bars import MOST_BARS, BarShares, bars, round_top
from .curves import curve
from .heat_maps import HeatMap, heat_map, legend
from .page import PagePart, figures, page, section
from .promise import citation, introduction, promise, the_asking
from .sections import drawn

__all__ = ["crossed", "notable_pairs", "public_report"]

Floats = NDArray[np.float64]
MOST_COLUMNS, MOST_PAIRS, MOST_CELLS = 60, 12, 20_000
MOST_PAIRS_SEARCHED = 2000


def public_report(synopsis: Synopsis, *, publisher: str | None = None, contact: str | None = None) -> str:
    """One HTML page for everyone; with who publishes it and whom to ask, where that is said."""
    info = synopsis.info()
    parts = [
        introduction(synopsis, info, publisher=publisher),
        promise(synopsis, info),
        *_single_section(synopsis),
        *(drawn(part) for part in synopsis.model.sections() if not part.technical),
        *_pair_section(synopsis),
        the_asking(synopsis, info),
        citation(synopsis, info, publisher=publisher, contact=contact),
        appendix(synopsis, info),
    ]
    stamp = SIMULATED if synopsis.not_private else None
    return page(synopsis.domain.table, parts, lead="A private summary that anyone may ask", stamp=stamp)


def _single_section(synopsis: Synopsis) -> list[PagePart]:
    tables = [(a, crossed(synopsis, (p,))) for p, a in enumerate(synopsis.domain.closed[:MOST_COLUMNS])]
    shares = [(attribute, BarShares.of(table)) for attribute, table in tables if table is not None]
    if not shares:
        return []
    top = round_top(max((each.top for attribute, each in shares if not _long(attribute)), default=1.0))
    pictures = [(attribute.name, _column(attribute, each, top)) for attribute, each in shares]
    text = (
        "Shares of all rows. Bars are the released shares on one common axis; the thin lines across their ends are "
        "95% error bars, the same that asking gives."
    )
    if any(len(each.labels) > MOST_BARS and not _long(attribute) for attribute, each in shares):
        text += f" Of columns with many values the {MOST_BARS} largest are shown."
    if len(synopsis.domain.closed) > MOST_COLUMNS:
        text += f" These are the first {MOST_COLUMNS} of {len(synopsis.domain.closed)} columns."
    return [section("One column at a time", figures(pictures), text=text)]


def _long(attribute: Attribute) -> bool:
    """Whether it has so many values in an order that a line shows them better than bars."""
    return isinstance(attribute, Ordered) and len(attribute.values) > MOST_BARS


def _column(attribute: Attribute, shares: BarShares, top: float) -> str:
    if not _long(attribute):
        return bars(shares, top=top)
    count = len(attribute.values)
    assert shares.low is not None
    assert shares.high is not None
    ends = 100 * shares.value[:count], 100 * shares.low[:count], 100 * shares.high[:count]
    return curve(np.arange(count, dtype=float), *ends, names=attribute.values, unit="%")


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


def notable_pairs(synopsis: Synopsis) -> list[tuple[int, int]]:
    """The pairs that differ most from independence, by what their error bars do not explain."""
    closed = range(min(len(synopsis.domain.closed), MOST_COLUMNS))
    scored = []
    for i, j in list(combinations(closed, 2))[:MOST_PAIRS_SEARCHED]:
        answer = crossed(synopsis, (i, j))
        if answer is not None:
            scored.append((*_dependence(answer, synopsis.domain.sizes[i]), i, j))
    return [(i, j) for *_, i, j in sorted(scored, reverse=True)[:MOST_PAIRS]]


def _dependence(answer: CrossTab, lines: int) -> tuple[float, float]:
    """How far a table is from that of independent columns: beyond the error bars of its cells, and in all."""
    table, (low, high) = answer.value.reshape(lines, -1), answer.interval(0.95)
    away = np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0)))
    half = np.nan_to_num((high - low) / 2, nan=np.inf).reshape(lines, -1)
    return float(np.maximum(away - half, 0).sum()), float(away.sum())


def _pair_section(synopsis: Synopsis) -> list[PagePart]:
    maps = [_map(synopsis, i, j) for i, j in notable_pairs(synopsis)]
    if not maps:
        return []
    top = max(each.top for each in maps)
    pictures = [(f"{each.down} and {each.across}", heat_map(each, top=top)) for each in maps]
    text = (
        "Percentages of all rows; one scale of colours for all tables. Grey numbers cannot be told from 0. Point at a "
        "cell to read its error bar. These are the pairs that depend most on each other."
    )
    return [section("Two columns at a time", legend(top), figures(pictures), text=text)]


def _map(synopsis: Synopsis, i: int, j: int) -> HeatMap:
    answer, first, second = crossed(synopsis, (i, j)), synopsis.domain.closed[i], synopsis.domain.closed[j]
    assert answer is not None
    low, high = answer.interval(0.95)
    value, least, most = (
        numbers.reshape(first.size, second.size)
        for numbers in (with_bar(answer.value, low, high, answer.estimator), low, high)
    )
    return HeatMap(
        down=first.name, across=second.name, rows=first.labels, columns=second.labels, value=value, low=least, high=most
    )
