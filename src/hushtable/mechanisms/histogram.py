"""Histogram: the noisy count of every cell of the whole table; for small domains nothing is simpler."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan
from ..laws import Law
from ..models.linear.histogram import HistogramModel
from ..questions.workloads.base import Workload
from ..questions.workloads.marginals import Marginals
from ..vault.door.noise import Noise
from ..vault.statistics import Histogram
from .base import Design, Forecast, Measuring, Mechanism

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["HistogramRelease"]

MOST_CELLS = 2**22


class HistogramRelease(Mechanism[Measuring[Histogram]]):
    """One noise scale for all cells; a question that sums many cells sums their noise [DwoMNS06]."""

    name = "histogram"
    source = "DwoMNS06"
    answers = (Marginals,)

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[Measuring[Histogram]]:
        workload.check(domain)
        cells = prod(domain.sizes)
        if cells > MOST_CELLS:
            raise BadPlan(f"the whole table has {cells:,} cells and a histogram at most {MOST_CELLS:,}")
        law = Law.of(price)
        statistic = Histogram(domain.sizes)
        noise = Noise.costing(price, statistic, domain.unit, [1], rounded=False)
        width = workload.width if isinstance(workload, Marginals) else len(domain.sizes)
        return Design(
            by=self,
            summary=f"{cells:,} cells of the whole table with {law.noise}",
            price=price,
            numbers=cells,
            parameters=Measuring(statistic, noise),
            memory=150_000_000 + 40 * cells,
            forecasts=tuple(
                _forecast(domain.sizes, noise.law, noise.per_group[0], w, public=not domain.unit.private_rows)
                for w in range(1, width + 1)
            ),
            work=1e6 * len(domain.sizes) * 4e-8,
        )

    def release(self, door: Door, domain: Domain, design: Design[Measuring[Histogram]]) -> HistogramModel:
        statistic, noise = design.parameters
        seen = door.measure(statistic, noise)
        return HistogramModel(domain=domain, law=noise.law, scale=noise.per_group[0], cells=seen.values, rows=seen.rows)


def _forecast(sizes: tuple[int, ...], law: Law, scale: Fraction, width: int, *, public: bool) -> Forecast:
    """A cell of a table of `kept` cells sums total / kept cells; the worst question takes every cell.

    A public number of rows takes the share 1 / kept of that noise away; then the worst question takes half the cells.
    """
    variance = law.variance(scale)
    cells = prod(sizes)
    kept, inverse = [1.0] + [0.0] * width, [1.0] + [0.0] * width
    for size in sizes:
        for i in range(width, 0, -1):
            kept[i] += kept[i - 1] * size
            inverse[i] += inverse[i - 1] / size
    tables = comb(len(sizes), width)
    # Summed over the cells of one table the variance is total x variance, whatever the table.
    noisy = tables - inverse[width] if public else tables
    return Forecast(
        width=width,
        tables=tables,
        typical=math.sqrt(variance * cells * noisy / kept[width]),
        worst=math.sqrt(variance * cells / (4 if public else 1)),
    )
