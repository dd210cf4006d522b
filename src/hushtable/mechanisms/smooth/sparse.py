"""Smooth by sparse grids: few products of Chebyshev polynomials of many columns, for five and more together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.smooth.axes import Block
from ...maths.smooth.basis import Basis
from ...maths.smooth.chebyshev import WEIGHT_UNIT
from ...maths.smooth.sparse_basis import sparse_basis
from ...maths.smooth.sparse_grid import degrees_at
from ...models.smooth.released_sums import Released, basis_for
from ...models.smooth.smooth import SmoothModel
from ...questions.workloads.base import Workload
from ...questions.workloads.smooth import Smooth
from ...vault.door.noise import Noise
from ...vault.statistics.sparse_chebyshev import SparseChebyshevSums, sparse_weights
from ..base import Design, of_kind
from ..plans import Plan
from .base import SmoothMechanism
from .cheb import LEAST_BITS, MOST_BITS, noise_units, split_sums
from .planning import Planned, check_numbers, described, forecast, planned_blocks, shares, too_large, unit_bits

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["SmoothSparse"]

Floats = NDArray[np.float64]
# How fast weights fall with the level, of which the plan takes the one that leaves its questions the least noise.
DECAYS = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5)
MOST_LEVEL = 10
# Measured seconds for a million rows and a thousand sums, and for reading the rows with their polynomials.
WORK, READING = 0.3, 3.0


class SparseSums(NamedTuple):
    """The sums of all groups, with their noise."""

    statistic: SparseChebyshevSums
    noise: Noise


class SmoothSparse(SmoothMechanism[SparseSums]):
    """The combinations of degrees that a sparse grid has, instead of all, in weights of Fejer's kernels [GerG98].

    A column alone is resolved to a length scale as otherwise; of several together the product of their degrees is
    bounded, so that the number of sums hardly grows with the columns. Sums, scores, moments and functions of two or
    three columns have little of what is left out; narrow bumps of many columns have, and their answers say so.
    """

    name = "smooth-sparse"
    source = "GerG98"

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Where a grid of all combinations has no room."""
        return not super().offers_itself(domain, workload)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[SparseSums]:
        workload.check(domain)
        asked = of_kind(workload, Smooth)
        if asked.g is not None:
            raise BadPlan("smooth-sparse has Chebyshev polynomials and no splines; give t instead of g")
        groups = asked.blocks(domain)
        levels = [level_for(asked, block) for block in groups]
        lengths = [b.cells * b.combinations(degrees_at(k), k) for b, k in zip(groups, levels, strict=True)]
        check_numbers(sum(lengths), rows, "t")
        chosen = dict(zip(groups, levels, strict=True))
        blocks = planned_blocks(domain, asked, lambda b: _basis(b, chosen[b]))
        law = Law.of(price)
        decay = min(DECAYS, key=lambda decay: sum(_cost(b, k, decay, law) for b, k in zip(blocks, levels, strict=True)))
        statistic, noise, units = _noised(blocks, levels, domain, price, rows, decay)
        return Design(
            by=self,
            summary=described(blocks, "sparse Chebyshev", law),
            price=price,
            numbers=sum(lengths),
            forecasts=(forecast(blocks, units, domain),),
            memory=250_000_000 + 200 * sum(lengths),
            work=READING + WORK * sum(lengths) / 1000,
            headline="typical question",
            parameters=SparseSums(statistic, noise),
        )

    def forecast_lines(self, plan: Plan) -> list[str]:
        (block, *_), asked = of_kind(plan.workload, Smooth).blocks(plan.domain), of_kind(plan.workload, Smooth)
        level = level_for(asked, block)
        return [
            *super().forecast_lines(plan),
            f"  of several columns together less: degrees up to {2**level} of one, whose product is bounded; answers "
            "about three or more columns have a bias that is sampled, not proven",
        ]

    def release(self, door: Door, domain: Domain, design: Design[SparseSums]) -> SmoothModel:
        statistic, noise = design.parameters
        released = [
            Released(
                block=block, basis="chebyshev", size=degrees_at(level), unit=statistic.unit, law=noise.law, scale=scale,
                rows=rows, sums=sums, weights=weights, level=level,
            )
            for block, level, weights, scale, (sums, rows) in zip(
                statistic.blocks, statistic.levels, statistic.weights, noise.per_group,
                split_sums(statistic, door.measure(statistic, noise)), strict=True,
            )
        ]  # fmt: skip
        return SmoothModel(domain=domain, released=tuple(released))


def level_for(asked: Smooth, block: Block) -> int:
    """The first level with as many degrees as a column needs alone."""
    degrees = asked.t or math.ceil(4 / asked.scale_of(block))
    level = max(1, math.ceil(math.log2(max(2, degrees - 1 if asked.t else degrees))))
    if level > MOST_LEVEL:
        raise BadPlan(f"{degrees:,} degrees a column are more than the {degrees_at(MOST_LEVEL):,} of a sparse release")
    return level


def _basis(block: Block, level: int) -> Basis:
    """With one coefficient a sum."""
    size, d = degrees_at(level), len(block.axes)
    return sparse_basis(size, d, None, level) if d > 1 else basis_for("chebyshev", size, d)


def _cost(planned: Planned, level: int, decay: float, law: Law) -> float:
    """Mean variance of the plan's questions in a unit that all decays share: what a row has, over the weights."""
    weights, most = sparse_weights(planned.block, level, decay)
    return float((most * planned.variances((WEIGHT_UNIT / weights) ** (2 / law.power)) ** (law.power / 2)).mean())


def _noised(
    blocks: list[Planned], levels: list[int], domain: Domain, price: Price, rows: int | None, decay: float
) -> tuple[SparseChebyshevSums, Noise, list[Floats]]:
    """The sums with weights of one decay, their noise, and its variances in rows^2."""
    law, bits = Law.of(price), unit_bits(rows, MOST_BITS) // 2
    while True:
        statistic = SparseChebyshevSums(
            [b.block for b in blocks], levels=levels, decay=decay, bits=bits, neighbours=domain.unit.open_relation
        )
        ones = [noise_units(statistic, i, law, 1.0) for i in range(len(blocks))]
        uses = [float(b.variances(u).mean()) for b, u in zip(blocks, ones, strict=True)]
        noise = Noise.costing(price, statistic, domain.unit, shares(uses, law))
        excess = too_large(noise, least_weight=min(int(w.min()) for w in statistic.weights) / WEIGHT_UNIT)
        if not excess:
            units = [noise_units(statistic, i, law, float(s)) for i, s in enumerate(noise.per_group)]
            return statistic, noise, units
        bits -= -(-excess // 2)
        if bits < LEAST_BITS // 2:
            raise BadPlan("the budget is so small that the noise would leave 64 bits; raise it")
