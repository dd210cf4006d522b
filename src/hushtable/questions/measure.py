"""Measures: what a question asks of the rows that it keeps, and the numbers by which an attribute enters it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..domain.attributes import Attribute, Binned, Boolean, Category, number_in
from ..domain.follows import Follower
from ..errors import BadQuestion

__all__ = ["COUNT", "Levels", "Measure", "levels"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """`count(*)`, or the mean of one column over the rows that have a value there."""

    kind: Literal["count", "mean"]
    column: int | None = None
    """Position of the column among the closed attributes; None for a count."""
    worth: tuple[tuple[float, float] | None, ...] | None = None
    """What each code is worth, from least to most, None for rows that do not count; None: the column's own numbers."""

    @property
    def positions(self) -> frozenset[int]:
        """The attributes it needs beside those of the condition."""
        return frozenset() if self.column is None else frozenset({self.column})

    def levels(self, attribute: Attribute) -> Levels:
        """The numbers by which the codes of its column enter."""
        if self.worth is None:
            return levels(attribute)
        ends = np.array([(0.0, 0.0) if both is None else both for both in self.worth]).reshape(-1, 2)
        known = np.array([0.0 if both is None else 1.0 for both in self.worth])
        return Levels(ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2, known)

    @classmethod
    def of_column(cls, kind: Literal["mean"], column: int, attribute: Attribute) -> Measure:
        """A measure of the numbers in a column; BadQuestion where they are none."""
        numbers = isinstance(attribute, Category) and attribute.numbers is not None
        if not numbers and not isinstance(attribute, (Binned, Boolean)):
            raise BadQuestion(f"{attribute.name} is not a number, so it has no average; count it by GROUP BY")
        return cls(kind, column)

    @classmethod
    def of_follower(cls, follower: Follower) -> Measure:
        """The mean of a column that follows another, by what each value of that one is worth."""
        cls.of_column("mean", 0, follower.attribute)
        own = levels(follower.attribute)
        ends = [(float(m - h), float(m + h)) if k else None for m, h, k in zip(*own, strict=True)]
        exact = [number_in(text) if isinstance(follower.attribute, Binned) else None for text in follower.texts]
        worth = [ends[c] if x is None else (x, x) for c, x in zip(follower.codes, exact, strict=True)]
        return cls("mean", follower.root, tuple(worth))


COUNT = Measure("count")


class Levels(NamedTuple):
    """What the codes of an attribute are worth where its numbers are added up: one entry a code."""

    middle: Floats
    """Middle of the values that have the code."""
    half: Floats
    """How far from it they may be."""
    known: Floats
    """1 where the row has a value at all, else 0."""


def levels(attribute: Attribute) -> Levels:
    """The numbers of a binned or boolean attribute, or of values that are numbers; `other` and missing have none."""
    if isinstance(attribute, Binned):
        bounds = attribute.bin_bounds()
        middle = [float(low + high) / 2 for low, high in bounds]
        half = [float(high - low) / 2 for low, high in bounds]
    elif isinstance(attribute, Category) and attribute.numbers is not None:
        middle, half = list(attribute.numbers), [0.0] * len(attribute.names)
    else:
        middle, half = [0.0, 1.0], [0.0, 0.0]
    extra = attribute.size - len(middle)
    return Levels(
        np.array(middle + [0.0] * extra),
        np.array(half + [0.0] * extra),
        np.array([1.0] * len(middle) + [0.0] * extra),
    )
