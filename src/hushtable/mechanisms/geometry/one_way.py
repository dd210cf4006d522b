"""One-way tables by K-norm noise: which columns share a radius, and what error that makes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.geometry.bodies import ProductBody
from ...maths.geometry.column_groups import MOST_DIMENSION, MOST_VALUES, one_group, planned_groups
from ...maths.geometry.product_law import product_moments
from ...models.linear.one_way import OneWayModel
from ...vault.door.noise import JointNoise
from ...vault.statistics import OneWayTables
from ...words import counted
from ..base import Design, Forecast, Mechanism
from ..tables import SECONDS_PER_CELL, SECONDS_PER_VALUE

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["OneWayDesign", "one_way_design", "release_one_way"]


class OneWayDesign(NamedTuple):
    """The tables in their groups, and the noise of each group."""

    statistic: OneWayTables
    noise: JointNoise


def one_way_design(by: Mechanism[Any], domain: Domain, price: Price, levels: str, options: str) -> Design[OneWayDesign]:
    """The groups of least error, or one for all columns."""
    sizes, added = domain.sizes, domain.unit.private_rows
    if max(sizes) > MOST_VALUES:
        raise BadPlan(f"k-norm takes columns of at most {MOST_VALUES} values, not {max(sizes):,}; use tables")
    groups = planned_groups(sizes, added=added) if levels == "planned" else one_group(sizes)
    statistic = OneWayTables(sizes, [group.columns for group in groups])
    widest = max(statistic.body(g, domain.unit.open_relation).dimension for g in range(statistic.groups))
    if widest > max(MOST_DIMENSION, MOST_VALUES):
        raise BadPlan(f"one radius for {widest:,} dimensions; at most {MOST_DIMENSION} fit: use levels=planned")
    noise = JointNoise.sharing(price, statistic, domain.unit, [group.share for group in groups])
    radii = f"in {counted(len(groups), 'group')} that share a radius" if len(groups) > 1 else "that share one radius"
    return Design(
        by=by,
        options=options,
        summary=f"{sum(sizes):,} cells of {counted(len(sizes), 'column')} {radii}, with K-norm noise",
        price=price,
        numbers=sum(sizes),
        parameters=OneWayDesign(statistic, noise),
        memory=150_000_000,
        forecasts=(_forecast(statistic, noise, added=added),),
        work=1e6 * len(sizes) * (SECONDS_PER_VALUE + SECONDS_PER_CELL),
    )


def _forecast(statistic: OneWayTables, noise: JointNoise, *, added: bool) -> Forecast:
    """Exact, as the model states its errors; the worst question of a table takes half of its cells, or all."""
    contrasts, precision = dict[int, float](), 0.0
    for columns, scale in zip(statistic.grouped, noise.per_group, strict=True):
        moments = product_moments(ProductBody(tuple(statistic.sizes[p] for p in columns), added))
        contrasts |= {p: c * float(scale) ** 2 for p, c in zip(columns, moments.contrasts, strict=True)}
        precision += 1 / (moments.total * float(scale) ** 2) if added else 0.0
    rows = 1 / precision if added else 0.0
    sizes = statistic.sizes
    squares = sum(contrasts[p] * (size - 1) + rows / size for p, size in enumerate(sizes))
    # A share f of a table's cells: f^2 of the noise of the rows, f (1 - f) cells of contrasts.
    worst = max(_most(rows, contrasts[p] * size) for p, size in enumerate(sizes))
    return Forecast(
        width=1, tables=len(sizes), typical=math.sqrt(squares / sum(sizes)), worst=math.sqrt(max(worst, rows))
    )


def _most(rows: float, spread: float) -> float:
    """The most that f^2 rows + f (1 - f) spread can be."""
    return spread**2 / (4 * (spread - rows)) if spread > 2 * rows else rows


def release_one_way(door: Door, domain: Domain, design: Design[OneWayDesign]) -> OneWayModel:
    """One step of the door, one model."""
    statistic, noise = design.parameters
    seen = door.measure_jointly(statistic, noise)
    return OneWayModel(domain=domain, law=Law.LAPLACE, groups=statistic.grouped, scales=noise.per_group,
                       cells=seen.values, rows=seen.rows)  # fmt: skip
