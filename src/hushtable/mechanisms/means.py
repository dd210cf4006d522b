"""Means: a share of the budget for exact sums of the columns that a domain declares, beside any release of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..budget import Price, Unit
from ..domain import Domain
from ..domain.attributes import Binned
from ..laws import Law
from ..models.column_means import ColumnMeans
from ..questions.workloads import Marginals, Workload
from ..questions.workloads.whole_table import WholeTable
from ..questions.workloads.wide import Wide
from ..vault.door.door import Door
from ..vault.door.noise import Noise
from ..vault.statistics.split_sums import SplitSums, SplitTable

__all__ = ["MEANS_SHARE", "SumsDesign", "design_means", "left_for_tables", "left_from", "measures_means"]

MEANS_SHARE = Fraction(1, 10)
# Of that, what goes to the averages of all rows; the rest to those within the cells of one more column.
OVERALL = Fraction(1, 2)
UNIT = 2**20
MOST_CELLS, MOST_COLUMNS = 64, 40


@dataclass(frozen=True, kw_only=True)
class SumsDesign:
    """Which sums are measured, and with which noise."""

    tables: tuple[SplitTable, ...]
    price: Price
    noise: Noise

    def release(self, door: Door, domain: Domain) -> ColumnMeans:
        """The released sums."""
        seen = door.measure(SplitSums(domain, self.tables, unit=UNIT), self.noise)
        return ColumnMeans(domain=domain, law=self.noise.law, unit=UNIT, tables=self.tables,
                           scales=self.noise.per_group, sums=seen.values)  # fmt: skip

    def forecast(self, domain: Domain, rows: int) -> dict[str, float]:
        """Standard error of each average over all rows, at most; in the column's own units."""
        found = {}
        for (name, by), scale in zip(self.tables, self.noise.per_group, strict=True):
            attribute = domain.closed[domain.position(name)]
            if by is None and isinstance(attribute, Binned):
                noise = math.sqrt(self.noise.law.variance(float(scale) / UNIT**self.noise.law.power))
                found[name] = float(attribute.high - attribute.low) * noise / rows
        return found


def measures_means(domain: Domain, workload: Workload) -> bool:
    """Whether a release has them: the domain declares some, and tables of columns are released."""
    return bool(domain.means) and isinstance(workload, (Marginals, WholeTable, Wide))


def left_for_tables(price: Price) -> Price:
    """What is left of a price for the rest of a release."""
    rest = Price(currency=price.currency, amount=price.amount * (1 - MEANS_SHARE), delta=price.delta)
    return rest.on_grid(up=False)


def left_from(whole: Price, spent: Price) -> Price:
    """What a release may still spend."""
    return Price(currency=whole.currency, amount=whole.amount - spent.amount)


def design_means(domain: Domain, price: Price, unit: Unit) -> SumsDesign:
    """Every declared column over all rows, and within the cells of every other column that has not too many."""
    groups = [a.name for a in domain.closed if a.size <= MOST_CELLS][:MOST_COLUMNS]
    overall: list[SplitTable] = [(name, None) for name in domain.means]
    within: list[SplitTable] = [(name, by) for name in domain.means for by in groups if by != name]
    tables = (*overall, *within)
    first = OVERALL if within else Fraction(1)
    shares = [*(first / len(overall) for _ in overall), *((1 - first) / len(within) for _ in within)]
    noise = Noise.sharing(price, SplitSums(domain, tables, unit=UNIT), unit, shares)
    assert noise.law == Law.of(price)
    return SumsDesign(tables=tables, price=price, noise=noise)
