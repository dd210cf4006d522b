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
    """One bar a label, with half of its interval."""

    caption: str
    title: str
    labels: Sequence[str]
    value: Floats
    half: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A function of a column with half of its interval at each place."""

    caption: str
    title: str
    places: Floats
    value: Floats
    half: Floats
    logarithmic: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Histogram:
    """How some values are spread."""

    caption: str
    title: str
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


def bars_of(answer: CrossTab, *, caption: str, title: str) -> Bars:
    """One bar a group, named by all its labels, with 95% intervals."""
    labels = [", ".join(parts) for parts in zip(*answer.groups.values(), strict=True)]
    low, high = answer.interval(0.95)
    return Bars(caption=caption, title=title, labels=labels, value=answer.value, half=(high - low) / 2)


def quoted(name: str) -> str:
    """A name as SQL's words have it."""
    return '"' + name.replace('"', '""') + '"'
