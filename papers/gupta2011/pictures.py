"""The picture of chapter 6: tails, sizes, both stages, releases, cuts and the learner's updates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from papers._paper import Row, axis, line, panels, select
from papers.gupta2011.graphs import CHANCES
from papers.gupta2011.graphs import ERROR as EDGES_OFF
from papers.gupta2011.learner import law_of, trace
from papers.gupta2011.released import ERROR

__all__ = ["draw"]

BLUE, ORANGE, GREEN, GREY = "#1f77b4", "#d95f02", "#2ca02c", "#777777"


def draw(rows: Sequence[Row]) -> Any:
    """Six panels."""
    titles = (
        "1  sets that far from the mean (p = 1/2)",
        "2  pieces of a decomposition (survey)",
        "3  largest jump on a piece over rho, 30 graphs",
        "4  conjunctions of 16 columns, 50,000 rows, epsilon 1",
        "5  cuts of 1,000 vertices, 10,000 edges, epsilon 1",
        "6  figure 6.7: largest error by updates",
    )
    figure, axes = panels(2, 3, titles)
    _tails(next(axes), rows)
    _sizes(next(axes), rows)
    _stages(next(axes), rows)
    _releases(next(axes), rows)
    _cuts(next(axes), rows)
    _updates(next(axes))
    return figure


def _tails(ax: Any, rows: Sequence[Row]) -> None:
    for name, color in (("modular, 50", ORANGE), ("modular, 400", BLUE), ("coverage, 50", GREEN)):
        own = [row for row in select(rows, figure="tail", method=name, r=50) if row.value > 1e-12]
        line(ax, select(own, quantity="share"), "bias", name, color=color)
        line(ax, select(own, quantity="bound"), "bias", color=color, linestyle=":")
    axis(ax, "distance from the mean", "share of sets (dotted: Corollary 6.2.6)", legend={"loc": "lower left"})
    ax.set_ylim(1e-8, 2)


def _sizes(ax: Any, rows: Sequence[Row]) -> None:
    sizes = select(rows, figure="size", quantity="pieces")
    for d, color in ((10, ORANGE), (16, BLUE), (20, GREEN), (50, GREY)):
        for order, style in (("given", "-"), ("decreasing", "--")):
            if own := select(sizes, d=d, method=f"survey, {order}"):
                line(ax, own, "k", f"{d} columns, {order}", color=color, linestyle=style, marker="o")
    axis(ax, "1 / rho", "pieces", log="xy", x_ticks=(5, 10, 20, 40), legend={"fontsize": 7})


def _stages(ax: Any, rows: Sequence[Row]) -> None:
    for method, color in (("as printed", ORANGE), ("mended", BLUE)):
        for noise, marker in ((0.0, "o"), (1 / 12, "x")):
            own = select(rows, figure="stages", method=method, quantity="largest jump", bias=noise)
            label = f"{method}, {'oracle off by rho / 12' if noise else 'exact'}"
            values = sorted(row.value for row in own)
            ax.plot(range(len(values)), values, marker, color=color, label=label, markersize=4)
    ax.axhline(1, color=GREY, linewidth=1, label="Theorem 6.3.13")
    axis(ax, "graphs, sorted", "jump / rho", log="")


def _releases(ax: Any, rows: Sequence[Row]) -> None:
    kinds = {"constant": GREY, "figure 6.6, rho = 0.3": ORANGE, "figure 6.6, rho = 0.1": "#8c510a",
             "figure 6.6, three columns": ORANGE, "tree, pure": BLUE, "tree, delta 1e-6": GREEN}  # fmt: skip
    found = {method: [row.value for row in select(rows, figure="release", method=method, quantity=ERROR)]
             for method in kinds}  # fmt: skip
    shown = [method for method in kinds if found[method]]
    for place, method in enumerate(shown):
        ax.plot([place] * len(found[method]), found[method], "o", color=kinds[method], markersize=6, label="_")
        ax.annotate(method, (place, max(found[method]) * 1.25), fontsize=7, ha="center", rotation=12)
    ax.plot([], [], "o", color=GREY, label="a table each")
    axis(ax, "", "mean absolute error")
    ax.set_xticks([])
    ax.set_xlim(-0.7, len(shown) - 0.3)
    ax.set_ylim(1e-3, 1)


def _cuts(ax: Any, rows: Sequence[Row]) -> None:
    for place, (method, color) in enumerate((("constant", GREY), ("hub tree", ORANGE), ("degree-cuts", BLUE))):
        heights = [np.mean([row.value for row in select(rows, figure="cuts", method=method, quantity=EDGES_OFF,
                                                        bias=chance)]) for chance in CHANCES]  # fmt: skip
        ax.bar(np.arange(len(CHANCES)) + 0.27 * (place - 1), heights, 0.25, color=color, label=method)
    axis(ax, "vertices in the group", "edges off, mean")
    ax.set_xticks(range(len(CHANCES)), [f"{chance:.0%}" for chance in CHANCES])


def _updates(ax: Any) -> None:
    for printed, name, color in ((True, "as printed", ORANGE), (False, "mended", BLUE)):
        errors = trace(law_of(1), 0.1, printed=printed, most=400)
        ax.plot(range(len(errors)), errors, color=color, label=name, linewidth=1.6)
    ax.axhline(0.1, color=GREY, linewidth=1, label="alpha")
    axis(ax, "updates", "largest error of a conjunction", log="")
