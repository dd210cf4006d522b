"""The picture of chapter 7: rows needed, degrees, PrivLearn, boosting, parities and circuits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from papers._paper import Row, axis, line, panels, select
from papers.servedio2012.learning import ALL, ERROR, KEPT

__all__ = ["draw"]

BLUE, ORANGE, GREEN, GREY = "#1f77b4", "#d95f02", "#2ca02c", "#777777"


def draw(rows: Sequence[Row]) -> Any:
    """Six panels."""
    titles = ("1  conjunctions of w of d columns: rows or numbers", "2  degrees: AND on 0..w within 1 / (3 n)",
              "3  PrivLearn by alpha, 50,000 rows", "4  boosting over questions",
              "5  all parities of 16 columns", "6  circuits of depth 2: error left by degree")  # fmt: skip
    figure, axes = panels(3, 2, titles)
    _needed(next(axes), rows)
    _degrees(next(axes), rows)
    _privlearn(next(axes), rows)
    _boosting(next(axes), rows)
    _parities(next(axes), rows)
    _circuits(next(axes), rows)
    return figure


def _needed(ax: Any, rows: Sequence[Row]) -> None:
    for w, color in ((3, BLUE), (5, GREEN), (10, ORANGE)):
        own = select(rows, figure="formulas", k=w)
        line(ax, select(own, quantity="formula"), "d", f"Theorem 7.1.2, constant 1, w = {w}", color=color, marker="o")
        line(ax, select(own, quantity="questions"), "d", f"all measured, w = {w}", color=color, linestyle="--")
    needs = select(rows, figure="constants", method="Theorem 7.3.10", quantity="n")
    line(ax, needs, "d", "its own constants, alpha = gamma = 0.1, w = 3", color="black", marker="v")
    axis(ax, "columns", "rows", log="xy", legend={"fontsize": 6.5, "loc": "upper left"},
         x_ticks=(16, 100, 1000, 10_000))  # fmt: skip
    ax.set_ylim(top=1e52)


def _degrees(ax: Any, rows: Sequence[Row]) -> None:
    for n, color in ((10, BLUE), (1000, ORANGE)):
        own = select(rows, figure="degree", n=n)
        line(ax, select(own, method="least"), "k", f"least, n = {n:,}", color=color, marker="o")
        line(ax, select(own, method="printed (7.14)"), "k", f"printed, n = {n:,}", color=color, linestyle="--")
    widths = sorted({row.k for row in select(rows, figure="degree") if row.k})
    ax.plot(widths, widths, color=GREY, linestyle=":", label="w, which is exact")
    axis(ax, "w", "degree", log="xy", x_ticks=widths, y_ticks=(5, 10, 20, 50, 100))


def _privlearn(ax: Any, rows: Sequence[Row]) -> None:
    for (d, w), color in (((16, 3), BLUE), ((16, 5), GREEN), ((30, 3), ORANGE)):
        own = select(rows, figure="conjunctions", d=d, k=w, r=1, quantity=ERROR)
        if own:
            line(ax, select(own, method="PrivLearn"), "bias", f"PrivLearn, d = {d}, w = {w}", color=color, marker="o")
            ax.axhline(select(own, method=ALL)[0].value, color=color, linestyle="--", linewidth=1,
                       label=f"one regression, d = {d}, w = {w}")  # fmt: skip
    axis(ax, "alpha", "mean absolute error", log="xy", legend={"fontsize": 7}, x_ticks=(0.02, 0.05, 0.1))


def _boosting(ax: Any, rows: Sequence[Row]) -> None:
    own = select(rows, figure="boosting")
    bars = [(f"{row.method},\n{row.quantity.removeprefix('largest error, ')}", row.value, row.whose) for row in own
            if row.quantity.startswith("largest error")]  # fmt: skip
    colors = [GREY if whose == "naive" else ORANGE if "degree 2" in name else BLUE for name, _, whose in bars]
    names = [name.replace(",\nlargest error", "").replace("base of ", "") for name, _, _ in bars]
    ax.bar(range(len(bars)), [value for _, value, _ in bars], color=colors, label=f"{own[0].n:,} rows")
    axis(ax, "", "largest error of all questions", log="y")
    ax.set_xticks(range(len(bars)), names, fontsize=7)


def _parities(ax: Any, rows: Sequence[Row]) -> None:
    kinds = ("flat", "skewed")
    methods = list(dict.fromkeys(row.method for row in rows if row.figure == "parities flat"))
    for number, method in enumerate(methods):
        values = [np.mean([r.value for r in select(rows, figure=f"parities {kind}", method=method)]) for kind in kinds]
        color = BLUE if method == KEPT else (GREY, ORANGE)[number % 2]
        ax.bar(np.arange(2) + 0.27 * (number - 1), values, width=0.25, color=color, label=method)
    axis(ax, "rows", "mean absolute error", log="y")
    ax.set_xticks(range(2), kinds)


def _circuits(ax: Any, rows: Sequence[Row]) -> None:
    line(ax, select(rows, figure="circuits by degree", quantity=ERROR), "k", "no noise, every question known",
         color=ORANGE, marker="o")  # fmt: skip
    low = select(rows, figure="circuits", quantity=ERROR, t=500)
    line(ax, low[:1], "k", "from 500 noisy answers", color=ORANGE, marker="v", linestyle="none")
    ours = select(rows, figure="released circuits", method="learned", quantity=ERROR)
    ax.axhline(float(np.mean([row.value for row in ours])), color=BLUE, linestyle="--", label="weights on public rows")
    axis(ax, "degree", "mean absolute error", log="y")
