"""Heat maps: tables of two columns with a number in every cell, and one scale of colours for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from .bars import percent

__all__ = ["HeatMap", "heat_map", "legend"]

Floats = NDArray[np.float64]
MOST_SIDE = 14
DARK = 0.8
LONG_NAME = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class HeatMap:
    """Shares of rows by two columns, with half of their intervals where these are known."""

    down: str
    across: str
    rows: Sequence[str]
    columns: Sequence[str]
    value: Floats
    low: Floats | None = None
    high: Floats | None = None

    @property
    def top(self) -> float:
        """The largest share, either way of 0."""
        return float(np.nanmax(np.abs(self.value), initial=1e-12))

    @property
    def half(self) -> float | None:
        """A typical half of an interval."""
        if self.low is None or self.high is None:
            return None
        half = (self.high - self.low) / 2
        known = half[np.isfinite(half)]
        return float(np.median(known)) if known.size else None

    @property
    def cut(self) -> bool:
        """Whether not all of it is drawn."""
        return max(len(self.rows), len(self.columns)) > MOST_SIDE

    def smaller(self) -> HeatMap:
        """At most so many lines and columns as can be read: those with the largest sums, in their order."""
        sums = (np.abs(np.nan_to_num(self.value)).sum(axis=axis) for axis in (1, 0))
        lines, cells = (np.sort(np.argsort(-each, kind="stable")[:MOST_SIDE]) for each in sums)

        def part(numbers: Floats | None) -> Floats | None:
            return None if numbers is None else numbers[np.ix_(lines, cells)]

        return HeatMap(down=self.down, across=self.across, rows=[self.rows[i] for i in lines],
                       columns=[self.columns[j] for j in cells], value=self.value[np.ix_(lines, cells)],
                       low=part(self.low), high=part(self.high))  # fmt: skip


def heat_map(drawn: HeatMap, *, top: float, signed: bool = False) -> str:
    """The table in colours: darker for more of `top`; with `signed` orange below 0."""
    small = drawn.smaller()
    places = _places(small.half)
    turned = ' class="turned"' if max(map(len, small.columns), default=0) > LONG_NAME else ""
    heads = "".join(f'<th scope="col" title="{escape(c)}"><span>{escape(_short(c))}</span></th>' for c in small.columns)
    corner = f'<th class="corner">{escape(_short(drawn.down))} ↓ {escape(_short(drawn.across))} →</th>'
    lines = "".join(
        f'<tr><th scope="row" title="{escape(name)}">{escape(_short(name))}</th>'
        + "".join(_cell(small, i, j, top=top, places=places, signed=signed) for j in range(len(small.columns)))
        + "</tr>"
        for i, name in enumerate(small.rows)
    )
    table = f'<table class="heat"><thead><tr{turned}>{corner}{heads}</tr></thead><tbody>{lines}</tbody></table>'
    words = [] if small.half is None else [f"error bars about ± {100 * small.half:.{places + 1}f}"]
    words += [f"the {MOST_SIDE} largest values of each column"] if drawn.cut else []
    note = f'<p class="small soft">{"; ".join(words)}</p>' if words else ""
    return f'<div class="wide">{table}</div>{note}'


def legend(top: float) -> str:
    """What the colours mean, for all maps of a page that share `top`."""
    steps = (0.0, 1 / 16, 1 / 4, 9 / 16, 1.0)
    boxes = "".join(
        f'<span><i style="{_shade(_strength(top * part, top))}"></i>{100 * top * part:.2g}%</span>' for part in steps
    )
    return f'<div class="legend">{boxes}</div>'


def _cell(shown: HeatMap, i: int, j: int, *, top: float, places: int, signed: bool) -> str:
    value = float(shown.value[i, j])
    if not math.isfinite(value):
        return "<td>?</td>"
    strength = value / top if signed else _strength(value, top)
    tip, kind = f"{100 * value:.2f}%", " class=s" if abs(strength) > DARK else ""
    if shown.low is not None and shown.high is not None:
        low, high = float(shown.low[i, j]), float(shown.high[i, j])
        tip = percent(value, low, high)
        kind = " class=z" if low <= 0 and not kind else kind
    # A small number below 0 is noise around it, and reads as -0.0 without the sum.
    number = round(100 * value, places) + 0.0
    where = f"{escape(str(shown.rows[i]))}, {escape(str(shown.columns[j]))}: {tip}"
    return f'<td{kind} style="{_shade(strength)}" title="{where}">{number:.{places}f}</td>'


def _strength(value: float, top: float) -> float:
    """Small shares stay visible: the root of the part of the top."""
    return math.sqrt(min(max(value / max(top, 1e-12), 0.0), 1.0))


def _shade(strength: float) -> str:
    colour = "shade" if strength >= 0 else "below"
    return f"background:rgb(var(--{colour})/{min(abs(strength), 1.0):.0%})"


def _places(half: float | None) -> int:
    """Decimals of a percentage that its interval lets one read."""
    return 1 if half is None or half <= 0 else min(max(-math.floor(math.log10(100 * half)), 0), 2)


def _short(label: str) -> str:
    return label if len(label) <= 18 else f"{label[:17]}…"
