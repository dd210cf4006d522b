"""Found cells: numbers of which only the range is declared get their cells from noisy counts, in passes.

Each pass is one table of disjoint cells a column, chosen from what the pass before has released, so that prices add up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..budget import Price, touched
from ..domain import Domain
from ..domain.attributes import Binned
from ..domain.range_cells import clear_cuts, own_cuts
from ..errors import BadPlan
from ..laws import Law
from ..maths.ranges.habits import round_classes
from ..maths.ranges.passes import Cuts, Pass, by_share, parted
from ..models.number_shapes import ColumnPasses, NumberShapes
from ..questions.workloads.base import Workload
from ..questions.workloads.whole_table import WholeTable
from ..vault.door.door import Door
from ..vault.door.noise import Noise
from ..vault.statistics.number_cells import NumberCells
from ..words import listed
from .whole_table.forecast import FOUND_LATER, ONE_WAYS, single_columns

__all__ = ["CellsDesign", "design_cells", "left_for_cells", "no_bins"]

# Of what finding cells costs, the first of two passes; and of that, for a column whose values may be round, the table
# that counts how many are.
FIRST, ROUND = Fraction(2, 5), Fraction(1, 5)
# For tables of several columns: the part of the budget that finds cells, and about how many a column then has.
FOR_TABLES, CELLS = Fraction(1, 10), 16


@dataclass(frozen=True, kw_only=True)
class CellsDesign:
    """What is spent on finding cells, and how finely."""

    price: Price
    share: float
    """Of the whole budget."""
    parts: Mapping[str, Fraction]
    """Of every column its part of the price."""
    later: Mapping[str, float]
    """Standard deviation that a whole table's own counts of the found cells will have; empty for other workloads."""

    @property
    def line(self) -> str:
        """For the plan."""
        return f"cells of {listed(list(self.parts))} are found first, by noisy counts ({self.share:.1%} of the budget)"

    def release(self, door: Door, domain: Domain) -> NumberShapes:
        """Two passes; after each, cells are parted where there are rows and joined where there are none."""
        columns = [a for a in domain.ranged if a.name in self.parts]
        first = _Seen.of(door, domain, self._share(FIRST), columns, self.parts, rounded=True)
        expected = _Seen.noise(
            domain, self._share(1 - FIRST), NumberCells(columns), [self.parts[a.name] for a in columns]
        )
        next_one = [math.sqrt(expected.law.variance(scale)) for scale in expected.per_group]
        again = [
            replace(a, cuts=parted(a, [first.passed(a)], noise, kept_cuts(a)))
            for a, noise in zip(columns, next_one, strict=True)
        ]
        second = _Seen.of(door, domain, self._share(1 - FIRST), again, self.parts, rounded=False)
        found = {
            a.name: self._final(a, [first.passed(b), second.passed(a)]) for a, b in zip(again, columns, strict=True)
        }
        kept = [ColumnPasses(a.name, (a.cuts, b.cuts), (first.scale(a), second.scale(a)), first.rounded.get(a.name))
                for a, b in zip(columns, again, strict=True)]  # fmt: skip
        counts = [table for a in columns for table in (first.tables[a.name], second.tables[a.name], first.by_class(a))]
        return NumberShapes(domain=domain.with_cells(found), law=expected.law, columns=tuple(kept),
                            counts=np.concatenate(counts))  # fmt: skip

    def _share(self, part: Fraction) -> Price:
        return replace(self.price, amount=self.price.amount * part).on_grid(up=False)

    def _final(self, attribute: Binned, passes: Sequence[Pass]) -> Cuts:
        if self.later:
            return parted(attribute, passes, self.later[attribute.name], kept_cuts(attribute))
        return by_share(attribute, passes, CELLS, kept_cuts(attribute))


def kept_cuts(attribute: Binned) -> Cuts:
    """Cuts that are never joined away: those of rules, and those around declared atoms."""
    return clear_cuts(attribute, [*attribute.fixed, *own_cuts(attribute, attribute.atoms)])


@dataclass(frozen=True, eq=False)
class _Seen:
    """One pass over all columns."""

    law: Law
    scales: dict[str, Fraction]
    tables: dict[str, NDArray[np.int64]]
    """Noisy counts by column."""
    rounded: dict[str, Fraction]
    """Scales of the tables of round numbers."""
    classes: dict[str, NDArray[np.int64]]

    @classmethod
    def of(
        cls,
        door: Door,
        domain: Domain,
        price: Price,
        columns: Sequence[Binned],
        parts: Mapping[str, Fraction],
        *,
        rounded: bool,
    ) -> _Seen:
        """Measures the cells of every column, and how many values are round."""
        also = [a for a in columns if rounded and round_classes(a)]
        statistic, own = NumberCells(columns, also), {a.name for a in also}
        shares = [parts[a.name] * (1 - ROUND if a.name in own else 1) for a in columns]
        noise = cls.noise(domain, price, statistic, [*shares, *(parts[a.name] * ROUND for a in also)])
        tables = np.split(door.measure(statistic, noise).values, statistic.starts[1:-1])
        names, count = [a.name for a in columns], len(columns)
        return cls(
            noise.law,
            dict(zip(names, noise.per_group[:count], strict=True)),
            dict(zip(names, tables[:count], strict=True)),
            {a.name: scale for a, scale in zip(also, noise.per_group[count:], strict=True)},
            {a.name: table for a, table in zip(also, tables[count:], strict=True)},
        )

    @staticmethod
    def noise(domain: Domain, price: Price, statistic: NumberCells, shares: Sequence[Fraction]) -> Noise:
        """Every table at its share of a pass."""
        return Noise.sharing(price, statistic, domain.unit, [share / sum(shares) for share in shares])

    def passed(self, attribute: Binned) -> Pass:
        """The counts of a column's cells; of those that are undeclared or missing nothing is concluded."""
        counts = self.tables[attribute.name][: len(attribute.values)].astype(np.float64)
        return Pass(attribute.cuts, counts, self.law.variance(self.scale(attribute)))

    def scale(self, attribute: Binned) -> Fraction:
        """Of a column's noise."""
        return self.scales[attribute.name]

    def by_class(self, attribute: Binned) -> NDArray[np.int64]:
        """Counts of round numbers, if any were made."""
        return self.classes.get(attribute.name, np.zeros(0, dtype=np.int64))


def design_cells(domain: Domain, workload: Workload, whole: Price) -> CellsDesign | None:
    """How cells are found for a workload that counts them, where some column has none; BadPlan where that cannot be."""
    names = workload.counted_ranges(domain)
    if not names:
        return None
    if not workload.finds_cells:
        raise BadPlan(no_bins(workload.name, names))
    if not isinstance(workload, WholeTable):
        price = replace(whole, amount=whole.amount * FOR_TABLES, delta=Fraction(0)).on_grid(up=False)
        even = Fraction(1, len(names))
        return CellsDesign(price=price, share=float(FOR_TABLES), parts=dict.fromkeys(names, even), later={})
    costs = single_columns(domain, Law.of(whole))
    own = {a.name: costs[domain.position(a.name)] for a in domain.ranged}
    share = Fraction(ONE_WAYS * (1 - FOUND_LATER) * sum(own.values())).limit_denominator(10**6)
    parts = {name: Fraction(cost / sum(own.values())).limit_denominator(10**6) for name, cost in own.items()}
    later = {name: _deviation(domain, whole, ONE_WAYS * FOUND_LATER * cost) for name, cost in own.items()}
    price = replace(whole, amount=whole.amount * share, delta=Fraction(0)).on_grid(up=False)
    return CellsDesign(price=price, share=float(share), parts=parts, later=later)


def _deviation(domain: Domain, price: Price, share: float) -> float:
    """Standard deviation of one table alone at a share of the price."""
    unit, law, amount = domain.unit, Law.of(price), float(price.amount) * share
    moved = touched(unit.neighbours)
    return unit.rows * (math.sqrt(moved / (2 * amount)) if law.power == 2 else math.sqrt(2) * moved / amount)


def no_bins(who: str, names: Sequence[str]) -> str:
    """What to do where bins are counted and none are declared."""
    return (
        f"{who} counts bins, and there are none of {listed(names)}: declare `bins: 8` or `edges: [...]`, or release "
        "whole_table() or marginals(width=2), which find cells"
    )


def left_for_cells(price: Price, cells: CellsDesign | None) -> Price:
    """What finding cells leaves of a price for the rest of a release."""
    return price if cells is None else replace(price, amount=price.amount - cells.price.amount).on_grid(up=False)
