"""The picture of chapter 4: growth of errors, the lower bound, the trade of figure 4.1, points, and a survey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from papers._paper import Row, axis, line, panels, select
from papers.rothblum2010.reduced import ERROR, WORST
from papers.rothblum2010.survey import draw_curator

__all__ = ["draw"]

BLUE, ORANGE, GREEN = "#1f77b4", "#d95f02", "#2ca02c"
COLORS = {"delta": {"theirs": ORANGE, "ours": BLUE}, "pure": {"theirs": "#8c510a", "ours": GREEN}}
TIMES = ("none", "polylog N", "N", "poly(N)", "N^n")


def draw(rows: Sequence[Row]) -> Any:
    """Eight panels."""
    titles = (
        "1  with a delta of 1e-6, by rows",
        "2  pure epsilon, by rows",
        "3  by questions (theirs 10^10 rows, ours 10^5)",
        "4  by the universe (theirs 10^10 rows, ours 10^5)",
        "5  pure epsilon: lower bound and reached, N = 2^12",
        "6  figure 4.1, n = 10^6, k = 10^5",
        "7  on 16,384 points, 50,000 rows, (1, 1e-6)",
        "8  nltcs: questions one at a time, (1, 1e-6)",
    )
    figure, axes = panels(4, 2, titles)
    for kind, power in (("delta", -1 / 2), ("pure", -1 / 3)):
        _growth(next(axes), rows, "rows", "n", "rows", (kind,), power)
    _growth(next(axes), rows, "questions", "k", "questions", ("delta", "pure"), None)
    _growth(next(axes), rows, "universe", "d", "columns of two values (log2 N)", ("delta", "pure"), None)
    _lower(next(axes), rows)
    _trade(next(axes), rows)
    _points(next(axes), rows)
    draw_curator(next(axes), rows)
    return figure


def _growth(
    ax: Any, rows: Sequence[Row], figure: str, x: str, label: str, kinds: Sequence[str], power: float | None
) -> None:
    """Observed errors with a mark, stated ones without; dotted the rate of the theorem through the first of theirs."""
    for kind in kinds:
        for whose, color in COLORS[kind].items():
            own = [row for row in select(rows, figure=figure, whose=whose) if row.method.endswith(kind)]
            name = f"{whose}, {kind}" if len(kinds) > 1 else whose
            line(ax, select(own, quantity="largest error"), x, f"{name}, largest", color=color, marker="o")
            line(ax, select(own, quantity="stated error"), x, f"{name}, stated", color=color, linestyle="--")
            if power is not None:
                first = min(select(own, quantity="stated error"), key=lambda row: getattr(row, x))
                last = max(getattr(row, x) for row in own)
                start = getattr(first, x)
                ax.plot([start, last], [first.value, first.value * (last / start) ** power], color="black", linewidth=1,
                        linestyle=":", label="the theorem's rate" if whose == "theirs" else None)  # fmt: skip
    axis(ax, label, "error, share of rows", log="xy" if x != "d" else "y", legend={"fontsize": 7, "ncol": len(kinds)})


def _lower(ax: Any, rows: Sequence[Row]) -> None:
    own = select(rows, figure="lower")
    line(ax, select(own, quantity="largest error"), "n", "ours, largest error reached", color=GREEN, marker="o")
    line(ax, select(own, quantity="lower bound"), "n", "Theorem 4.5.1, constants worked out", color="black", marker="v")
    axis(ax, "rows", "error, share of rows", log="xy", x_ticks=sorted({row.n for row in own if row.n}))


def _trade(ax: Any, rows: Sequence[Row]) -> None:
    own = select(rows, figure="trade")
    for whose, color, mark in (("theirs", ORANGE, "o"), ("ours", BLUE, "D")):
        some = select(own, whose=whose)
        label = "as printed, without constants" if whose == "theirs" else "ours, as stated"
        ax.plot([row.r for row in some], [row.value for row in some], mark, color=color, label=label)
        for row in some:
            at = (5, 3) if row.r != 1 else (-40, -12)
            ax.annotate(row.method, (row.r, row.value), fontsize=7, xytext=at, textcoords="offset points")
    axis(ax, "time of a question", "error in rows", log="y")
    ax.set_xticks(range(len(TIMES)), TIMES)
    ax.set_xlim(-0.4, 5.1)


def _points(ax: Any, rows: Sequence[Row]) -> None:
    own = select(rows, figure="points")
    line(ax, select(own, quantity=WORST), "d", "largest error", color=BLUE, marker="o", linestyle=":")
    line(ax, select(own, quantity=ERROR), "d", "root mean square error", color=BLUE, marker="o")
    axis(ax, "columns of two values (log2 N)", "error, share of rows", log="y")
