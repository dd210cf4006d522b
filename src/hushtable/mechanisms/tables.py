"""Tables: noise on the cells of every table of `width` attributes; the best use of a pure epsilon on large tables."""

from __future__ import annotations

import math
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

from ..budget import Price
from ..domain import Domain
from ..errors import TooLarge
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..maths.interactions.pooled_table import precision, subsets
from ..models.linear.tables import TablesModel
from ..questions.workloads.base import Workload
from ..questions.workloads.marginals import Marginals
from ..vault.door.noise import Noise
from ..vault.statistics import Tables
from ..words import counted
from .allocation import least_variance_root
from .base import Design, Forecast, Mechanism, of_kind

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["TablesRelease"]

MOST_CELLS = 20_000_000
# Measured cost of one row in one table and of reading one value, seconds (one core); see benchmarks/.
SECONDS_PER_CELL, SECONDS_PER_VALUE = 1.5e-9, 4e-8


class NoisyCells(NamedTuple):
    """Which tables, and the noise of each kind of them."""

    interactions: InteractionLayout
    noise: Noise


class TablesRelease(Mechanism[NoisyCells]):
    """Every table has the same L1 sensitivity whatever its size, so large tables cost no more than small ones.

    Interactions spread one row over many numbers, which Gaussian noise does not mind and Laplace noise does:
    with a pure epsilon and attributes of many values plain cells are better [BarCDKMT07, DwoMNS06].
    """

    name = "tables"
    source = "BarCDKMT07"
    answers = (Marginals,)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[NoisyCells]:
        workload.check(domain)
        order, sizes = of_kind(workload, Marginals).width, domain.sizes
        cells = InteractionLayout.cells(sizes, order)
        if cells > MOST_CELLS:
            fits = max((t for t in range(1, order) if InteractionLayout.cells(sizes, t) <= MOST_CELLS), default=0)
            raise TooLarge(order=order, numbers=cells, cap=MOST_CELLS, fits=fits)
        interactions = InteractionLayout(sizes, order)
        law = Law.of(price)
        noise = _allocate(interactions, law, domain, price)
        tables, public = comb(len(sizes), order), not domain.unit.private_rows
        return Design(
            by=self,
            summary=f"{cells:,} cells of {counted(tables, 'table')} of {counted(order, 'attribute')} "
            f"with {law.noise}",
            price=price, numbers=cells, parameters=NoisyCells(interactions, noise), memory=150_000_000 + 40 * cells,
            forecasts=tuple(_forecast(interactions, noise, w, public=public) for w in range(1, order + 1)),
            work=1e6 * (len(sizes) * SECONDS_PER_VALUE + tables * SECONDS_PER_CELL),
        )  # fmt: skip

    def release(self, door: Door, domain: Domain, design: Design[NoisyCells]) -> TablesModel:
        interactions, noise = design.parameters
        seen = door.measure(Tables(interactions), noise)
        return TablesModel(domain=domain, law=noise.law, order=interactions.order, group_scales=noise.per_group,
                           cells=seen.values, rows=seen.rows)  # fmt: skip


def _kinds(interactions: InteractionLayout, width: int) -> list[tuple[int, ...]]:
    return [key for key in interactions.groups if len(key) == width]


def _allocate(interactions: InteractionLayout, law: Law, domain: Domain, price: Price) -> Noise:
    """Least total squared error of all cells: variance ~ cells^(-1/2) (Gaussian), scale ~ cells^(-1/3) (Laplace)."""
    root = least_variance_root(law)
    kinds = _kinds(interactions, interactions.order)
    return Noise.costing(price, Tables(interactions), domain.unit, [prod(key) ** -root for key in kinds])


def _forecast(interactions: InteractionLayout, noise: Noise, width: int, *, public: bool) -> Forecast:
    """Errors of the tables that all released cells give together, kind by kind: attributes of one size are alike."""
    top = dict(zip(_kinds(interactions, interactions.order), noise.per_group, strict=True))
    variances = {key: noise.law.variance(scale) for key, scale in top.items()}
    total = worst = cells = 0.0
    for kind in _kinds(interactions, width):
        parts = {
            part: _part(interactions, kind, part, variances, public=public) for part in subsets(tuple(range(width)))
        }
        variance = sum(each * prod(1 - 1 / kind[i] for i in part) / prod(kind[i] for i in range(width) if i not in part)
                       for part, each in parts.items())  # fmt: skip
        tables = interactions.sets_in(interactions.groups.index(kind))
        total, cells = total + tables * prod(kind) * variance, cells + tables * prod(kind)
        worst = max(worst, prod(kind) * _most(parts[()], max(each for part, each in parts.items() if part)))
    return Forecast(width=width, tables=comb(len(interactions.sizes), width), typical=math.sqrt(total / cells),
                    worst=math.sqrt(worst))  # fmt: skip


def _part(
    interactions: InteractionLayout, kind: tuple[int, ...], part: tuple[int, ...],
    variances: dict[tuple[int, ...], float],
    *, public: bool,
) -> float:  # fmt: skip
    """Variance of a question of length 1 that lies in the part of some members of a table of this kind."""
    if public and not part:
        return 0.0
    spread = prod(kind[i] for i in range(len(kind)) if i not in part)
    return 1 / precision(interactions, tuple(kind[i] for i in part), variances) / spread


def _most(rows: float, rest: float) -> float:
    """The most that f^2 rows + f (1 - f) rest can be: what a question that takes the share f of all cells has at most.

    Of its length f, the part f^2 is in the number of rows.
    """
    return rest**2 / (4 * (rest - rows)) if rest > 2 * rows else rows
