"""Number shapes: the released counts by which cells of numbers were found, and how values lie inside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Binned, Integer
from ..domain.decoding import Decoder
from ..errors import BadSynopsis
from ..laws import Law
from ..maths.ranges.habits import Habits, round_classes
from ..maths.ranges.passes import Pass, least_squares
from ..maths.ranges.slopes import value_drawer
from .reading import noise_scale, plain_fraction, read_law

__all__ = ["ColumnPasses", "NumberShapes"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# More passes, or more cells in one, are never made.
MOST_PASSES, MOST_CELLS = 8, 65_000


@dataclass(frozen=True)
class ColumnPasses:
    """What was measured of a column to find its cells."""

    name: str
    cuts: tuple[tuple[Fraction, ...], ...]
    """Of every pass."""
    scales: tuple[Fraction, ...]
    """Of the noise of every pass."""
    rounded: Fraction | None
    """That of the table of round numbers, where there is one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberShapes:
    """The noisy counts of all passes, column after column, pass after pass; then of round numbers."""

    domain: Domain
    """With the cells that were found."""
    law: Law
    columns: tuple[ColumnPasses, ...]
    counts: Integers

    def passes(self, name: str) -> list[Pass]:
        """The counts of a column's cells, pass by pass."""
        own = next(column for column in self.columns if column.name == name)
        starts, found = self._starts[name], []
        for cuts, scale, start in zip(own.cuts, own.scales, starts, strict=False):
            counts = self.counts[start : start + len(cuts) + 1].astype(np.float64)
            found.append(Pass(cuts, counts, self.law.variance(scale)))
        return found

    def habits(self, name: str) -> Habits | None:
        """How often its values are round, where that was counted."""
        own = next(column for column in self.columns if column.name == name)
        if own.rounded is None:
            return None
        classes, start = round_classes(self.attribute(name)), self._starts[name][-1]
        counts = self.counts[start : start + len(classes)].astype(np.float64)
        return Habits(classes, counts, self.law.variance(own.rounded))

    def attribute(self, name: str) -> Binned:
        """The column, with its found cells."""
        own = self.domain.closed[self.domain.position(name)]
        assert isinstance(own, Binned)
        return own

    def decoder(self, name: str, shares: Floats | None) -> Decoder:
        """What draws values inside the found cells, given the model's shares of these; without them, by the passes."""
        attribute = self.attribute(name)
        cells = len(attribute.values)
        own = self._shares(name) if shares is None else np.asarray(shares, dtype=np.float64)[:cells]
        draw = value_drawer(attribute, own, self.habits(name))
        offset = attribute.low if attribute.low % attribute.unit else Fraction(0)

        def decode(codes: NDArray[np.uint16], random: np.random.Generator) -> pa.Array:
            known = codes < cells
            steps = draw(np.where(known, codes, 0).astype(np.uint16), random)
            values = _values(attribute, steps, offset)
            return pa.array(values, mask=~known)

        return decode

    def _shares(self, name: str) -> Floats:
        """What the passes say of the found cells; those that are finer than any pass are even inside its cells."""
        passes, attribute = self.passes(name), self.attribute(name)
        counts = np.maximum(least_squares(passes), 0.0)
        edges = np.array([float(e) for e in (attribute.edges[0], *passes[-1].cuts, attribute.edges[-1])])
        below = np.concatenate([[0.0], counts.cumsum()])
        return np.diff(np.interp([float(e) for e in attribute.edges], edges, below))

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        """Where the tables of each column begin."""
        starts, at = dict[str, list[int]](), 0
        for column in self.columns:
            lengths = table_lengths(self.domain, column)
            starts[column.name] = [at + sum(lengths[:i]) for i in range(len(lengths))]
            at += sum(lengths)
        return starts

    def parameters(self) -> dict[str, Any]:
        """What the manifest says of them."""
        return {"law": self.law, "columns": [_described(column) for column in self.columns]}

    @classmethod
    def length(cls, domain: Domain, parameters: dict[str, Any]) -> int:
        """How many numbers there are; known before any of them is read."""
        columns = _read_columns(domain, parameters, read_law(parameters["law"]))
        return sum(sum(table_lengths(domain, column)) for column in columns)

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], counts: Integers) -> NumberShapes:
        """The inverse of `parameters`."""
        law = read_law(parameters["law"])
        return cls(domain=domain, law=law, columns=_read_columns(domain, parameters, law), counts=counts)


def _described(column: ColumnPasses) -> dict[str, Any]:
    cuts = [[str(cut) for cut in own] for own in column.cuts]
    rounded = {} if column.rounded is None else {"rounded": str(column.rounded)}
    return {"name": column.name, "cuts": cuts, "scales": [str(scale) for scale in column.scales]} | rounded


def _values(attribute: Binned, steps: Floats, offset: Fraction) -> NDArray[Any]:
    """From whole numbers of steps to values: integers as such, decimals as they are written."""
    if isinstance(attribute, Integer):
        low, high = int(attribute.low), int(attribute.high)
        return np.clip(steps * int(attribute.unit) + int(offset), low, high).astype(
            np.int64 if high < 2**62 else np.float64
        )
    unit = attribute.unit
    if offset == 0 and unit.numerator == 1:
        values = steps / unit.denominator  # 37 / 100 is 0.37, and 37 x 0.01 is not
    else:
        values = float(offset) + steps * unit.numerator / unit.denominator
    return np.clip(values, float(attribute.low), float(attribute.high))


def table_lengths(domain: Domain, column: ColumnPasses) -> list[int]:
    """How many numbers each table of a column has."""
    attribute = domain.closed[domain.position(column.name)]
    assert isinstance(attribute, Binned)
    extra = attribute.size - len(attribute.values)
    rounded = [] if column.rounded is None else [len(round_classes(attribute)) + 1]
    return [*(len(cuts) + 1 + extra for cuts in column.cuts), *rounded]


def _read_columns(domain: Domain, parameters: dict[str, Any], law: Law) -> tuple[ColumnPasses, ...]:
    return tuple(_read_column(domain, given, law) for given in parameters["columns"])


def _read_column(domain: Domain, given: dict[str, Any], law: Law) -> ColumnPasses:
    attribute = domain.closed[domain.position(str(given["name"]))]
    cuts = tuple(tuple(plain_fraction(cut) for cut in own) for own in given["cuts"])
    scales = tuple(noise_scale(scale, law) for scale in given["scales"])
    if not isinstance(attribute, Binned) or not attribute.found or not 1 <= len(cuts) == len(scales) <= MOST_PASSES:
        raise BadSynopsis("the synopsis has passes over a column that has none")
    if any(len(own) > MOST_CELLS for own in cuts) or min(scales) < 0:
        raise BadSynopsis("the synopsis has passes that make no sense")
    for own in cuts:
        replace(attribute, cuts=own)  # checks that they ascend inside the bounds
    rounded = noise_scale(given["rounded"], law) if "rounded" in given else None
    if rounded is not None and (rounded <= 0 or not round_classes(attribute)):
        raise BadSynopsis("the synopsis has round numbers of a column that has none")
    return ColumnPasses(attribute.name, cuts, scales, rounded)
