"""Survey: the measurements of a whole table, each within its share of the price. The only steps that see rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...budget import GRID, Price
from ...domain import Domain
from ...laws import Law
from ...maths.weighted_rows.calibration import CALIBRATION_UNIT, Calibration, tables_to_compare, whole_reference
from ...maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from ...maths.weighted_rows.resolution import Pricing
from ...vault.statistics.grouped_interactions import GroupedInteractions
from ...vault.statistics.grouped_tables import GroupedTables
from ..allocation import round_up

if TYPE_CHECKING:
    from ...vault.door.door import Door
    from ...vault.statistics.base import Statistic

__all__ = ["BudgetedDoor", "law_of"]

Floats = NDArray[np.float64]
# Cells of audited tables that are counted in one reading of the rows.
CELLS_AT_ONCE = 2**23


def law_of(price: Price) -> Law:
    """Laplace noise for a pure epsilon, Gaussian noise for rho."""
    return Law.of(price)


class BudgetedDoor:
    """One release's way through the door. Each step takes a share of the price; the last one takes what is left."""

    def __init__(self, door: Door, domain: Domain, price: Price) -> None:
        self.door, self.domain, self.law = door, domain, law_of(price)
        self._currency, self.left = price.currency, price.on_grid(up=False).amount
        self.whole = self.left
        self.rows: int | None = None

    def share(self, part: float) -> Fraction:
        """A part of the whole price, on the grid of prices, never more than what is left."""
        amount = min(self.whole * Fraction(part), self.left)
        return Price(currency=self._currency, amount=amount).on_grid(up=False).amount

    def deviation(self, scale: Fraction) -> float:
        """Standard deviation of noise of this scale."""
        return math.sqrt(scale) if self.law == Law.GAUSSIAN else math.sqrt(2) * float(scale)

    def pricing(self, amount: Fraction) -> Pricing:
        """What the noise of pairs costs when this much is spent on them."""
        replaced = self.domain.unit.neighbours == "replace"
        scale, persons = (2 if replaced else 1) / float(amount), self.domain.unit.rows
        if self.law == Law.GAUSSIAN:
            return Pricing(Law.GAUSSIAN, persons * math.sqrt(scale / 2), replaced)
        return Pricing(Law.LAPLACE, persons * math.sqrt(2) * scale, replaced)

    def tables(self, sets: Sequence[GroupedSet], deviations: Sequence[float], amount: Fraction) -> list[RawTable]:
        """Noisy tables, or their interactions, whose standard deviations are in the given proportions."""
        power = 2 if self.law == Law.GAUSSIAN else 1
        rough = [round_up(Fraction(float(f"{s:.6g}")) ** power) for s in deviations]
        kinds = sorted(set(rough))
        number = {kind: place for place, kind in enumerate(kinds)}
        # Gaussian noise costs less on interactions than on cells, Laplace noise more.
        contrasted = self.law == Law.GAUSSIAN
        kind = GroupedInteractions if contrasted else GroupedTables
        statistic = kind(self.domain.sizes, sets, [number[scale] for scale in rough])
        values, scales = self.sums(statistic, kinds, amount)
        parts = np.split(values, statistic.starts[1:-1])
        return [
            RawTable(one, part, self.law, scales[group], contrasted)
            for one, part, group in zip(sets, parts, statistic.noise_group, strict=True)
        ]

    def sums(
        self, statistic: Statistic, rough: Sequence[Fraction], amount: Fraction
    ) -> tuple[NDArray[np.int64], tuple[Fraction, ...]]:
        """Noisy sums and the scales of their noise: the given ones times what makes them cost this amount."""
        from ...vault.door.door import Noise, price_of

        at_rough = price_of(statistic, Noise(law=self.law, per_group=tuple(rough)), self.domain.unit).amount
        # Columns of one value tell nothing under replace, so they cost nothing.
        stretch = at_rough / amount if at_rough else Fraction(1)
        noise = Noise(law=self.law, per_group=tuple(round_up(scale * stretch) for scale in rough))
        seen = self.door.measure(statistic, noise)
        self.rows = seen.rows
        self.left -= amount
        return seen.values, noise.per_group

    def distances(
        self, sets: Sequence[GroupedSet], references: Callable[[GroupedSet], Floats], rows: float, amount: Fraction
    ) -> tuple[NDArray[np.int64], Fraction]:
        """Noisy distances of tables from public ones, in units of 1/1024 row, and the scale of their noise."""
        change = CALIBRATION_UNIT * self.domain.unit.rows * (1 if self.domain.unit.neighbours == "add-remove" else 2)
        chunks, count = list(_chunks(sets)), len(sets)
        # Each reading is charged on its own, rounded up to the grid of prices.
        usable = amount - Fraction(len(chunks), GRID)
        scale = round_up(
            count * change**2 / (2 * usable) if self.law == Law.GAUSSIAN else Fraction(count * change) / usable
        )
        found = []
        for some in chunks:
            reference = np.concatenate([whole_reference(references(one), rows) for one in some])
            statistic = GroupedTables(self.domain.sizes, some, times=CALIBRATION_UNIT)
            found.append(self.door.distances(statistic, reference, scale, self.law))
        self.left -= amount
        return np.concatenate(found), scale

    @property
    def auditable(self) -> list[tuple[int, ...]]:
        """The tables an audit compares: none that is too large to be counted."""
        sizes = self.domain.sizes
        return [t for t in tables_to_compare(len(sizes)) if math.prod(sizes[j] for j in t) <= CELLS_AT_ONCE]

    def audit(self, shares: Callable[[Sequence[int]], Floats], rows: float, amount: Fraction) -> Calibration:
        """How far the model is from the table, for many pairs and triples at full resolution."""
        sizes, chosen = self.domain.sizes, self.auditable
        sets = [GroupedSet(t, tuple(np.arange(sizes[j]) for j in t)) for t in chosen]
        distances, scale = self.distances(sets, lambda one: shares(one.members), rows, amount)
        return Calibration(tuple(chosen), distances, float(scale), self.law)


def _chunks(sets: Sequence[GroupedSet]) -> Iterator[list[GroupedSet]]:
    """Tables that are counted together: as many as fit the memory."""
    waiting: list[GroupedSet] = []
    for one in sets:
        if waiting and sum(w.cells for w in waiting) + one.cells > CELLS_AT_ONCE:
            yield waiting
            waiting = []
        waiting.append(one)
    if waiting:
        yield waiting
