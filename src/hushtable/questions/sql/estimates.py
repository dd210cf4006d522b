"""Estimates: sums, quantiles and deviations from counts and means, with intervals that hold whatever the noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...domain.attributes import Attribute
from ..answer import CrossTab
from ..measure import Levels, Measure, levels
from .cells import Ends, combined

__all__ = ["Shares", "below_code", "quantile_of", "squares_of", "sum_of", "variance_of"]

Floats = NDArray[np.float64]
Shares = Callable[[int], CrossTab]
"""From a code to the share, in every group, of the rows with this value or a smaller one."""
IN_BINS = "{} was released in bins: the interval is wide enough for all values inside them"


def sum_of(rows: CrossTab, mean: CrossTab) -> CrossTab:
    """The sum of a column: how many rows have a value, times their mean."""
    value = np.where(rows.value <= 0, 0.0, rows.value * mean.value)
    stderr = np.abs(mean.value) * rows.stderr + np.abs(rows.value) * mean.stderr
    bias = np.abs(mean.value) * rows.bias + np.abs(rows.value) * mean.bias

    def ends(both: list[Ends]) -> Ends:
        (few, many), (low, high) = both
        few, many = np.maximum(few, 0.0), np.maximum(many, 0.0)
        # No row has a value where the mean is not known at all.
        corners = np.nan_to_num(np.array([few * low, few * high, many * low, many * high]))
        return corners.min(axis=0), corners.max(axis=0)

    return combined([rows, mean], value, stderr, bias, ends, unit="sum")


def below_code(column: int, attribute: Attribute, code: int) -> Measure:
    """1 for rows with this code or a smaller one, among the rows that have a number."""
    own = levels(attribute)
    order = np.argsort(own.middle[own.known > 0], kind="stable")
    small = set(order[: code + 1].tolist())
    worth = tuple(None if not own.known[c] else (1.0, 1.0) if c in small else (0.0, 0.0) for c in range(attribute.size))
    return Measure("mean", column, worth)


def quantile_of(attribute: Attribute, level: float, shares: Shares) -> CrossTab:
    """The smallest value that a share of `level` of the rows does not exceed.

    A value is inside the interval unless the share of rows up to it is surely smaller than `level`, or the share of
    rows below it surely larger: the intervals of these shares, turned around. Inside a bin the value is
    interpolated, and the interval holds all of the bin.
    """
    own = levels(attribute)
    known = own.known > 0
    order = np.argsort(own.middle[known], kind="stable")
    low, high = (own.middle - own.half)[known][order], (own.middle + own.half)[known][order]
    last = len(low) - 1
    memory: dict[int, CrossTab] = {}

    def share(code: int) -> CrossTab:
        if code not in memory:
            memory[code] = shares(code)
        return memory[code]

    first = share(0)
    cells = len(first)
    find = _Search(share, last, cells)
    place = find.first(lambda table: table.value >= level - 1e-12)
    value = np.array([_inside(share, int(i), g, level, low, high) for g, i in enumerate(place)])
    unknown = np.isnan(first.value)

    def limits(confidence: float) -> Ends:
        down = find.first(lambda table: table.interval(confidence)[1] >= level - 1e-12)
        up = find.first(lambda table: table.interval(confidence)[0] > level + 1e-12)
        return np.minimum(low[np.minimum(down, place)], value), np.maximum(high[np.maximum(up, place)], value)

    least, most = limits(0.95)
    notes = (IN_BINS.format(attribute.name),) if own.half.any() else ()
    out = combined([first], value, (most - least) / 3.92, np.zeros(cells), lambda ends: ends[0], unit="quantile",
                   notes=notes)  # fmt: skip
    from dataclasses import replace

    nowhere = np.where(unknown, np.nan, 1.0)
    return replace(out, value=value * nowhere, stderr=out.stderr * nowhere, limits=limits)


class _Search:
    """The first code at which a condition holds, in every group, by halving."""

    def __init__(self, share: Shares, last: int, cells: int) -> None:
        self.share, self.last, self.cells = share, last, cells

    def first(self, holds: Callable[[CrossTab], NDArray[np.bool_]]) -> NDArray[np.int64]:
        """One code a group; the last one where it holds nowhere before."""
        low, high = np.zeros(self.cells, np.int64), np.full(self.cells, self.last)
        while (low < high).any():
            middle = (low + high) // 2
            met = np.zeros(self.cells, dtype=bool)
            for code in np.unique(middle[low < high]).tolist():
                here = (middle == code) & (low < high)
                met[here] = holds(self.share(code))[here]
            open_ = low < high
            high, low = np.where(open_ & met, middle, high), np.where(open_ & ~met, middle + 1, low)
        return low


def _inside(share: Shares, code: int, group: int, level: float, low: Floats, high: Floats) -> float:
    """The value inside the bin, as if its rows were spread evenly."""
    before = 0.0 if code == 0 else float(share(code - 1).value[group])
    own = float(share(code).value[group]) - before
    part = (level - before) / own if own > 0 else 0.5
    return float(low[code] + min(max(part, 0.0), 1.0) * (high[code] - low[code]))


def squares_of(column: int, attribute: Attribute, centre: float) -> Measure:
    """(value - centre) squared, from least to most in every bin."""
    own: Levels = levels(attribute)
    worth: list[tuple[float, float] | None] = []
    for middle, half, known in zip(*own, strict=True):
        away = abs(middle - centre)
        worth.append((max(away - half, 0.0) ** 2, (away + half) ** 2) if known else None)
    return Measure("mean", column, tuple(worth))


def variance_of(
    rows: CrossTab, mean: CrossTab, square: CrossTab, centre: float, *, root: bool, sample: bool
) -> CrossTab:
    """The mean of (value - centre) squared, less the square of (mean - centre); or the root of that."""
    with np.errstate(all="ignore"):
        scale = np.where(rows.value > 1, rows.value / (rows.value - 1), np.nan) if sample else np.ones(len(rows))
        value = scale * np.maximum(square.value - (mean.value - centre) ** 2, 0.0)
        stderr = scale * (square.stderr + 2 * np.abs(mean.value - centre) * mean.stderr)
        bias = scale * (square.bias + 2 * np.abs(mean.value - centre) * mean.bias)
        if root:
            value, stderr, bias = np.sqrt(value), stderr / (2 * np.sqrt(value)), bias / (2 * np.sqrt(value))

    def ends(each: list[Ends]) -> Ends:
        (few, many), (low, high), (least, most) = each
        with np.errstate(all="ignore"):
            apart = np.maximum(np.abs(low - centre), np.abs(high - centre))
            nearest = np.where(
                (low <= centre) & (centre <= high), 0.0, np.minimum(abs(low - centre), abs(high - centre))
            )
            under, over = np.maximum(least - apart**2, 0.0), np.maximum(most - nearest**2, 0.0)
            if sample:
                under, over = (
                    under * np.where(many > 1, many / (many - 1), 1),
                    over * np.where(few > 1, few / (few - 1), np.inf),
                )
        return (np.sqrt(under), np.sqrt(over)) if root else (under, over)

    unit = "deviation" if root else "variance"
    return combined([rows, mean, square], value, stderr, bias, ends, unit=unit)  # type: ignore[arg-type]
