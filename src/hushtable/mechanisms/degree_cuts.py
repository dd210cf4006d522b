"""Degree cuts: noise on the degrees of a graph, and beside them on the number of edges of every pair of vertices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..budget import Budget, Currency, Price, Unit
from ..domain import Domain
from ..errors import BadPlan
from ..maths.graphs.pairs import pair_count
from ..models.graph import GraphModel
from ..questions.workloads.base import Workload
from ..questions.workloads.cuts import GraphCuts
from ..vault.door.noise import Noise
from ..vault.statistics.edge_degrees import EdgeDegrees
from ..vault.statistics.edge_pairs import VertexPairs
from .base import Design, Forecast, Mechanism, of_kind, options_text

if TYPE_CHECKING:
    from ..vault.door.door import Door
    from .plans import Plan

__all__ = ["MOST_WITH_PAIRS", "DegreeCutsRelease"]

# Vertices up to which every pair has a number of its own.
MOST_WITH_PAIRS = 5000
# Shares of the price: the number of edges, and pairs where they are measured; the rest is for degrees.
EDGES_SHARE, PAIRS_SHARE = Fraction(1, 10), Fraction(9, 20)
SECONDS_PER_ROW = 6e-7


class NoisyGraph(NamedTuple):
    """What is measured, and with which noise."""

    degrees: EdgeDegrees
    noise: Noise
    pairs: VertexPairs | None
    pair_noise: Noise | None
    repeats: int


@dataclass(frozen=True)
class DegreeCutsRelease(Mechanism[NoisyGraph]):
    """The edges that leave a group, from the degrees of all vertices and from all pairs [Har11, Lemma 6.4.6].

    Of a group that was chosen without regard to who is joined to whom, degrees tell almost everything, with the noise
    of as many numbers as the group has vertices. Pairs have as much noise as pairs are cut, and no bias for any group.
    """

    name = "degree-cuts"
    source = "Har11"
    answers = (GraphCuts,)
    unbiased = False

    pairs: bool | None = None
    """Whether pairs are measured too; None: up to 5,000 vertices."""

    def __post_init__(self) -> None:
        if self.pairs not in (None, True, False):
            raise BadPlan(f"pairs is True or False, not {self.pairs!r}")

    def price(self, workload: Workload, budget: Budget, currency: Currency | None = None) -> Price:
        """In epsilon unless another currency is asked for: an edge changes few numbers, so Laplace noise is smaller."""
        return workload.price(budget, currency or budget.currency) if currency is None else budget.price_in(currency)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[NoisyGraph]:
        workload.check(domain)
        asked = of_kind(workload, GraphCuts)
        degrees = EdgeDegrees(asked.ends(domain))
        pairs = VertexPairs(degrees.ends) if self._with_pairs(degrees.vertices) else None
        on_pairs = PAIRS_SHARE if pairs is not None else Fraction(0)
        left, part = (_part(price, share) for share in (1 - on_pairs, on_pairs))
        noise = Noise.costing(left, degrees, domain.unit, _shape(degrees, domain.unit, 1 - on_pairs))
        pair_noise = None if pairs is None else Noise.costing(part, pairs, domain.unit, [1])
        cells = 0 if pairs is None else pair_count(degrees.vertices)
        decided = NoisyGraph(degrees, noise, pairs, pair_noise, asked.repeats)
        beside = "" if pairs is None else f", and of {cells:,} pairs of vertices"
        return Design(
            by=self,
            options=options_text(self),
            summary=f"the degrees of {degrees.vertices:,} vertices{beside}, with {noise.law.noise}",
            price=price,
            numbers=1 + degrees.vertices + cells,
            parameters=decided,
            memory=150_000_000 + 40 * degrees.vertices + 40 * cells,
            forecasts=tuple(_forecast(decided, size, rows) for size in _sizes(degrees.vertices)),
            work=1e6 * SECONDS_PER_ROW,
            words=("vertices", "groups", "by degrees", "by pairs"),
            caution=""
            if rows is None
            else f"by degrees: groups that are chosen without regard to who is joined to "
            f"whom, among {rows:,} edges; by pairs: any group",
        )

    def _with_pairs(self, vertices: int) -> bool:
        if self.pairs and vertices > MOST_WITH_PAIRS:
            raise BadPlan(
                f"pairs of {vertices:,} vertices are {pair_count(vertices):,} numbers; they are measured up to "
                f"{MOST_WITH_PAIRS:,} vertices: leave pairs out"
            )
        return vertices <= MOST_WITH_PAIRS if self.pairs is None else self.pairs

    def forecast_lines(self, plan: Plan) -> list[str]:
        """One line a size of group."""
        lines = ["forecast standard error (edges)", f"{'vertices':>12}{'by degrees':>14}{'by pairs':>14}"]
        for f in plan.design.forecasts:
            by_pairs = f"{f.worst:,.4g}" if plan.design.parameters.pairs is not None else "-"
            lines.append(f"{f.width:>12,}{f.typical:>14,.4g}{by_pairs:>14}")
        return [*lines, *([f"  {plan.design.caution}"] if plan.design.caution else [])]

    def release(self, door: Door, domain: Domain, design: Design[NoisyGraph]) -> GraphModel:
        degrees, noise, pairs, pair_noise, repeats = design.parameters
        seen = door.measure(degrees, noise).values
        scales, cells = noise.per_group, None
        if pairs is not None and pair_noise is not None:
            cells = door.measure(pairs, pair_noise).values
            scales = (*scales, *pair_noise.per_group)
        return GraphModel(
            domain=domain, law=noise.law, group_scales=scales, repeats=repeats, sums=seen, pairs=cells
        )  # fmt: skip


def _part(price: Price, share: Fraction) -> Price:
    return Price(currency=price.currency, amount=price.amount * share)


def _shape(degrees: EdgeDegrees, unit: Unit, share: Fraction) -> tuple[Fraction, Fraction]:
    """Proportions of the noise of the number of edges and of a degree, where both together have this share.

    Where edges are replaced by others, four degrees change and the number of edges does not, or two and it does: it
    costs nothing beside them if a change of it is twice as dear as one of a degree.
    """
    if unit.neighbours == "replace" and degrees.vertices > 3:
        return Fraction(1), Fraction(2)
    return 1 / EDGES_SHARE, 2 / (share - EDGES_SHARE)


def _sizes(vertices: int) -> list[int]:
    """One vertex, a fiftieth, a tenth and half of all."""
    return sorted({1, *(max(1, round(vertices * share)) for share in (0.02, 0.1, 0.5))})


def _forecast(graph: NoisyGraph, size: int, rows: int | None) -> Forecast:
    """By degrees and by pairs, for a group of this size.

    rms^2 = (1 - 2p)^2 |S| v + 4 R E p^2 (1 - p)^2, where v is the variance of a degree's noise, p the share of the
    vertices, and R the most edges of a pair: what noise does, and what degrees cannot see. By pairs |S| |S^c| v.
    """
    share, law = size / graph.degrees.vertices, graph.noise.law
    noise = (1 - 2 * share) ** 2 * size * law.variance(graph.noise.per_group[1]) if size > 1 else (
        law.variance(graph.noise.per_group[1]))  # fmt: skip
    unseen = 4 * graph.repeats * (rows or 0) * (share * (1 - share)) ** 2 if size > 1 else 0.0
    cells = size * (graph.degrees.vertices - size)
    by_pairs = 0.0 if graph.pair_noise is None else law.variance(graph.pair_noise.per_group[0])
    typical = math.sqrt(noise + unseen)
    worst = math.sqrt(cells * by_pairs) if by_pairs else typical
    return Forecast(width=size, tables=1, typical=typical, worst=worst, reference=size > 1)
