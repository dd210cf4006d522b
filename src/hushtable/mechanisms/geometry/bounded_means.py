"""Means by K-norm noise: which columns share a radius, in which unit they are counted, and what error that makes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...maths.geometry.bodies import ProductBody
from ...maths.geometry.column_groups import one_group, planned_groups
from ...maths.geometry.product_law import product_moments
from ...maths.smooth.axes import Axis, Block
from ...maths.smooth.expressions import LinearForm
from ...models.linear.bounded_means import BoundedMeansModel
from ...questions.workloads.means import Means
from ...vault.door.noise import JointNoise
from ...vault.statistics.bounded_tables import BoundedTables
from ...words import counted
from ..base import Design, Forecast, Mechanism
from ..smooth.planning import LARGEST_SCALE_BITS, check_numbers, unit_bits

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["MeansDesign", "means_design", "release_means"]

MOST_BITS, LEAST_BITS = 40, 12
WORK, READING = 0.05, 0.5


class MeansDesign(NamedTuple):
    """The tables in their groups, and the noise of each group."""

    statistic: BoundedTables
    noise: JointNoise
    columns: tuple[str, ...]


def means_design(
    by: Mechanism[Any], domain: Domain, workload: Means, price: Price, levels: str, options: str, rows: int | None
) -> Design[MeansDesign]:
    """The groups of least error, or one for all columns; in the finest unit that leaves room for sums and noise."""
    axes, added = workload.axes(domain), domain.unit.private_rows
    check_numbers(3 * len(axes), rows, "the number of columns")
    sizes = tuple(2 + axis.optional for axis in axes)
    groups = planned_groups(sizes, added=added) if levels == "planned" else one_group(sizes)
    grouped, shares = [group.columns for group in groups], [group.share for group in groups]
    one = JointNoise.sharing(price, _statistic(axes, 1, grouped), domain.unit, shares)
    # A radius is the sum of one number of this scale for each dimension.
    most = max(scale * (3 * len(axes) + 2) for scale in one.per_group)
    bits = min(unit_bits(rows, MOST_BITS), LARGEST_SCALE_BITS - math.ceil(most).bit_length())
    if bits < LEAST_BITS:
        raise BadPlan("the budget is so small that the noise would leave 64 bits; raise it")
    statistic = _statistic(axes, 2**bits, grouped)
    noise = JointNoise.sharing(price, statistic, domain.unit, shares)
    radii = f"in {counted(len(groups), 'group')} that share a radius" if len(groups) > 1 else "that share one radius"
    return Design(
        by=by,
        options=options,
        summary=f"the means of {counted(len(axes), 'column')} {radii}, and no others, with K-norm noise",
        price=price,
        numbers=sum(sizes),
        parameters=MeansDesign(statistic, noise, workload.columns),
        memory=150_000_000,
        forecasts=(_forecast(statistic, noise, added=added),),
        work=READING + WORK * len(axes),
        headline="typical mean",
    )


def _statistic(axes: tuple[Axis, ...], unit: int, grouped: list[tuple[int, ...]]) -> BoundedTables:
    functions = [LinearForm(axis.name, 1.0, 0.0) for axis in axes]
    return BoundedTables(Block(axes), functions, [(axis.low, axis.high) for axis in axes], unit, grouped)


def _forecast(statistic: BoundedTables, noise: JointNoise, *, added: bool) -> Forecast:
    """Of a mean at the end of its range, where the noise of the number of rows counts most; as shares of the range."""
    contrasts, precision = dict[int, float](), 0.0
    for columns, scale in zip(statistic.grouped, noise.per_group, strict=True):
        moments = product_moments(ProductBody(tuple(statistic.sizes[p] for p in columns), added))
        wide = float(scale / statistic.unit) ** 2
        contrasts |= {p: c * wide for p, c in zip(columns, moments.contrasts, strict=True)}
        precision += 1 / (moments.total * wide) if added else 0.0
    rows = 1 / precision if added else 0.0
    sizes = np.array(statistic.sizes)
    each = np.array([contrasts[p] for p in range(len(sizes))]) * (1 - 1 / sizes) + rows / sizes**2
    return Forecast(width=1, tables=1, typical=math.sqrt(each.mean()), worst=math.sqrt(each.max()))


def release_means(door: Door, domain: Domain, design: Design[MeansDesign]) -> BoundedMeansModel:
    """One step of the door, one model."""
    statistic, noise, columns = design.parameters
    seen = door.measure_jointly(statistic, noise)
    return BoundedMeansModel(domain=domain, columns=columns, unit=statistic.unit, groups=statistic.grouped,
                             scales=noise.per_group, cells=seen.values, rows=seen.rows)  # fmt: skip
