"""Forecast: what can be said of a whole table before its data are opened."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...budget import Price, touched
from ...domain import Domain
from ...laws import Law
from ...maths.weighted_rows.grouped_sets import GroupedSet
from ...maths.weighted_rows.rare_design import (
    FIRST,
    LENGTHS,
    WEIGHT_UNIT,
    Lengths,
    RareColumns,
    RareDesign,
    may_be_rare,
)
from ...maths.weighted_rows.resolution import Groupings, Pricing, TablePlan, plan_pairs, ranges_of
from ...maths.weighted_rows.triples import TRIPLES, second_round_pays, triples
from ..base import Forecast
from .budget_shares import ONE_WAYS, ROWS, SCORES, SECOND_ROUND

__all__ = [
    "FOUND_CELLS",
    "FOUND_LATER",
    "ONE_WAYS",
    "WholeTableForecast",
    "one_way_plan",
    "one_way_share",
    "single_columns",
]

# Numbers whose cells are found count as columns of so many cells; of their part, what is left to the last pass.
FOUND_CELLS, FOUND_LATER = 32, 0.4
# The public reference: evenly spread columns of which every two differ so much from independence.
REFERENCE_DEPENDENCE = 0.1
# That of rare values: every column has its rare value in this share of the rows, independently of the others.
REFERENCE_SHARE = 0.02


def one_way_plan(
    sizes: Sequence[int],
    law: Law,
    *,
    private_rows: bool,
    rows_share: float = ROWS / ONE_WAYS,
    found: Collection[int] = (),
) -> tuple[list[GroupedSet], list[float]]:
    """Every column at full resolution, and standard deviations in the proportions that make the summed error least.

    Where the number of rows is private and not told by the columns' own cells, it comes first; it gets `rows_share`
    of what they get. Columns in `found` count as ones of FOUND_CELLS cells, of whose part the passes that found their
    cells have had all but FOUND_LATER.
    """
    pricing = Pricing(law, 1.0)
    sets = [GroupedSet((j,), (np.arange(size),)) for j, size in enumerate(sizes)]
    like = [
        GroupedSet((j,), (np.arange(min(size, FOUND_CELLS) if j in found else size),)) for j, size in enumerate(sizes)
    ]
    live = [max(pricing.price(column), 1e-9) for column in like]
    losses = [max(pricing.loss(column), 1e-9) for column in like]
    deviations = [pricing.deviation(p, loss, 1.0) for p, loss in zip(live, losses, strict=True)]
    deviations = [s * FOUND_LATER ** (-1 / pricing.power) if j in found else s for j, s in enumerate(deviations)]
    if not private_rows or law == Law.LAPLACE:
        return sets, deviations
    spent = sum(pricing.cost(p, s) for p, s in zip(live, deviations, strict=True))
    return [GroupedSet((), ()), *sets], [(rows_share * spent) ** (-1 / pricing.power), *deviations]


def single_columns(domain: Domain, law: Law) -> list[float]:
    """Of every column its part of what is spent on single columns, in all passes over it."""
    found, pricing = ranges_of(domain), Pricing(law, 1.0)
    sets, shape = one_way_plan(domain.sizes, law, private_rows=False, found=found)
    costs = [pricing.cost(max(pricing.price(table), 1e-9), s) for table, s in zip(sets, shape, strict=True)]
    costs = [cost / FOUND_LATER if j in found else cost for j, cost in enumerate(costs)]
    return [cost / sum(costs) for cost in costs]


def one_way_share(domain: Domain, law: Law) -> float:
    """The share of its price that a whole table spends on single columns, where passes before it found some cells."""
    found = set(ranges_of(domain))
    spent = (1 - FOUND_LATER) * sum(cost for j, cost in enumerate(single_columns(domain, law)) if j in found)
    return ONE_WAYS * (1 - spent) / (1 - ONE_WAYS * spent)


@dataclass(frozen=True)
class WholeTableForecast:
    """Noise that is known in advance, and the noise of pairs on a public reference table."""

    domain: Domain
    price: Price
    calibration: float

    @property
    def law(self) -> Law:
        """The law of all noise."""
        return Law.of(self.price)

    def _pricing_of(self, share: float) -> Pricing:
        """What noise costs where this share of the price is spent."""
        return Pricing(self.law, self._unit(share), not self.domain.unit.private_rows)

    def _unit(self, share: float) -> float:
        """Standard deviation of one table alone at a share of the price."""
        amount, moved = share * float(self.price.amount), touched(self.domain.unit.neighbours)
        if self.law.power == 2:
            return self.domain.unit.rows * math.sqrt(moved / (2 * amount))
        return math.sqrt(2) * self.domain.unit.rows * moved / amount

    def one_ways(self) -> Forecast:
        """Standard errors of the first tables of single columns, in rows; they are measured again where that pays."""
        private = self.domain.unit.private_rows
        found = ranges_of(self.domain)
        sets, shape = one_way_plan(self.domain.sizes, self.law, private_rows=private, found=found)
        pricing = self._pricing_of(one_way_share(self.domain, self.law) + ROWS * private)
        used = sum(pricing.cost(pricing.price(table), s) for table, s in zip(sets, shape, strict=True))
        variances = [(s * used ** (1 / pricing.power)) ** 2 for s in shape]
        total = variances[0] if not sets[0].members else 0.0
        columns = [(table.cells, v) for table, v in zip(sets, variances, strict=True) if table.members]
        if self.law == Law.LAPLACE and private:
            total = 1 / sum(1 / (size * v) for size, v in columns)
        cells = [size * v * (1 - 1 / size) + total / size for size, v in columns]
        worst = max(v * size / 4 + total for size, v in columns)
        return Forecast(width=1, tables=len(columns), worst=math.sqrt(worst),
                        typical=math.sqrt(sum(cells) / sum(size for size, _ in columns)))  # fmt: skip

    @property
    def _ladders(self) -> list[Groupings]:
        return [Groupings(np.full(size, 1 / size)) for size in self.domain.sizes]

    def _pairs(self, rows: int) -> TablePlan:
        pairs = list(combinations(range(len(self.domain.sizes)), 2))
        scores = np.full(len(pairs), REFERENCE_DEPENDENCE)
        return plan_pairs(self._ladders, pairs, scores, rows, self._pricing)

    def second_round(self, rows: int) -> bool:
        """Whether triples would be measured on the reference table."""
        pairs: list[tuple[int, ...]] = list(combinations(range(len(self.domain.sizes)), 2))
        dependence = dict.fromkeys(pairs, REFERENCE_DEPENDENCE)
        return second_round_pays(triples(self._ladders), dependence, rows, self._pricing_of(TRIPLES))

    @property
    def _pricing(self) -> Pricing:
        return self._pricing_of(1 - ROWS - one_way_share(self.domain, self.law) - SCORES - self.calibration)

    def cells(self, rows: int | None) -> int:
        """About how many cells of pairs will be released."""
        return sum(table.cells for table in self._pairs(rows or 50_000).tables)

    def variation(self, rows: int) -> float:
        """Expected error of a pair on the reference table, in total variation: noise, or what is left out."""
        plan, pairs = self._pairs(rows), math.comb(len(self.domain.sizes), 2)
        noise = sum(self._pricing.loss(table) * s / rows for s, table in zip(plan.deviations, plan.tables, strict=True))
        return float(noise + REFERENCE_DEPENDENCE * (pairs - len(plan.tables))) / pairs

    def lines(self, rows: int | None) -> tuple[str, ...]:
        """For the plan: what to expect of pairs, and what a delta would buy."""
        if rows is None:
            return ("  pairs and wider: their error depends on the number of rows; say about how many there are",)
        mine = self.variation(rows)
        lines = [f"  two columns: expected error {mine:.3g} (total variation) on a public reference table in which "
                 f"every two columns differ by {REFERENCE_DEPENDENCE:g} from independence"]  # fmt: skip
        if self.second_round(rows):
            share = f"{SECOND_ROUND:.0%} of the budget"
            lines.append(f"  three columns: there, a second round ({share}) measures those of which pairs say least")
        if self.law == Law.LAPLACE:
            from ...budget import Budget

            gaussian = Budget(epsilon=self.price.amount, delta="1e-9").price
            better = WholeTableForecast(self.domain, gaussian, self.calibration).variation(rows)
            lines.append(f"  a pure epsilon costs accuracy here: with delta = 1e-9 the same figure is {better:.3g}")
        if may_be_rare(self.domain.sizes, self.law):
            lines.append(_rare_line(len(self.domain.sizes), rows, self._unit(1 - FIRST - LENGTHS - self.calibration)))
        return tuple(lines)


def _rare_line(width: int, rows: int, unit: float) -> str:
    """For the plan of a wide table of two-valued columns.

    unit  standard deviation of the noise of a sum that one row changes by 1, at the price of all sums
    """
    noise = _column_noise(width, rows, unit)
    return (
        f"  if rows have few unusual values, these are summed instead, and how many columns there are matters little: "
        f"where every column has its rare value in {REFERENCE_SHARE:.0%} of the rows, its count has a standard error "
        f"of {noise:.3g} rows"
    )


def _column_noise(width: int, rows: int, unit: float) -> float:
    """Standard error of the count of a rare value, on the reference."""
    from scipy.stats import binom

    counts = rows * binom.pmf(np.arange(width + 1), width, REFERENCE_SHARE)
    lengths = Lengths(counts, np.full(width, counts[1] / width))
    design = RareDesign.of(lengths, RareColumns((), tuple(range(width)), (0,) * width), unit)
    _, single, _, _, both = design.deviations
    costs = lengths.each(1) * design.single**2.0 / single**2 + lengths.each(2) * design.both**2.0 / both**2
    return unit * math.sqrt(float(costs.max())) * single / (WEIGHT_UNIT * lengths.kept(design.single, 1))
