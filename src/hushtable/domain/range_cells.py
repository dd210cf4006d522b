"""Range cells: how a number of which only the range is declared is first looked at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from .attributes import Binned

__all__ = ["SINGLE", "clear_cuts", "first_cuts", "own_cuts", "roundest"]

# Whole numbers without bins have one bin a value in ranges of at most so many values.
SINGLE = 1000
# Cells of the first look; the number of steps above which they may be wider where numbers are larger, and how many
# times the end nearer to 0 the other one is then.
CELLS, MANY, FAR = 32, 256, 20
# A cut of the first look may be moved to a rounder number by so much of a cell: people ask at round numbers.
MOVED = Fraction(1, 4)


def first_cuts(attribute: Binned) -> tuple[Fraction, ...]:
    """Cuts of about 32 cells: equal ones, or equal in the cube root; 0, the bounds and atoms have their own."""
    low, high, unit = attribute.low, attribute.high, attribute.unit
    units = (high - low) // unit + 1
    if units <= CELLS:
        return clear_cuts(attribute, (low + i * unit for i in range(1, int(units))))
    ends = sorted((abs(low), abs(high)))
    if units > MANY and (low <= 0 <= high or ends[1] > FAR * ends[0]):
        first, last = math.cbrt(float(low)), math.cbrt(float(high))
        at = [Fraction((first + (last - first) * i / CELLS) ** 3) for i in range(1, CELLS)]
    else:
        at = [low + (high - low) * i / CELLS for i in range(1, CELLS)]
    edges = [low, *at, high]
    on_grid = [roundest(value, MOVED * min(value - before, after - value), attribute)
               for before, value, after in zip(edges, at, edges[2:], strict=False)]  # fmt: skip
    own = [Fraction(0), low, high, *attribute.atoms]
    return clear_cuts(attribute, [*on_grid, *own_cuts(attribute, own), *attribute.fixed])


def roundest(value: Fraction, tolerance: Fraction, attribute: Binned) -> Fraction:
    """The roundest value within the tolerance; else the nearest step."""
    unit, start = attribute.unit, attribute.low
    rough = unit
    while rough <= tolerance:
        rough *= 10
    for grain in (rough, rough / 2, rough / 5, rough / 10) if start % unit == 0 else ():
        near = round(value / grain) * grain
        if grain >= unit and abs(near - value) <= tolerance and near % unit == 0:
            return near
    return start + round((value - start) / unit) * unit


def own_cuts(attribute: Binned, values: Sequence[Fraction]) -> list[Fraction]:
    """Cuts that give single values cells of their own, of one step; the last cell of real numbers holds the bound."""
    cuts = []
    for value in values:
        cuts += [value, value + attribute.unit]
    return [*cuts, attribute.high - attribute.unit] if attribute.high in values and not attribute.steps else cuts


def clear_cuts(attribute: Binned, cuts: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Those inside the range, each once and in order."""
    low, end = attribute.edges[0], attribute.edges[-1]
    return tuple(sorted({cut for cut in cuts if low < cut < end}))
