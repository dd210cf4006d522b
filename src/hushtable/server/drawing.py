"""Drawing: error bars to scale, as inline SVG whose colours the style sheet gives, so that they fit light and dark."""

from __future__ import annotations

import math

from markupsafe import Markup

__all__ = ["budget_bar", "heat", "scale_bar", "share_bar"]

HEATS = 10
# Narrower than this part of the whole scale, a bar is drawn a second time, close up.
TOO_NARROW = 0.04


def share_bar(value: float, low: float, high: float, top: float = 1.0) -> Markup:
    """A bar from 0 with its whisker, for a line of a table; all of them share one axis."""
    if not math.isfinite(value):
        return Markup("")
    reach = 100 * _clip(value / top)
    whisker = ""
    if math.isfinite(low) and math.isfinite(high):
        ends = (100 * _clip(low / top), 100 * _clip(high / top))
        whisker = f'<path class="whisker" d="M{ends[0]:.2f} 5H{ends[1]:.2f}M{ends[0]:.2f} 2V8M{ends[1]:.2f} 2V8"/>'
    body = f'<rect class="track" width="100" height="10"/><rect class="bar" width="{reach:.2f}" height="10"/>{whisker}'
    return Markup(f'<svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{body}</svg>')


def scale_bar(value: float, low: float, high: float, unit: str, whole: float | None) -> Markup:
    """A number on its whole scale, and close up where its bar would hardly be seen there."""
    if not (math.isfinite(value) and math.isfinite(low) and math.isfinite(high)):
        return Markup("")
    pictures = []
    if whole:
        pictures.append(_axis(value, low, high, 0.0, whole, unit))
    width = high - low
    if not whole or width < TOO_NARROW * whole:
        room = max(1.5 * width, abs(value) * 1e-6, 1e-9)
        pictures.append(_axis(value, low, high, low - room, high + room, unit, close=bool(whole)))
    return Markup("").join(pictures)


def heat(share: float, most: float) -> str:
    """The class of a cell's colour: h0 for nothing to h10 for the most."""
    if not (math.isfinite(share) and most > 0):
        return "h0"
    return f"h{round(HEATS * math.sqrt(_clip(share / most)))}"


def budget_bar(spent: float, total: float) -> Markup:
    """How much of a total is used."""
    reach = 100 * _clip(spent / total) if total > 0 else 100.0
    body = f'<rect class="track" width="100" height="10"/><rect class="spent" width="{reach:.2f}" height="10"/>'
    label = f"{reach:.0f}% of the budget is spent"
    return Markup(
        f'<svg class="budget" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f"{body}</svg>"
    )


def _axis(value: float, low: float, high: float, start: float, end: float, unit: str, *, close: bool = False) -> Markup:
    left, width = 10.0, 340.0

    def at(number: float) -> float:
        return left + width * _clip((number - start) / (end - start))

    marks = [start + (end - start) * part / 4 for part in range(5)]
    ticks = "".join(f'<path class="tick" d="M{at(m):.1f} 26V31"/>' for m in marks)
    texts = "".join(
        f'<text x="{at(m):.1f}" y="43" text-anchor="{anchor}">{_number(m, unit, (end - start) / 4)}</text>'
        for m, anchor in zip(marks[::2], ("start", "middle", "end"), strict=True)
    )
    a, b, v = at(low), at(high), at(value)
    whisker = f'<path class="whisker" d="M{a:.1f} 14H{b:.1f}M{a:.1f} 8V20M{b:.1f} 8V20"/>'
    body = f'<path class="axis" d="M{left} 28H{left + width}"/>{ticks}{texts}{whisker}'
    label = "close up" if close else "on the whole scale"
    return Markup(
        f'<svg class="scale" viewBox="0 0 360 48" role="img" aria-label="the interval {label}">{body}'
        f'<circle class="dot" cx="{v:.1f}" cy="14" r="4"/></svg>'
    )


def _number(number: float, unit: str, step: float) -> str:
    scaled, sign = (100 * number, "%") if unit == "fraction" else (number, "")
    fine = 100 * step if unit == "fraction" else step
    places = max(0, min(8, 1 - math.floor(math.log10(fine)))) if fine > 0 else 0
    return f"{scaled:,.{0 if fine >= 10 else places}f}{sign}"


def _clip(part: float) -> float:
    return min(max(part, 0.0), 1.0) if math.isfinite(part) else 0.0
