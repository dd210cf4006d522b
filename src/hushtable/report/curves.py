"""Curves: lines with their bands over an ordered axis, and how values are spread, as wide as the screen allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..words import html, readable

__all__ = ["curve", "histogram"]

Floats = NDArray[np.float64]


def curve(
    x: Floats, value: Floats, low: Floats, high: Floats, *, names: Sequence[str] | None = None,
    logarithmic: bool = False, unit: str = "",
) -> str:  # fmt: skip
    """A line with its band; below it the first, middle and last place, by `names` or as numbers."""
    at = np.log(x) if logarithmic else x
    across = (at - at[0]) / max(float(at[-1] - at[0]), 1e-300) * 100
    top, bottom = max(float(high.max()), 1e-300), min(float(low.min()), 0.0)

    def down(y: Floats) -> Floats:
        return (top - y) / (top - bottom) * 100

    def path(xs: Floats, ys: Floats) -> str:
        return " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(xs, ys, strict=True))

    band = path(np.concatenate([across, across[::-1]]), down(np.concatenate([high, low[::-1]])))
    zero = float(down(np.zeros(1))[0])
    drawn = (
        f'<polygon class="band" points="{band}"/><path class="grid" d="M0 {zero:.2f}H100M0 50H100"/>'
        f'<polyline class="line" points="{path(across, down(value))}"/>'
    )
    shown = names if names is not None else [readable(float(f"{place:.3g}")) for place in x]
    below = [shown[0], shown[len(x) // 2], shown[-1]]
    return _framed(drawn, (f"{_short(top)}{unit}", f"{_short(bottom)}{unit}"), below)


def histogram(values: Floats, axis: str) -> str:
    """How many values fall into each of twenty equal bins; the axis begins at 0."""
    top = max(float(values.max(initial=0.0)), 1e-9)
    counts, _ = np.histogram(np.clip(values, 0, None), bins=20, range=(0.0, top))
    most = max(int(counts.max()), 1)
    drawn = "".join(
        f'<rect class="bar" x="{5 * i + 0.3:.1f}" y="{100 - 100 * count / most:.1f}" width="4.4" '
        f'height="{100 * count / most:.1f}"/>'
        for i, count in enumerate(counts)
    )
    return _framed(drawn, (f"{most}", "0"), ["0", axis, f"{top:.3f}"])


def _framed(drawn: str, up: tuple[str, str], across: Sequence[str]) -> str:
    """A picture that is stretched, and text beside and below it that is not."""
    picture = f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img">{drawn}</svg>'
    beside = "".join(f"<span>{html(text)}</span>" for text in up)
    below = "".join(f"<span>{html(text)}</span>" for text in across)
    return (
        f'<div class="curve"><div class="up">{beside}</div>{picture}<div></div><div class="ticks">{below}</div></div>'
    )


def _short(number: float) -> str:
    return f"{number:.2g}" if number else "0"
