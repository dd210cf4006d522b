"""Smooth by Chebyshev polynomials: Gaussian noise that grows with the degree, as smooth questions allow."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.smooth.axes import Block
from ...maths.smooth.chebyshev import WEIGHT_UNIT, decaying, default_degrees, spread_squared
from ...maths.smooth.row_pairs import changes
from ...models.smooth.released_sums import Released, basis_for
from ...models.smooth.smooth import SmoothModel
from ...questions.workloads.base import Workload
from ...questions.workloads.smooth import Smooth
from ...vault.door.noise import Noise
from ...vault.statistics.chebyshev import ChebyshevSums
from ..base import Design
from .base import SmoothMechanism, few_columns
from .planning import (
    Planned,
    check_numbers,
    described,
    forecast,
    planned_blocks,
    shares,
    too_large,
    unit_bits,
)

if TYPE_CHECKING:
    from ...vault.door.door import Door, Measurement

__all__ = ["LEAST_BITS", "MOST_BITS", "SmoothCheb", "chebyshev_design", "chebyshev_model", "noise_units", "split_sums"]

Floats = NDArray[np.float64]
MOST_BITS, LEAST_BITS = 40, 16
# No squared weight is below this share of the largest: it would save nothing, and its noise would leave 64 bits.
LEAST_WEIGHT = 2.0**-16
# Measured seconds for a million rows and a thousand coordinates, and for reading the rows.
WORK, READING = 0.25, 0.5
# Points a degree on which reaches are only compared.
ROUGH = {0: 1, 1: 16, 2: 8, 3: 4, 4: 3}
DECAYS = (0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)


class WeightedSums(NamedTuple):
    """The weighted averages with their noise, and how smooth the source takes questions to be, if it does."""

    statistic: ChebyshevSums
    noise: Noise
    smoothness: int | None


class SmoothCheb(SmoothMechanism[WeightedSums]):
    """The source's basis with weights that decay with the degree, its L2 sensitivity and the projection [WanFZW13].

    The sensitivity is that of the weights, 2 (G(0) - min G) with G the cosine transform of their squares, so that
    degrees that questions hardly need cost hardly anything.
    """

    name = "smooth-cheb"
    source = "WanFZW13"

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[WeightedSums]:
        """Weights: exp(-|m| / tau), or the better of these and sqrt(mean of c_m^2) for the examples."""
        workload.check(domain)
        asked = few_columns(workload)
        if price.currency == "pure":
            raise BadPlan("smooth-cheb adds Gaussian noise, which needs a delta or a rho")

        def weigh(planned: Planned) -> Floats:
            d, size, scale = len(planned.block.axes), planned.basis.size, asked.scale_of(planned.block)
            usual = decaying(size, d, (0.3 if d <= 2 else 0.35) / scale)
            if not asked.examples:
                return usual
            squares = np.mean([t.coefficients**2 for t in planned.typical], axis=0)
            tuned = np.sqrt(squares + 1e-14 * squares.max())
            tuned.flat[0] = 0.0
            tuned = tuned / tuned.max()
            tuned.flat[0] = 1.0
            return min([tuned, *(decaying(size, d, c / scale) for c in DECAYS)], key=lambda w: _cost(planned, w))

        return chebyshev_design(
            self, domain, asked, price, rows,
            degrees=lambda scale: asked.t or default_degrees(scale), weigh=weigh, smoothness=None,
        )  # fmt: skip

    def release(self, door: Door, domain: Domain, design: Design[WeightedSums]) -> SmoothModel:
        return chebyshev_model(door, domain, design)


def _cost(planned: Planned, weights: Floats) -> float:
    """Mean variance of the questions at a given price, if all rows had values: squared reach x sum of c^2 / w^2."""
    kept = np.maximum(weights, LEAST_WEIGHT)
    inverse = 1 / _widened(planned.block, kept)
    inverse.flat[0] = 0.0
    return spread_squared(kept, grid=kept.shape[0] * ROUGH[kept.ndim]) * float(planned.variances(inverse).mean())


def _balanced(planned: Planned, weights: Floats, domain: Domain) -> Floats:
    """With weights for missing values: as large as leaves the least noise.

    Rows that have values are the farthest apart, so that up to a point more weight of missing ones costs nothing.
    """
    block, private = planned.block, domain.unit.private_rows
    optional = [axis.optional for axis in block.axes]
    if not any(optional):
        return weights

    def cost(wide: Floats) -> float:
        apart = [
            change
            for relation in domain.unit.changes
            for change in changes(wide, optional, neighbours=relation, cells=block.cells, density=ROUGH)
        ]
        units = 1 / wide
        units.flat[0] = units.flat[0] if private or block.cells > 1 else 0.0
        return max(c.squared for c in apart) * float(planned.variances(units, private_rows=private).mean())

    return min((_widened(block, weights, times) for times in (1, 2, 3, 4, 6, 8, 12, 16)), key=cost)


def chebyshev_design(
    by: SmoothMechanism[WeightedSums],
    domain: Domain,
    asked: Smooth,
    price: Price,
    rows: int | None,
    *,
    degrees: Callable[[float], int],
    weigh: Callable[[Planned], Floats],
    smoothness: int | None,
) -> Design[WeightedSums]:
    """A design with weights as told; the noise law is that of the price's currency."""
    sizes = [degrees(asked.scale_of(b)) for b in asked.blocks(domain)]
    lengths = [b.cells * prod(b.shape(t)) for b, t in zip(asked.blocks(domain), sizes, strict=True)]
    check_numbers(sum(lengths), rows, "t")
    blocks = planned_blocks(
        domain, asked, lambda b: basis_for("chebyshev", degrees(asked.scale_of(b)), len(b.axes), smoothness)
    )
    law = Law.of(price)
    weights = [_whole(_balanced(b, np.maximum(weigh(b), LEAST_WEIGHT), domain)) for b in blocks]
    bits = unit_bits(rows, MOST_BITS) // 2
    for _ in range(3):
        statistic = ChebyshevSums([b.block for b in blocks], weights=weights, bits=bits,
                                  neighbours=domain.unit.open_relation)  # fmt: skip
        ones = [noise_units(statistic, i, law, 1.0) for i in range(len(blocks))]
        uses = [float(b.variances(u).mean()) for b, u in zip(blocks, ones, strict=True)]
        noise = Noise.costing(price, statistic, domain.unit, shares(uses, law))
        excess = too_large(noise, least_weight=min(int(w.min()) for w in weights) / WEIGHT_UNIT)
        if not excess:
            break
        bits -= -(-excess // 2)
        if bits < LEAST_BITS // 2:
            raise BadPlan("the budget is so small that the noise would leave 64 bits; raise it")
    units = [noise_units(statistic, i, law, float(s)) for i, s in enumerate(noise.per_group)]
    return Design(
        by=by,
        summary=described(blocks, "Chebyshev", law),
        price=price,
        numbers=sum(lengths),
        forecasts=(forecast(blocks, units, domain),),
        memory=150_000_000 + 60 * sum(lengths),
        work=READING + WORK * sum(prod(b.block.shape(t)) for t, b in zip(sizes, blocks, strict=True)) / 1000,
        headline="typical question",
        parameters=WeightedSums(statistic, noise, smoothness),
    )


def chebyshev_model(door: Door, domain: Domain, design: Design[WeightedSums]) -> SmoothModel:
    """Measures, and puts the public constant back where it was left out."""
    statistic, noise, smoothness = design.parameters
    released, seen = [], split_sums(statistic, door.measure(statistic, noise))
    for block, weights, scale, (sums, rows) in zip(
        statistic.blocks, statistic.weights, noise.per_group, seen, strict=True
    ):
        size = weights.shape[0] - block.axes[0].optional
        released.append(Released(
            block=block, basis="chebyshev", size=size, unit=statistic.unit, law=noise.law, scale=scale,
            rows=rows, sums=sums, weights=weights.ravel(), smoothness=smoothness,
        ))  # fmt: skip
    return SmoothModel(domain=domain, released=tuple(released))


def split_sums(statistic: ChebyshevSums, seen: Measurement) -> list[tuple[NDArray[np.int64], int | None]]:
    """The sums of every block, with the public constant back in its place, and the number of rows if it is public."""
    parts, start = [], 0
    for block, length in zip(statistic.blocks, statistic.lengths, strict=True):
        known = statistic.public_total(block)
        part = seen.values[start : start + length - known]
        parts.append((np.concatenate([[(seen.rows or 0) * statistic.unit], part]) if known else part, seen.rows))
        start += length - known
    return parts


def _widened(block: Block, weights: Floats, times: float = 1.0) -> Floats:
    """With weights for missing values: so many times that of the constant."""
    for i, axis in enumerate(block.axes):
        if axis.optional:
            weights = np.concatenate([weights, times * np.take(weights, [0], axis=i)], axis=i)
    return weights


def _whole(weights: Floats) -> NDArray[np.int64]:
    return np.asarray(np.rint(weights / weights.max() * WEIGHT_UNIT), dtype=np.int64)


def noise_units(statistic: ChebyshevSums, group: int, law: Law, scale: float) -> Floats:
    """Variance of every coordinate in rows^2 when the group has this scale."""
    each = scale * WEIGHT_UNIT / statistic.weights[group]
    units = each / float(statistic.unit) ** 2 if law.power == 2 else 2 * (each / statistic.unit) ** 2
    if statistic.public_total(statistic.blocks[group]):
        units.flat[0] = 0.0
    return np.asarray(units)
