"""Drawing: an answer as bars, lines or a heat map with its error bars, on matplotlib's axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..extras import need
from ..words import shortened
from .answer_forms import with_bar
from .stamp import SIMULATED

if TYPE_CHECKING:
    from .answer import CrossTab

__all__ = ["KINDS", "Kind", "draw"]

Kind = Literal["bars", "lines", "map"]
Floats = NDArray[np.float64]
KINDS: tuple[Kind, ...] = ("bars", "lines", "map")
BLUE, DARK = "#3b78ad", "#16283a"
COLOURS = (BLUE, "#d9822b", "#3c8d5a", "#8e5aa8", "#b3455c", "#777777")
# More labels than these are read better as a line, more lines than these not at all, and more cells have no room for
# their numbers.
MANY_LABELS, MOST_LINES, MOST_NUMBERS, MOST_BARS = 12, len(COLOURS), 400, 60
UNPLACED = ("other", "missing")


def draw(answer: CrossTab, ax: Any = None, *, kind: Kind | None = None, confidence: float = 0.95) -> Any:
    """The axes, drawn on: those given, or new ones. BadQuestion where the answer has not one or two group columns.

    Without `kind` one column is bars, or a line where it has an order and many values; two columns are a heat map, or
    lines where means are asked over an ordered column.
    """
    need("matplotlib")
    if kind is not None and kind not in KINDS:
        raise BadQuestion(f"there is no picture of the kind '{kind}'; there are {', '.join(KINDS)}")
    if not 1 <= len(answer.groups) <= 2 or not len(answer):
        raise BadQuestion(
            f"a picture has one or two columns, and this answer has {len(answer.groups)} and {len(answer)} lines; "
            "GROUP BY one or two columns"
        )
    drawn = kind or _usual(answer)
    if (len(answer.groups) == 2) != (drawn == "map") and drawn != "lines":
        raise BadQuestion(f"{drawn} are for {'one column' if drawn == 'bars' else 'two columns'}; leave the kind out")
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(7.5, 4.6), layout="constrained").subplots()
    {"bars": _bars, "lines": _lines, "map": _map}[drawn](ax, answer, confidence)
    stamp = f"{SIMULATED}\n" if answer.not_private else ""
    title = stamp + shortened(answer.question, 90)
    ax.set_title(title, fontsize=10, loc="left", color="#b3261e" if stamp else DARK)
    return ax


def _usual(answer: CrossTab) -> Kind:
    labels = {name: len(dict.fromkeys(column)) for name, column in answer.groups.items()}
    ordered = [name for name in labels if name in answer.ordered]
    if len(labels) == 1:
        return "lines" if ordered and max(labels.values()) > MANY_LABELS else "bars"
    few = min(labels.values()) <= MOST_LINES and ordered
    return "map" if answer.unit in ("count", "fraction") or not few else "lines"


def _scale(answer: CrossTab) -> tuple[float, str]:
    """Shares are drawn in percent."""
    words = {"fraction": "% of rows", "count": "rows"}
    return (100.0 if answer.unit == "fraction" else 1.0), words.get(answer.unit, answer.unit)


def _ends(answer: CrossTab, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Value, and how far the interval reaches below and above it; not drawn where that is unknown."""
    scale, _ = _scale(answer)
    low, high = answer.interval(confidence)
    value = with_bar(answer.value, low, high, answer.estimator)
    reach = (np.where(np.isfinite(end), np.maximum(end, 0), np.nan) for end in (value - low, high - value))
    below, above = reach
    return scale * value, scale * below, scale * above


def _bars(ax: Any, answer: CrossTab, confidence: float) -> None:
    """One bar a value, from the top down; of very many the largest."""
    (name, labels), (value, below, above) = *answer.groups.items(), _ends(answer, confidence)
    kept = np.sort(np.argsort(-np.nan_to_num(value), kind="stable")[:MOST_BARS])
    at = np.arange(len(kept))
    ax.barh(at, value[kept], color=BLUE, height=0.72)
    ax.errorbar(value[kept], at, xerr=(below[kept], above[kept]), fmt="none", ecolor=DARK, elinewidth=1.3, capsize=2.5)
    ax.set_yticks(at, [shortened(labels[i], 30) for i in kept])
    ax.invert_yaxis()
    ax.set_ylabel(name)
    ax.set_xlabel(f"{_scale(answer)[1]}, with {100 * confidence:g}% intervals")
    ax.axvline(0, color=DARK, linewidth=0.8)
    ax.grid(True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)


def _lines(ax: Any, answer: CrossTab, confidence: float) -> None:
    """Values over the labels of the ordered column; a line for each value of the other one, a band for its interval."""
    across = next((name for name in answer.groups if name in answer.ordered), next(iter(answer.groups)))
    other = next((name for name in answer.groups if name != across), None)
    names = list(dict.fromkeys(answer.groups[across]))
    series = [None] if other is None else list(dict.fromkeys(answer.groups[other]))
    if len(series) > MOST_LINES:
        raise BadQuestion(
            f"{other} has {len(series)} values, and at most {MOST_LINES} lines can be told apart; draw a map"
        )
    place = {label: i for i, label in enumerate(names)}
    value, below, above = _ends(answer, confidence)
    for number, label in enumerate(series):
        rows = [i for i in range(len(answer)) if other is None or answer.groups[other][i] == label]
        at = np.array([place[answer.groups[across][i]] for i in rows], dtype=float)
        placed = np.array([answer.groups[across][i] not in UNPLACED for i in rows])
        _series(ax, at, (value[rows], below[rows], above[rows]), placed, colour=COLOURS[number], label=label)
    step = math.ceil(len(names) / MANY_LABELS)
    shown = range(0, len(names), step)
    ax.set_xticks(list(shown), [shortened(names[i], 18) for i in shown], rotation=30 if step > 1 else 0)
    ax.set_xlabel(across)
    ax.set_ylabel(f"{_scale(answer)[1]}, with {100 * confidence:g}% intervals")
    if other is not None:
        ax.legend(title=other, frameon=False)
    ax.grid(True, alpha=0.25)


def _series(
    ax: Any, at: Floats, ends: tuple[Floats, Floats, Floats], placed: NDArray[np.bool_], *, colour: str,
    label: str | None,
) -> None:  # fmt: skip
    """A line with its band; values without a place in the order, such as missing, are points apart."""
    value, below, above = ends
    order = np.argsort(at[placed], kind="stable")
    x, y, down, up = (numbers[placed][order] for numbers in (at, value, below, above))
    ax.fill_between(x, y - down, y + up, color=colour, alpha=0.22, linewidth=0)
    ax.plot(x, y, color=colour, linewidth=1.8, marker="o", markersize=3.5, label=label)
    rest = ~placed
    if rest.any():
        ax.errorbar(at[rest], value[rest], yerr=(below[rest], above[rest]), fmt="o", color=colour, markersize=4,
                    capsize=2.5)  # fmt: skip


def _map(ax: Any, answer: CrossTab, confidence: float) -> None:
    """Colours with numbers; a number whose interval holds 0 is grey."""
    (down, rows), (across, columns) = answer.groups.items()
    names = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
    (value, below, above), shape = _ends(answer, confidence), (len(names[0]), len(names[1]))
    table, half, unclear = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    for i in range(len(answer)):
        cell = names[0].index(rows[i]), names[1].index(columns[i])
        table[cell], half[cell] = value[i], (below[i] + above[i]) / 2
        unclear[cell] = value[i] - below[i] <= 0 <= value[i] + above[i]
    shown = ax.imshow(np.ma.masked_invalid(table), cmap="Blues", aspect="auto", vmin=min(np.nanmin(table), 0.0))
    typical = np.nanmedian(half) if np.isfinite(half).any() else 0.0
    places = 0 if typical <= 0 else min(max(-math.floor(math.log10(typical)), 0), 3)
    dark = 0.6 * np.nanmax(table)
    if table.size <= MOST_NUMBERS:
        for i, j in zip(*np.nonzero(np.isfinite(table)), strict=True):
            colour = "white" if table[i, j] > dark else "#888888" if unclear[i, j] else DARK
            number = round(float(table[i, j]), places) + 0.0
            ax.text(j, i, f"{number:,.{places}f}", ha="center", va="center", fontsize=8, color=colour)
    turned = 45 if max(map(len, names[1])) > 6 else 0
    ax.set_xticks(
        range(shape[1]), [shortened(n, 18) for n in names[1]], rotation=turned, ha="right" if turned else "center"
    )
    ax.set_yticks(range(shape[0]), [shortened(n, 24) for n in names[0]])
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    ax.figure.colorbar(shown, ax=ax, label=f"{_scale(answer)[1]}, about ± {typical:.2g}")
