"""Smooth by splines: noise on the sums of B-splines, which every row touches with the same total weight."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.smooth.axes import Block
from ...maths.smooth.splines import default_size
from ...models.smooth.released_sums import Released, basis_for
from ...models.smooth.smooth import SmoothModel
from ...questions.workloads.base import Workload
from ...vault.door.noise import Noise
from ...vault.statistics.splines import SplineSums
from ..base import Design, Measuring
from .base import SmoothMechanism, few_columns
from .planning import (
    check_numbers,
    described,
    forecast,
    planned_blocks,
    shares,
    too_large,
    unit_bits,
)

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["SmoothSpline"]

MOST_BITS, LEAST_BITS = 40, 12
# Measured seconds for a million rows, by columns of a block; reading them comes on top.
WORK = {1: 0.06, 2: 0.2, 3: 0.5, 4: 1.4}
READING = 0.5


class SmoothSpline(SmoothMechanism[Measuring[SplineSums]]):
    """Non-negative functions that sum to 1 have the smallest sensitivity a sum can have [Boo78, DwoMNS06].

    The basis of the source has one that grows with its size [WanFZW13]; a noisy histogram has this one, but a
    bias of the width of its bins where splines have that width to the fourth power.
    """

    name = "smooth-spline"
    source = "Boo78"
    speaks_first = True

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[Measuring[SplineSums]]:
        workload.check(domain)
        asked = few_columns(workload)

        def size(block: Block) -> int:
            return asked.g or default_size(asked.scale_of(block))

        lengths = [b.cells * prod(b.shape(size(b))) for b in asked.blocks(domain)]
        check_numbers(sum(lengths), rows, "g")
        blocks = planned_blocks(domain, asked, lambda b: basis_for("spline", size(b), len(b.axes)))
        law = Law.of(price)
        flat = [np.ones(b.block.shape(b.basis.size)) for b in blocks]
        uses = [float(b.variances(even).mean()) for b, even in zip(blocks, flat, strict=True)]
        bits = unit_bits(rows, MOST_BITS)
        for _ in range(3):
            statistic = SplineSums([b.block for b in blocks], size=[b.basis.size for b in blocks], unit=2**bits)
            noise = Noise.costing(price, statistic, domain.unit, shares(uses, law))
            if not too_large(noise):
                break
            bits -= too_large(noise)
            if bits < LEAST_BITS:
                raise BadPlan("the budget is so small that the noise would leave 64 bits; raise it")
        units = [even * (law.variance(scale) / 4.0**bits) for even, scale in zip(flat, noise.per_group, strict=True)]
        return Design(
            by=self,
            summary=described(blocks, "spline", law),
            price=price,
            numbers=sum(lengths),
            forecasts=(forecast(blocks, units, domain),),
            memory=150_000_000 + 40 * sum(lengths),
            work=READING + sum(WORK[len(b.block.axes)] for b in blocks),
            headline="typical question",
            parameters=Measuring(statistic, noise),
        )

    def release(self, door: Door, domain: Domain, design: Design[Measuring[SplineSums]]) -> SmoothModel:
        statistic, noise = design.parameters
        seen = door.measure(statistic, noise)
        ends = np.cumsum(statistic.lengths)[:-1]
        released = [
            Released(block=block, basis="spline", size=size, unit=statistic.unit, law=noise.law, scale=scale,
                     rows=seen.rows, sums=sums)
            for block, size, scale, sums in zip(
                statistic.blocks, statistic.sizes, noise.per_group, np.split(seen.values, ends), strict=True
            )
        ]  # fmt: skip
        return SmoothModel(domain=domain, released=tuple(released))
