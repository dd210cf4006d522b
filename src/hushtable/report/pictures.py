"""Pictures: bars and heat maps as SVG text that any browser shows without a script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from ..words import readable

__all__ = ["bars", "heat_map", "histogram", "line"]

Floats = NDArray[np.float64]
BLUE, ORANGE, GREY, BAND = "#2f6f9f", "#d9822b", "#777777", "#c3d9ea"
MOST_BARS, MOST_SIDE = 24, 30


def bars(labels: Sequence[str], value: Floats, half: Floats | None, true: Floats | None, title: str) -> str:
    """One bar a value, longest names cut; a whisker for its error bar, a dot for the true share where it is given."""
    labels, value, half, true = _fewer(labels, value, half, true)
    top = max(float(np.nanmax(value)), 0.0 if true is None else float(true.max()), 1e-9) * 1.15
    if half is not None:
        # Room for the whiskers, but not so much for a long one that the bars cannot be told apart.
        top = max(top, min(float(np.max(np.nan_to_num(value + half, nan=0.0))), 1.6 * top))
    line, left, width = 15, 150, 300
    parts = []
    for i, label in enumerate(labels):
        y, reach = i * line + 4, _clip(float(value[i]) / top) * width
        parts.append(f'<text x="{left - 6}" y="{y + 10}" text-anchor="end">{_short(label, 22)}</text>')
        parts.append(f'<rect x="{left}" y="{y}" width="{reach:.1f}" height="{line - 4}" fill="{BLUE}"/>')
        if half is not None and math.isfinite(half[i]):
            low, high = (_clip((float(value[i]) + s * float(half[i])) / top) * width + left for s in (-1, 1))
            middle = y + (line - 4) / 2
            parts.append(f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="#123" stroke-width="1.5"/>')
        if true is not None:
            x = left + _clip(float(true[i]) / top) * width
            parts.append(f'<circle cx="{x:.1f}" cy="{y + 5.5}" r="3.5" fill="{ORANGE}"/>')
        shown = f"{100 * float(value[i]):.1f}%"
        parts.append(f'<text x="{left + width + 8}" y="{y + 10}" fill="{GREY}">{shown}</text>')
    return _svg(parts, left + width + 60, len(labels) * line + 8, title)


def heat_map(table: Floats, rows: Sequence[str], columns: Sequence[str], title: str, *, signed: bool = False) -> str:
    """A table in colours: blue for much, or with `signed` orange below 0 and blue above."""
    table, rows, columns = _smaller(table, rows, columns)
    most = max(float(np.abs(table).max()), 1e-12)
    size = max(8, min(22, 260 // max(table.shape)))
    left, top = 120, 70
    parts = []
    for i, j in np.ndindex(table.shape):
        strength = float(table[i, j]) / most
        colour = _mix(strength if signed else math.sqrt(max(strength, 0.0)))
        x, y = left + j * size, top + i * size
        tip = f"{escape(str(rows[i]))}, {escape(str(columns[j]))}: {100 * float(table[i, j]):.2f}%"
        parts.append(
            f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{colour}"><title>{tip}</title></rect>'
        )
    # Small cells leave no room for every name.
    every = math.ceil(12 / size)
    for i, label in list(enumerate(rows))[::every]:
        y = top + i * size + size / 2 + 4
        parts.append(f'<text x="{left - 5}" y="{y:.0f}" text-anchor="end">{_short(label, 17)}</text>')
    for j, label in list(enumerate(columns))[::every]:
        x = left + j * size + size / 2 + 3
        parts.append(f'<text transform="translate({x:.0f},{top - 5}) rotate(-55)">{_short(label, 12)}</text>')
    return _svg(parts, left + table.shape[1] * size + 40, top + table.shape[0] * size + 8, title)


def histogram(values: Floats, title: str, mark: str) -> str:
    """How many values fall into each of twenty equal bins; the axis begins at 0."""
    top = max(float(values.max(initial=0.0)), 1e-9)
    counts, _ = np.histogram(np.clip(values, 0, None), bins=20, range=(0.0, top))
    width, height, step = 420, 110, 20
    parts = []
    for i, count in enumerate(counts):
        tall = float(count) / max(int(counts.max()), 1) * height
        parts.append(f'<rect x="{10 + i * step}" y="{10 + height - tall:.1f}" width="{step - 2}" height="{tall:.1f}" '
                     f'fill="{BLUE}"><title>{count} tables</title></rect>')  # fmt: skip
    parts.append(f'<path d="M8 {12 + height}H{width - 6}" stroke="{GREY}"/>')
    parts.append(f'<text x="8" y="{height + 27}">0</text>')
    parts.append(f'<text x="{width - 8}" y="{height + 27}" text-anchor="end">{top:.3f}</text>')
    parts.append(f'<text x="{width / 2}" y="{height + 27}" text-anchor="middle">{escape(mark)}</text>')
    return _svg(parts, width, height + 36, title)


def line(x: Floats, value: Floats, half: Floats, title: str, *, logarithmic: bool = False) -> str:
    """A curve with its band; the places run along the axis, or their logarithms do."""
    width, height, left = 420, 150, 10
    at = np.log(x) if logarithmic else x
    across = left + (at - at[0]) / max(float(at[-1] - at[0]), 1e-300) * (width - 2 * left)
    low, high = np.minimum(value - half, value), value + half
    top, bottom = max(float(high.max()), 1e-300), min(float(low.min()), 0.0)

    def down(y: Floats) -> Floats:
        return 8 + (top - y) / (top - bottom) * height

    def path(xs: Floats, ys: Floats) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(xs, ys, strict=True))

    band = path(np.concatenate([across, across[::-1]]), down(np.concatenate([high, low[::-1]])))
    zero = float(down(np.zeros(1))[0])
    parts = [
        f'<polygon points="{band}" fill="{BAND}"/>',
        f'<polyline points="{path(across, down(value))}" fill="none" stroke="{BLUE}" stroke-width="1.8"/>',
        f'<path d="M{left} {zero:.1f}H{width - left}" stroke="{GREY}"/>',
    ]
    for place, anchor in ((0, "start"), (len(x) // 2, "middle"), (-1, "end")):
        shown = readable(float(f"{x[place]:.3g}"))
        parts.append(f'<text x="{across[place]:.0f}" y="{height + 26}" text-anchor="{anchor}">{shown}</text>')
    return _svg(parts, width, height + 34, title)


def _svg(parts: Sequence[str], width: float, height: float, title: str) -> str:
    head = f'<svg role="img" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"


def _short(label: str, most: int) -> str:
    return escape(label if len(label) <= most else f"{label[: most - 1]}…")


def _clip(share: float) -> float:
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0


def _mix(strength: float) -> str:
    """White at 0, blue at 1, orange at -1."""
    ends = (47, 111, 159) if strength >= 0 else (217, 130, 43)
    part = min(abs(strength), 1.0)
    return "#" + "".join(f"{round(255 + (end - 255) * part):02x}" for end in ends)


def _fewer(
    labels: Sequence[str], value: Floats, half: Floats | None, true: Floats | None
) -> tuple[Sequence[str], Floats, Floats | None, Floats | None]:
    """At most MOST_BARS values: the largest, in their order."""
    if len(labels) <= MOST_BARS:
        return labels, value, half, true
    kept = np.sort(np.argsort(-value, kind="stable")[:MOST_BARS])
    return ([labels[i] for i in kept], value[kept], None if half is None else half[kept],
            None if true is None else true[kept])  # fmt: skip


def _smaller(table: Floats, rows: Sequence[str], columns: Sequence[str]) -> tuple[Floats, list[str], list[str]]:
    """At most MOST_SIDE lines and columns: those with the largest sums, in their order."""
    across, down = (np.abs(table).sum(axis=axis) for axis in (1, 0))
    lines, cells = (np.sort(np.argsort(-sums, kind="stable")[:MOST_SIDE]) for sums in (across, down))
    return table[np.ix_(lines, cells)], [rows[i] for i in lines], [columns[j] for j in cells]
