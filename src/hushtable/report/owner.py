"""Owner's report: true against released. NOT FOR PUBLICATION: it holds exact numbers of the table."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import combinations
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..owner.comparison import RowComparison
from ..owner.people import PeopleFit
from ..questions.stamp import SIMULATED
from ..synopsis import Synopsis
from ..words import counted
from .appendix import facts
from .bars import BarShares, bars
from .curves import histogram
from .heat_maps import HeatMap, heat_map
from .page import PagePart, facts_table, figures, page, section
from .public import MOST_COLUMNS, crossed, notable_pairs

__all__ = ["STAMP", "TrueTables", "owner_report", "sets_to_compare"]

Floats = NDArray[np.float64]
STAMP = "NOT FOR PUBLICATION: this page shows true numbers of the protected table"
MOST_SETS, MOST_CELLS = 400, 200_000
SAMPLE_SEED = 3


class TrueTables(Protocol):
    """Exact tables of the rows; only the vault can make them."""

    def __call__(self, sets: list[tuple[int, ...]]) -> list[Floats]:
        """The true shares of the cells of each table."""


def sets_to_compare(synopsis: Synopsis, width: int) -> list[tuple[int, ...]]:
    """Tables of so many columns, all or a fixed sample, none too large."""
    sizes = synopsis.domain.sizes
    small = [s for s in combinations(range(len(sizes)), width) if prod(sizes[j] for j in s) <= MOST_CELLS]
    if len(small) <= MOST_SETS:
        return small
    kept = np.random.default_rng(SAMPLE_SEED).choice(len(small), MOST_SETS, replace=False)
    return [small[i] for i in sorted(kept)]


def _released(synopsis: Synopsis, positions: tuple[int, ...]) -> Floats | None:
    """The released shares of a table, as an array of its shape."""
    fitted = synopsis.model.fitted_table(positions)
    if fitted is not None:
        return fitted
    table = crossed(synopsis, positions)
    return None if table is None else table.value.reshape([synopsis.domain.sizes[p] for p in positions])


def owner_report(
    synopsis: Synopsis,
    true_tables: TrueTables,
    people: PeopleFit | None = None,
    rows: RowComparison | None = None,
) -> str:
    """One HTML page for the owner. Not private: compares with the true table, and synthetic rows with true ones."""
    sections = [
        section("What this is", facts(synopsis, synopsis.info())),
        *_people(synopsis, people),
        _errors(synopsis, true_tables),
        *([] if rows is None else [_rows(rows)]),
    ]
    names = synopsis.domain.closed[:MOST_COLUMNS]
    exact, pictures = true_tables([(p,) for p in range(len(names))]), []
    for p, (attribute, true) in enumerate(zip(names, exact, strict=True)):
        released = _released(synopsis, (p,))
        if released is not None:
            pictures.append((attribute.name, bars(BarShares(labels=attribute.labels, value=released, true=true))))
    shown = "Bars and numbers are released shares, marks and numbers in brackets the true ones."
    if not pictures:
        shown = "This release has no tables of columns with listed values or bins, so there is nothing to compare."
    sections.append(section("Single columns", figures(pictures), text=shown))
    sections.append(_pairs(synopsis, true_tables))
    stamp = f"{STAMP}. {SIMULATED}" if synopsis.not_private else STAMP
    return page(f"{synopsis.domain.table}: true against released", sections, stamp=stamp)


def _rows(compared: RowComparison) -> PagePart:
    """Synthetic rows beside a fresh sample of the real ones."""
    table = facts_table(("of the rows", "synthetic", "real rows drawn again"), compared.lines())
    text = (
        f"As many synthetic rows as real ones, {compared.rows:,}. The score is 1,000 times 1 less the mean error of "
        "tables of three columns; the propensity is how well a small decision tree tells synthetic rows from real "
        "ones, from 0 (not at all) to 0.25. The last column is what perfect rows would show."
    )
    return section("Synthetic rows", table, text=text)


def _people(synopsis: Synopsis, people: PeopleFit | None) -> list[PagePart]:
    """What keeping few rows of each person left out, where that was enforced."""
    if people is None:
        return []
    rows = synopsis.domain.unit.rows
    lines = [
        ("rows", f"{people.rows:,}"),
        ("rows left out", f"{people.left_out:,} ({people.left_out / max(people.rows, 1):.1%})"),
        ("people", f"{people.people:,}"),
        (f"people with more than {counted(rows, 'row')}", f"{people.cut:,}"),
        ("rows that name nobody, a person each", f"{people.unnamed:,}"),
    ]
    moved = facts_table(("column", "share of rows that moved"), [(name, f"{far:.4f}") for name, far in people.moved])
    text = (
        f"At most {counted(rows, 'row')} of each person count, chosen at random; the figures are of a choice like that "
        "of the release. Whatever the noise, answers are about these rows, and the columns of all rows differ from "
        "theirs by so much. True numbers on this page are of all rows."
    )
    return [section("People with many rows", facts_table(("", ""), lines), moved, text=text)]


def _errors(synopsis: Synopsis, true_tables: TrueTables) -> PagePart:
    """Total variation of many tables, by width."""
    lines, pictures = [], []
    for width in (1, 2, 3):
        sets = sets_to_compare(synopsis, width)
        off, names = [], []
        for positions, true in zip(sets, true_tables(sets) if sets else [], strict=True):
            released = _released(synopsis, positions)
            if released is not None:
                off.append(float(np.abs(released - true).sum()) / 2)
                names.append(", ".join(synopsis.domain.closed[p].name for p in positions))
        if off:
            worst = int(np.argmax(off))
            lines.append((f"{width}", f"{len(off)}", f"{np.mean(off):.4f}", f"{off[worst]:.4f}", names[worst]))
            pictures.append((f"tables of {width}", histogram(np.array(off), "error")))
    table = facts_table(("columns", "tables", "mean error", "largest", "where"), lines)
    text = "Error is total variation: the share of rows that would have to move for the released table to be true."
    return section("Errors", table, figures(pictures), text=text)


def _pairs(synopsis: Synopsis, true_tables: TrueTables) -> PagePart:
    chosen: list[tuple[int, ...]] = list(notable_pairs(synopsis)[:6])
    parts = []
    for (i, j), true in zip(chosen, true_tables(chosen) if chosen else [], strict=True):
        first, second = synopsis.domain.closed[i], synopsis.domain.closed[j]
        released = _released(synopsis, (i, j))
        assert released is not None
        kinds = (("true", true, False), ("released", released, False), ("released minus true", released - true, True))
        shape = HeatMap(down=first.name, across=second.name, rows=first.labels, columns=second.labels, value=true)
        top = max(float(np.abs(true).max()), float(np.abs(released).max()), 1e-12)
        maps = [(what, heat_map(replace(shape, value=table), top=top, signed=signed)) for what, table, signed in kinds]
        parts.append(f"<h3>{escape(first.name)} (down) and {escape(second.name)} (across)</h3>{figures(maps)}")
    return section("Pairs of columns", *parts)
