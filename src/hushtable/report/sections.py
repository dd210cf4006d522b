"""Sections of a model, which are text and numbers, as parts of a page."""

from __future__ import annotations

from ..models.sections import Bars, Curve, Picture, Section, TextTable
from .bars import BarShares, bars
from .curves import curve, histogram
from .page import PagePart, facts_table, figures, section

__all__ = ["drawn"]


def drawn(shown: Section) -> PagePart:
    """Tables and pictures below their heading."""
    parts = [
        facts_table(part.heads, part.lines, numbers=len(part.heads) > 2)
        if isinstance(part, TextTable)
        else figures([(picture.caption, _picture(picture)) for picture in part])
        for part in shown.parts
    ]
    return section(shown.heading, *parts, text=shown.text)


def _picture(shown: Picture) -> str:
    if isinstance(shown, Bars):
        return bars(BarShares(labels=shown.labels, value=shown.value, low=shown.low, high=shown.high))
    if isinstance(shown, Curve):
        low, high = shown.value - shown.half, shown.value + shown.half
        return curve(shown.places, shown.value, low, high, logarithmic=shown.logarithmic)
    return histogram(shown.values, shown.axis)
