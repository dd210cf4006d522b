"""What a model has to show, as sections of a page."""

from __future__ import annotations

from ..models.sections import Bars, Curve, Picture, Section, TextTable
from .page import facts_table, figures, section
from .pictures import bars, histogram, line

__all__ = ["drawn"]


def drawn(shown: Section) -> str:
    """A section of a model's facts as HTML."""
    parts = [
        facts_table(part.heads, part.lines)
        if isinstance(part, TextTable)
        else figures([(picture.caption, _picture(picture)) for picture in part])
        for part in shown.parts
    ]
    return section(shown.heading, *parts, text=shown.text)


def _picture(shown: Picture) -> str:
    if isinstance(shown, Bars):
        return bars(shown.labels, shown.value, shown.half, None, shown.title)
    if isinstance(shown, Curve):
        return line(shown.places, shown.value, shown.half, shown.title, logarithmic=shown.logarithmic)
    return histogram(shown.values, shown.title, shown.axis)
