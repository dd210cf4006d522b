"""Bars: shares with their intervals, a line of text and a stretched bar each, so that they fit any width of screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from ..questions.answer import CrossTab
from ..questions.answer_forms import shown, with_bar

__all__ = ["BarShares", "bars", "percent", "round_top"]

Floats = NDArray[np.float64]
MOST_BARS = 24
TOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class BarShares:
    """Shares of rows by label, with the ends of their intervals, or with the true shares beside them."""

    labels: Sequence[str]
    value: Floats
    low: Floats | None = None
    high: Floats | None = None
    true: Floats | None = None

    @classmethod
    def of(cls, answer: CrossTab) -> BarShares:
        """As `ask` tells them: the same values and the same 95% intervals."""
        labels = [", ".join(parts) for parts in zip(*answer.groups.values(), strict=True)]
        low, high = answer.interval(0.95)
        return cls(labels=labels, value=with_bar(answer.value, low, high, answer.estimator), low=low, high=high)

    @property
    def top(self) -> float:
        """The largest number there is to draw; an interval counts as far as the longest bar goes again."""
        longest = max(float(np.nanmax(self.value, initial=0.0)), 1e-9)
        ends = [longest]
        if self.high is not None:
            ends.append(min(float(np.max(np.nan_to_num(self.high, nan=0.0, posinf=0.0), initial=0.0)), 1.6 * longest))
        if self.true is not None:
            ends.append(float(self.true.max(initial=0.0)))
        return max(ends)

    def fewer(self) -> BarShares:
        """At most so many as can be read: the largest, in their order."""
        if len(self.labels) <= MOST_BARS:
            return self
        kept = np.sort(np.argsort(-np.nan_to_num(self.value), kind="stable")[:MOST_BARS])

        def part(numbers: Floats | None) -> Floats | None:
            return None if numbers is None else numbers[kept]

        return BarShares(labels=[self.labels[i] for i in kept], value=self.value[kept], low=part(self.low),
                      high=part(self.high), true=part(self.true))  # fmt: skip


def round_top(number: float) -> float:
    """The round end of an axis that has room for a share; axes that are to be compared share the largest."""
    return next((top for top in TOPS if number <= top * (1 + 1e-9)), number)


def percent(value: float, low: float, high: float) -> str:
    """`7.12% ± 0.11`, to the digits that the interval allows; `0.00% (0.00 to 0.44)` where it is lopsided."""
    if not all(map(math.isfinite, (value, low, high))):
        return "unknown"
    text = shown(100 * value, 100 * low, 100 * high)
    for word in (" ± ", ", between "):
        first, found, rest = text.partition(word)
        if found:
            return f"{first}% ± {rest}" if word == " ± " else f"{first}% ({rest.replace(' and ', ' to ')})"
    return text


def bars(shares: BarShares, *, top: float | None = None) -> str:
    """One line a value: its name, a bar with a whisker for its interval or a dot for the true share, its number."""
    shares = shares.fewer()
    end = round_top(shares.top) if top is None else top
    lines = "".join(
        f'<tr><th scope="row" title="{escape(label)}">{escape(label)}</th><td class="pic">{_bar(shares, i, end)}</td>'
        f'<td class="n">{_number(shares, i)}</td></tr>'
        for i, label in enumerate(shares.labels)
    )
    ticks = "".join(f"<span>{_tick(end * part)}</span>" for part in (0, 0.25, 0.5, 0.75, 1))
    axis = f'<tr aria-hidden="true"><th></th><td class="pic"><div class="ticks">{ticks}</div></td><td></td></tr>'
    return f'<table class="bars"><tbody>{lines}{axis}</tbody></table>'


def _number(shares: BarShares, i: int) -> str:
    value = float(shares.value[i])
    if shares.low is None or shares.high is None:
        true = "" if shares.true is None else f" ({100 * float(shares.true[i]):.1f}%)"
        return f"{100 * value:.1f}%{true}"
    return percent(value, float(shares.low[i]), float(shares.high[i]))


def _bar(shares: BarShares, i: int, end: float) -> str:
    """A bar of its own, stretched to the width there is; the numbers beside it say the same."""
    reach = 100 * _clip(float(shares.value[i]) / end)
    parts = [
        '<path class="grid" d="M25 0V10M50 0V10M75 0V10M100 0V10"/>',
        f'<rect class="bar" y="1.6" width="{reach:.2f}" height="6.8"/>',
    ]
    if shares.low is not None and shares.high is not None:
        low, high = (100 * _clip(float(ends[i]) / end) for ends in (shares.low, shares.high))
        parts.append(f'<path class="whisker" d="M{low:.2f} 5H{high:.2f}"/>')
    if shares.true is not None:
        x = 100 * _clip(float(shares.true[i]) / end)
        parts.append(f'<rect class="true" x="{max(x - 0.5, 0):.2f}" y="0.5" width="1.2" height="9"/>')
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'


def _tick(share: float) -> str:
    return f"{100 * share:g}%"


def _clip(share: float) -> float:
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0
