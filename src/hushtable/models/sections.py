"""Sections: what a model has to show in a report, as plain text and numbers; the report only draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.answer import CrossTab

__all__ = ["Bars", "Curve", "Histogram", "Picture", "Pictures", "Section", "TextTable", "bars_of", "quoted"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars:
    """One bar a label, with the ends of its interval."""

    caption: str
    labels: Sequence[str]
    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A function of a column with half of its interval at each place."""

    caption: str
    places: Floats
    value: Floats
    half: Floats
    logarithmic: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Histogram:
    """How some values are spread."""

    caption: str
    axis: str
    values: Floats


Picture = Bars | Curve | Histogram
Pictures = tuple[Picture, ...]
"""Side by side."""


@dataclass(frozen=True)
class TextTable:
    """Lines of text below their heads."""

    heads: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Section:
    """A heading, a paragraph, then tables and pictures in their order."""

    heading: str
    text: str = ""
    parts: tuple[TextTable | Pictures, ...] = ()
    technical: bool = False
    """Whether it is for those who want to know how the numbers came about: it then stands in the appendix."""


def bars_of(answer: CrossTab, *, caption: str) -> Bars:
    """One bar a group, named by all its labels, with 95% intervals."""
    labels = [", ".join(parts) for parts in zip(*answer.groups.values(), strict=True)]
    low, high = answer.interval(0.95)
    return Bars(caption=caption, labels=labels, value=answer.value, low=low, high=high)


def quoted(name: str) -> str:
    """A name as SQL's words have it."""
    return '"' + name.replace('"', '""') + '"'
