"""Pictures of a fair rule: odds by score, the frontier of loss against parity, and the pairs that bind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLOURS", "Curve2", "curves", "odds_by_score"]

Floats = NDArray[np.float64]
COLOURS = ("#2f6f9f", "#d9822b", "#3c8d5a", "#8e5aa8", "#777777")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 440, 230, 56, 10, 34
MOST_POINTS = 1500


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where numbers are on the paper."""

    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        """From the left."""
        low, high = self.x
        return LEFT + (value - low) / max(high - low, 1e-12) * (WIDTH - LEFT - 12)

    def down(self, value: float) -> float:
        """From the top."""
        low, high = self.y
        return TOP + (high - value) / max(high - low, 1e-12) * (HEIGHT - TOP - BOTTOM)

    def axes(self, x_name: str, y_name: str) -> list[str]:
        """Lines at round places with their numbers, and the names of both axes."""
        parts = []
        for value in _round_places(*self.y):
            y = self.down(value)
            parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 8}" class="grid"/>')
            parts.append(f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        for value in _round_places(*self.x):
            x = self.across(value)
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{value:g}</text>')
        middle = (LEFT + WIDTH) / 2
        parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 4}" text-anchor="middle">{escape(x_name)}</text>')
        turned = f'transform="translate(11,{(HEIGHT - BOTTOM + TOP) / 2:.0f}) rotate(-90)"'
        parts.append(f'<text {turned} text-anchor="middle">{escape(y_name)}</text>')
        return parts


def _round_places(low: float, high: float) -> list[float]:
    """About five round numbers between two ends."""
    span = max(high - low, 1e-12)
    step = 10.0 ** np.floor(np.log10(span / 4))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= 6)
    first = np.ceil(low / step - 1e-9)
    return [round(float(i * step), 10) + 0.0 for i in np.arange(first, np.floor(high / step + 1e-9) + 1)]


def odds_by_score(
    score: Floats,
    odds: Floats,
    size: Floats,
    group: Sequence[int],
    *,
    axis: str,
    action: str,
    title: str,
    links: Sequence[tuple[int, int, float]] = (),
) -> str:
    """One dot a type: its score across, its odds up, its weight as its size, its group as its colour.

    `links` join types by lines, thicker for larger numbers.
    """
    margin = 0.04 * max(float(np.ptp(score)), 1e-9)
    frame = Frame(x=(float(score.min()) - margin, float(score.max()) + margin), y=(0.0, 1.0))
    parts = frame.axes(axis, f"chance of {action}")
    most = max((price for *_, price in links), default=1.0)
    for a, b, price in links:
        ends = [(frame.across(float(score[i])), frame.down(float(odds[i]))) for i in (a, b)]
        (x1, y1), (x2, y2) = ends
        thick = 0.6 + 3.4 * price / most
        parts.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-opacity="0.55" '
                     f'stroke-width="{thick:.1f}"/>')  # fmt: skip
    shown = np.argsort(-size, kind="stable")[:MOST_POINTS]
    for i in shown:
        radius = 1.6 + 5.0 * np.sqrt(float(size[i]) / max(float(size.max()), 1e-300))
        colour = COLOURS[group[i] % len(COLOURS)]
        parts.append(f'<circle cx="{frame.across(float(score[i])):.1f}" cy="{frame.down(float(odds[i])):.1f}" '
                     f'r="{radius:.1f}" fill="{colour}" fill-opacity="0.6"/>')  # fmt: skip
    return _svg(parts, title)


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve2:
    """A named line through points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def curves(lines: Sequence[Curve2], mark: tuple[float, float], *, x_name: str, y_name: str, title: str) -> str:
    """Lines with dots, their names below, and a ring at one place."""
    xs, ys = [v for line in lines for v in line.x] + [mark[0]], [v for line in lines for v in line.y] + [mark[1]]
    margin = 0.08 * max(max(ys) - min(ys), 1e-6)
    frame = Frame(x=(0.0, max(*xs, 1e-9) * 1.05), y=(min(ys) - margin, max(ys) + margin))
    parts = frame.axes(x_name, y_name)
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        points = [(frame.across(x), frame.down(y)) for x, y in zip(line.x, line.y, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in points]
    x, y = frame.across(mark[0]), frame.down(mark[1])
    parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="#b3261e" stroke-width="2"/>')
    return _svg(parts, title)


def _svg(parts: Sequence[str], title: str) -> str:
    head = f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" style="max-width:100%;height:auto">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"
