"""Plots: files with pictures of answers and of densities, with their uncertainty. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadPath
from ..extras import need
from ..files import check_writable, new_file
from ..questions.selection import Selection
from ..questions.stamp import SIMULATED
from ..words import readable, shortened

if TYPE_CHECKING:
    from ..mechanisms.comparison import BudgetComparison
    from ..models.smooth.density import Density
    from ..questions.answer import CrossTab
    from ..questions.drawing import Kind

__all__ = ["check_picture", "save_answer", "save_comparison", "save_density"]

ENDINGS = (".svg", ".png")
LINE, BAND = "#1f5fa8", "#9dc3e6"


def check_picture(path: Path) -> Path:
    """The path, if a picture can be made there. Asked before anything is computed."""
    if path.suffix.lower() not in ENDINGS:
        raise BadPath(f"{path} is not the name of a picture; end it in {' or '.join(ENDINGS)}")
    need("matplotlib")
    return check_writable(path)


def save_density(path: Path, seen: Density, *, title: str) -> None:
    """Writes the picture: a line with its band, or two maps, of the density and of its uncertainty.

    That of a rehearsal has its stamp above the title and in the file's description.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.2) if len(seen.axes) == 1 else (11.5, 4.8), layout="constrained")
    stamp = f"{SIMULATED}\n" if seen.not_private else ""
    figure.suptitle(stamp + title, fontsize=12, x=0.01, ha="left", color="#b3261e" if stamp else "black")
    (_line if len(seen.axes) == 1 else _maps)(figure, seen)
    _save(path, figure, not_private=seen.not_private)


def save_answer(path: Path, answer: CrossTab, *, kind: Kind | None = None, confidence: float = 0.95) -> None:
    """Writes the picture of a table of one or two columns; several aggregates of one SELECT one above the other."""
    from matplotlib.figure import Figure

    tables = answer.answers if isinstance(answer, Selection) else {"": answer}
    lines = len(dict.fromkeys(next(iter(answer.groups.values()), ())))
    tall = min(max(3.6, 0.3 * lines + (2.2 if len(answer.groups) > 1 else 1.4)), 14.0)
    figure = Figure(figsize=(8.0, tall * len(tables)), layout="constrained")
    for axes, (name, table) in zip(figure.subplots(len(tables), squeeze=False)[:, 0], tables.items(), strict=True):
        table.plot(axes, kind=kind, confidence=confidence)
        if name:
            axes.set_title(name, fontsize=10, loc="left")
    if len(tables) > 1:
        stamp = f"{SIMULATED}\n" if answer.not_private else ""
        figure.suptitle(stamp + shortened(answer.question, 90), fontsize=10, x=0.01, ha="left")
    _save(path, figure, not_private=answer.not_private)


def save_comparison(path: Path, compared: BudgetComparison) -> None:
    """Writes the picture of what several budgets buy: the error of a typical cell against epsilon, a line a width."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    axes = figure.subplots()
    scale = 100 if compared.plans[0].rows is not None else 1
    for width in compared.widths:
        points = [(float(p.budget.epsilon or 0), compared.errors(p)) for p in compared.plans]
        drawn = [(epsilon, scale * errors[width]) for epsilon, errors in points if width in errors]
        axes.plot(*zip(*drawn, strict=True), marker="o", label=f"{width} column{'s' if width > 1 else ''}")
    axes.set_xscale("log")
    axes.set_ylim(0, None)
    places = [float(plan.budget.epsilon or 0) for plan in compared.plans]
    axes.set_xticks(places, [readable(place) for place in places])
    axes.minorticks_off()
    axes.set_xlabel("epsilon: more is less private")
    axes.set_ylabel("95% error bar of a typical cell" + (", % of rows" if scale == 100 else ", rows"))
    axes.set_title(shortened(f"{compared.plans[0].domain.table}: {compared.plans[0].workload}", 90), loc="left")
    axes.grid(True, alpha=0.25)
    axes.legend(title="questions about", frameon=False)
    _save(path, figure, not_private=False)


def _save(path: Path, figure: Any, *, not_private: bool) -> None:
    import matplotlib

    ending = path.suffix.lower().removeprefix(".")
    described = {"Description": SIMULATED} if not_private else {}
    with matplotlib.rc_context({"svg.hashsalt": "hushtable"}), new_file(path) as file:
        figure.savefig(file, format=ending, dpi=150, metadata=described | ({"Date": None} if ending == "svg" else {}))


def _line(figure: Any, seen: Density) -> None:
    ax = figure.subplots()
    (x,), low = seen.places, seen.value - seen.half
    ax.fill_between(
        x, low, seen.value + seen.half, color=BAND, label=f"{100 * seen.confidence:g}% interval, each point"
    )
    ax.plot(x, seen.value, color=LINE, linewidth=1.8, label="density")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(min(0.0, float(low.min())), None)
    ax.set_xlabel(_name(seen, 0))
    ax.set_ylabel(f"share of rows per unit of {seen.axes[0]}")
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False)
    if seen.axes[0].transform == "log":
        ax.set_xscale("log")


def _maps(figure: Any, seen: Density) -> None:
    both = figure.subplots(1, 2, sharex=True, sharey=True)
    x, y = seen.places
    clear = np.ma.masked_where(seen.value <= seen.half, seen.value)
    words = ("density; grey where it cannot be told from 0", f"half of the {100 * seen.confidence:g}% interval")
    for ax, values, word, colours in zip(both, (clear, seen.half), words, ("viridis", "magma"), strict=True):
        ax.set_facecolor("#d9d9d9")
        shown = ax.pcolormesh(x, y, values.T, cmap=colours, shading="gouraud" if values is seen.half else "nearest",
                              vmin=0, rasterized=True)  # fmt: skip
        figure.colorbar(shown, ax=ax, label=f"share of rows per {seen.axes[0]} and {seen.axes[1]}")
        ax.set_title(word, fontsize=10, loc="left")
        ax.set_xlabel(_name(seen, 0))
        for scale, axis in zip((ax.set_xscale, ax.set_yscale), seen.axes, strict=True):
            if axis.transform == "log":
                scale("log")
    both[0].set_ylabel(_name(seen, 1))


def _name(seen: Density, axis: int) -> str:
    on = "" if seen.axes[axis].transform == "none" else f", on the scale of {seen.axes[axis]}"
    return f"{seen.axes[axis].name} (kernel width {readable(float(f'{seen.widths[axis]:.2g}'))}{on})"
