"""BudgetedDoor: the measurements of a whole table, each within its share of the price. Only these steps see rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...budget import GRID, Price, touched
from ...domain import Domain
from ...laws import Law
from ...maths.weighted_rows.calibration import CALIBRATION_UNIT, Calibration, tables_to_compare, whole_reference
from ...maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from ...maths.weighted_rows.range_shares import FoundRange
from ...maths.weighted_rows.resolution import Pricing
from ...models.number_shapes import NumberShapes
from ...vault.door.noise import Noise, round_up
from ...vault.statistics.grouped_interactions import GroupedInteractions
from ...vault.statistics.grouped_tables import GroupedTables
from ..summed_distance import summed_distance

if TYPE_CHECKING:
    from ...vault.door.door import Door
    from ...vault.statistics.base import Statistic

__all__ = ["BudgetedDoor"]

Floats = NDArray[np.float64]
# Cells of compared tables that are counted in one reading of the rows.
CELLS_AT_ONCE = 2**23
# Most cells of a triple with a number whose cells were found: beyond, nearly every row has a cell of its own, and how
# far the table is from any model says nothing.
TELLING_CELLS = 2**16


class BudgetedDoor:
    """One release's way through the door. Each step takes a share of the price; the last one takes what is left."""

    def __init__(self, door: Door, domain: Domain, price: Price, found: NumberShapes | None = None) -> None:
        self.door, self.domain, self.law = door, domain, Law.of(price)
        self.found = {} if found is None else _found(domain, found)
        self.left = price.on_grid(up=False).amount
        self.whole = self.left
        self.rows: int | None = None

    def share(self, part: float) -> Fraction:
        """A part of the whole price, on the grid of prices, never more than what is left."""
        return self.on_grid(min(self.whole * Fraction(part), self.left))

    def on_grid(self, amount: Fraction) -> Fraction:
        """An amount, rounded down to the grid of prices."""
        return self._price(amount).on_grid(up=False).amount

    def _price(self, amount: Fraction) -> Price:
        return Price(currency=self.law.currency, amount=amount)

    def pricing(self, amount: Fraction) -> Pricing:
        """What the noise of pairs costs when this much is spent on them."""
        unit = self.domain.unit
        scale = touched(unit.neighbours) / float(amount)
        deviation = math.sqrt(scale / 2) if self.law.power == 2 else math.sqrt(2) * scale
        return Pricing(self.law, unit.rows * deviation, not unit.private_rows)

    def tables(self, sets: Sequence[GroupedSet], deviations: Sequence[float], amount: Fraction) -> list[RawTable]:
        """Noisy tables, or their interactions, whose standard deviations are in the given proportions."""
        rough = self.scales(deviations)
        kinds = sorted(set(rough))
        number = {kind: place for place, kind in enumerate(kinds)}
        # Gaussian noise costs less on interactions than on cells, Laplace noise more.
        contrasted = self.law.power == 2
        kind = GroupedInteractions if contrasted else GroupedTables
        statistic = kind(self.domain.sizes, sets, [number[scale] for scale in rough])
        values, scales = self.sums(statistic, kinds, amount)
        parts = np.split(values, statistic.starts[1:-1])
        return [
            RawTable(grouped, part, self.law, scales[group], contrasted)
            for grouped, part, group in zip(sets, parts, statistic.noise_group, strict=True)
        ]

    def scales(self, deviations: Sequence[float]) -> list[Fraction]:
        """Scales in the proportions that make standard deviations be in these, to six digits."""
        return [round_up(Fraction(float(f"{s:.6g}")) ** self.law.power) for s in deviations]

    def sums(
        self, statistic: Statistic, rough: Sequence[Fraction], amount: Fraction
    ) -> tuple[NDArray[np.int64], tuple[Fraction, ...]]:
        """Noisy sums and the scales of their noise: the given ones times what makes them cost this amount."""
        noise = Noise.costing(self._price(amount), statistic, self.domain.unit, rough)
        if not any(noise.per_group):
            # Columns of one value tell nothing under replace and cost nothing; tables still have noise of some scale.
            noise = replace(noise, per_group=tuple(rough))
        seen = self.door.measure(statistic, noise)
        self.rows = seen.rows
        self.left -= amount
        return seen.values, noise.per_group

    def distances(
        self, sets: Sequence[GroupedSet], references: Callable[[GroupedSet], Floats], rows: float, amount: Fraction
    ) -> tuple[NDArray[np.int64], Fraction]:
        """Noisy distances of tables from public ones, in units of 1/1024 row, and the scale of their noise."""
        change = CALIBRATION_UNIT * self.domain.unit.moved
        chunks, count = list(_chunks(sets)), len(sets)
        # Each reading is charged on its own, rounded up to the grid of prices.
        usable = amount - Fraction(len(chunks), GRID)
        scale = round_up(self.law.scale(count * change**self.law.power, usable))
        distances = []
        for together in chunks:
            reference = np.concatenate([whole_reference(references(grouped), rows) for grouped in together])
            statistic = GroupedTables(self.domain.sizes, together, times=CALIBRATION_UNIT)
            distances.append(self.door.distances(statistic, reference, scale, self.law))
        self.left -= amount
        return np.concatenate(distances), scale

    @property
    def checkable(self) -> list[tuple[int, ...]]:
        """The tables a calibration compares: none that is too large to be counted, or to tell."""
        sizes = self.domain.sizes

        def most(table: tuple[int, ...]) -> int:
            return TELLING_CELLS if len(table) > 2 and not self.found.keys().isdisjoint(table) else CELLS_AT_ONCE

        return [t for t in tables_to_compare(len(sizes)) if math.prod(sizes[j] for j in t) <= most(t)]

    def summed(
        self, sets: Sequence[GroupedSet], shares: Sequence[Floats], rows: float, amount: Fraction
    ) -> tuple[int, Fraction]:
        """The noisy distance of all tables together from public ones, in units of 1/1024 row, and its noise's scale."""
        distance, scale = summed_distance(
            self.door, self.domain, self.law, sets=sets, shares=shares, rows=rows, amount=amount
        )
        self.left -= amount
        return distance, scale

    def calibrated(self, shares: Callable[[Sequence[int]], Floats], rows: float, amount: Fraction) -> Calibration:
        """How far the model is from the table, for many pairs and triples at full resolution."""
        sizes, chosen = self.domain.sizes, self.checkable
        sets = [GroupedSet(t, tuple(np.arange(sizes[j]) for j in t)) for t in chosen]
        distances, scale = self.distances(sets, lambda grouped: shares(grouped.members), rows, amount)
        return Calibration(tuple(chosen), distances, float(scale), self.law)


def _found(domain: Domain, shapes: NumberShapes) -> dict[int, FoundRange]:
    """By column what the passes that found its cells have counted."""
    ranges = {}
    for column in shapes.columns:
        attribute = shapes.attribute(column.name)
        ranges[domain.position(column.name)] = FoundRange(attribute.cuts, shapes.passes(column.name))
    return ranges


def _chunks(sets: Sequence[GroupedSet]) -> Iterator[list[GroupedSet]]:
    """Tables that are counted together: as many as fit the memory."""
    waiting: list[GroupedSet] = []
    for grouped in sets:
        if waiting and sum(w.cells for w in waiting) + grouped.cells > CELLS_AT_ONCE:
            yield waiting
            waiting = []
        waiting.append(grouped)
    if waiting:
        yield waiting
