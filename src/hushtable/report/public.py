"""Public report: what a synopsis file says of its table, and how sure it is. Made from the file alone."""

from __future__ import annotations

from itertools import combinations
from math import hypot, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..maths.weighted_rows.calibration import AUDIT_UNIT, Bound
from ..models.base import Model
from ..models.whole_table import WholeTableModel
from ..questions.answer import CrossTab
from ..questions.parse import Question
from ..questions.stamp import SIMULATED
from ..synopsis import Synopsis
from ..words import counted, readable
from .page import facts_table, figures, page, section
from .pictures import bars, heat_map, histogram
from .special import special_sections

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
        *_audit_section(synopsis),
        *special_sections(synopsis),
        *_single_section(synopsis),
        *_pair_section(synopsis),
    ]
    stamp = SIMULATED if synopsis.not_private else None
    return page(f"{synopsis.domain.table}: released summary", sections, stamp=stamp)


def _single_section(synopsis: Synopsis) -> list[str]:
    ones = [(a.name, crossed(synopsis, (p,))) for p, a in enumerate(synopsis.domain.closed[:MOST_COLUMNS])]
    pictures = [
        (name, bars(found.groups[name], found.value, _half(found), None, f"shares of {name}"))
        for name, found in ones
        if found is not None
    ]
    text = "Bars are released shares; lines are 95% error bars. Of columns with many values the largest are shown."
    return [section("Single columns", figures(pictures), text=text)] if pictures else []


def crossed(synopsis: Synopsis, positions: tuple[int, ...]) -> CrossTab | None:
    """The released table of a few columns; None where it cannot be asked."""
    # A model that reads questions of its own has no tables of columns.
    if type(synopsis.model).parse is not Model.parse:
        return None
    if not positions or prod(synopsis.domain.sizes[p] for p in positions) > MOST_CELLS:
        return None
    try:
        found = synopsis.model.answer(Question(text="report", groups=positions))
    except BadQuestion:
        return None
    return found if isinstance(found, CrossTab) else None


def _half(found: CrossTab) -> Floats:
    """Half of a 95% interval: that of the unbiased value where there is one, which is the narrower."""
    best = found if found.unbiased is None else found.unbiased
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
    if (found := model.row_count()) is not None:
        total, stderr = found
        spread = "exact" if stderr == 0 else f"± {1.96 * stderr:,.0f} (95%)"
        rows.append(("number of rows", f"{total:,.0f}, {spread}"))
    if isinstance(model, WholeTableModel):
        measured, triples = (sum(len(raw.set.members) == width for raw in model.tables) for width in (2, 3))
        measured += 0 if model.rare is None else sum(model.rare.columns.counts[2:])
        rows += [
            ("measured together", counted(measured, "pair") + (f", {counted(triples, 'triple')}" if triples else "")),
            ("effective share of the fitted rows", f"{model.effective:.2f} of {len(model.cloud.weights):,}"),
            ("Monte Carlo error of a share", f"at most {model.monte_carlo:.4f}"),
        ]
    return facts_table(("", ""), rows)


def _number(value: str | Fraction) -> str:
    from fractions import Fraction as Exact

    return readable(Exact(value))


def _remarks(synopsis: Synopsis) -> str:
    from html import escape

    return "".join(f'<p class="note">{escape(remark)}</p>' for remark in synopsis.model.remarks())


def _audit_section(synopsis: Synopsis) -> list[str]:
    model = synopsis.model
    if not isinstance(model, WholeTableModel) or model.audit is None:
        return []
    rows, lines, pictures = model.total[0], [], []
    noise = model.audit.stderr / rows
    # As in answers: the error of a noisy number of rows moves a fraction by at most 3/2 of its own.
    limit = Bound(0.5 / AUDIT_UNIT, hypot(noise, 1.5 * sqrt(model.total[1]) / rows), 1).limit(0.95)
    for width in (2, 3):
        found = model.audit.variations(width, rows)
        if found.size:
            mean = f"{found.mean():.4f} ± {1.96 * noise / found.size**0.5:.4f}"
            largest = f"{np.quantile(found, 0.95):.4f}", f"{found.max():.4f}"
            lines.append((f"{width} columns", f"{found.size:,}", mean, *largest))
            pictures.append((f"tables of {width} columns", histogram(found, f"audit of {width} columns", "distance")))
    text = (
        "How far the model is from the table: half the summed absolute difference of all cells, measured with noise of "
        f"standard error {noise:.4f} a table. These are estimates, too small about as often as too large; with 95% "
        f"confidence no question about the columns of a table is wrong by more than its distance and {limit:.4f}."
    )
    table = facts_table(("audited tables of", "how many", "mean distance", "95% are below", "largest"), lines)
    return [section("Audit", table, figures(pictures), text=text)]


def notable_pairs(synopsis: Synopsis) -> list[tuple[int, int]]:
    """The pairs that differ most from independence, by the released numbers."""
    closed = range(min(len(synopsis.domain.closed), MOST_COLUMNS))
    scored = []
    for i, j in list(combinations(closed, 2))[:MOST_PAIRS_SEARCHED]:
        found = crossed(synopsis, (i, j))
        if found is not None:
            table = found.value.reshape(synopsis.domain.sizes[i], -1)
            scored.append((float(np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum()), i, j))
    return [(i, j) for _, i, j in sorted(scored, reverse=True)[:MOST_PAIRS]]


def _pair_section(synopsis: Synopsis) -> list[str]:
    pictures = []
    for i, j in notable_pairs(synopsis):
        found, first, second = crossed(synopsis, (i, j)), synopsis.domain.closed[i], synopsis.domain.closed[j]
        assert found is not None
        table = found.value.reshape(first.size, second.size)
        name = f"{first.name} (down) and {second.name} (across)"
        pictures.append((name, heat_map(table, first.labels, second.labels, name)))
    if not pictures:
        return []
    return [section("Pairs of columns that depend most on each other", figures(pictures),
                    text="Darker cells hold more rows. Point at a cell to read it.")]  # fmt: skip
