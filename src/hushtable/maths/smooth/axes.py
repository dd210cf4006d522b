"""Axis: one real column between public bounds, seen on a scale where it runs from -1 to 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Attribute, Binned
from ...errors import BadPlan, UnknownAttribute
from ...words import listed, readable
from .sparse_grid import sparse_size

__all__ = ["MOST_AXES", "MOST_DENSE_AXES", "Axis", "Block", "Transform", "axis_of", "split_name"]

Floats = NDArray[np.float64]
Transform = Literal["none", "log", "sqrt"]
TRANSFORMS: tuple[Transform, ...] = ("log", "sqrt")
MOST_AXES = 8
# Up to this many columns together, a grid has room for all combinations of their points.
MOST_DENSE_AXES = 4


@dataclass(frozen=True)
class Axis:
    """A column, its bounds, and the public monotone transform its scale is even in."""

    name: str
    low: float
    high: float
    transform: Transform = "none"
    optional: bool = False
    """Whether a row may have no value here: it then touches one more function, which no other row does."""
    step: float | None = None
    """Values are low + j steps, where that is declared."""

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds after the transform."""
        return self._forward(self.low), self._forward(self.high)

    @property
    def centre(self) -> float:
        """Middle of the transformed range."""
        return sum(self.ends) / 2

    @property
    def half(self) -> float:
        """Half of the transformed range, the unit of the scale."""
        low, high = self.ends
        return (high - low) / 2

    def _forward(self, value: float) -> float:
        if self.transform == "none":
            return value
        return math.log(value) if self.transform == "log" else math.sqrt(value)

    def scaled(self, values: Floats) -> Floats:
        """Values in the column's own units on [-1, 1]: beyond the bounds at the bound.

        What is not finite is missing and stays NaN; where nothing may be missing it is put in the middle.
        """
        inside = np.clip(values, self.low, self.high)
        if self.transform != "none":
            inside = np.log(inside) if self.transform == "log" else np.sqrt(inside)
        x: Floats = np.clip((inside - self.centre) / self.half, -1.0, 1.0)
        return np.where(np.isfinite(values), x, np.nan if self.optional else 0.0)

    def original(self, x: Floats) -> Floats:
        """The inverse of `scaled`."""
        inner = self.centre + self.half * x
        if self.transform == "none":
            return inner
        return cast(Floats, np.exp(inner) if self.transform == "log" else inner**2)

    def stepped(self, value: float, to: Callable[[float], float] = round) -> float:
        """The value that has the declared step, by rounding to the nearest or as it is said."""
        return value if self.step is None else self.low + self.step * to((value - self.low) / self.step)

    def __str__(self) -> str:
        return self.name if self.transform == "none" else f"{self.transform}({self.name})"


@dataclass(frozen=True)
class Block:
    """Columns that are released together, and the categories whose combinations (cells) they are counted in."""

    axes: tuple[Axis, ...]
    by: tuple[Attribute, ...] = ()

    @property
    def cells(self) -> int:
        """How many combinations of categories there are."""
        return prod(a.size for a in self.by)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(axis.name for axis in self.axes)

    def shape(self, size: int) -> tuple[int, ...]:
        """How many functions each axis has: `size`, and one for missing rows where there may be some."""
        return tuple(size + axis.optional for axis in self.axes)

    def combinations(self, size: int, level: int | None = None) -> int:
        """How many products of functions of its axes are summed up: all, or those of a sparse grid."""
        return prod(self.shape(size)) if level is None else sparse_size(level, [axis.optional for axis in self.axes])


def split_name(text: str) -> tuple[str, Transform]:
    """`log(income)` is the column income with the transform log."""
    for transform in TRANSFORMS:
        if text.startswith(f"{transform}(") and text.endswith(")"):
            return text[len(transform) + 1 : -1].strip(), transform
    return text, "none"


def axis_of(domain: Domain, text: str) -> Axis:
    """The axis that a column of the workload names; BadPlan when the column is not a number with bounds."""
    name, transform = split_name(text)
    try:
        attribute = domain.closed[domain.position(name)]
    except UnknownAttribute as error:
        raise BadPlan(str(error)) from None
    if not isinstance(attribute, Binned):
        known = [a.name for a in domain.closed if isinstance(a, Binned)]
        raise BadPlan(f"{name} is a {attribute.kind}, and smooth columns are numbers; {_numbers(known)}")
    low, high = float(attribute.low), float(attribute.high)
    lowest = {"none": -math.inf, "log": math.ulp(0.0), "sqrt": 0.0}[transform]
    if low < lowest:
        above = "above 0" if transform == "log" else "at least 0"
        raise BadPlan(f"{text} needs a lower bound {above}, and {attribute.name} starts at {readable(low)}")
    optional = attribute.missing == "category" or attribute.other
    return Axis(attribute.name, low, high, transform, optional, step=_step(attribute))


def _step(attribute: Binned) -> float | None:
    """That of whole numbers, or the declared one; not where a declared single value lies off it."""
    if attribute.step is None and not attribute.steps:
        return None
    off = any((atom - attribute.low) % attribute.unit for atom in attribute.atoms)
    return None if off else float(attribute.unit)


def _numbers(known: Sequence[str]) -> str:
    return f"the domain's numbers are {listed(known)}" if known else "the domain has none"
