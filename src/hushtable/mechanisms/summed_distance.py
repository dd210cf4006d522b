"""The summed distance of a model from the table: one noisy number for many tables, which calibrates error bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..budget import GRID, Price
from ..domain import Domain
from ..laws import Law
from ..maths.distribution import Factored
from ..maths.distribution.carriers import Carriers
from ..maths.distribution.kind_ratios import (
    Comparison,
    KindRatios,
    expected_by_parts,
    expected_sum,
    grouped_table,
    told_apart,
)
from ..maths.weighted_rows.calibration import CALIBRATION_UNIT, whole_reference
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..vault.door.noise import round_up
from ..vault.statistics.summed_tables import SummedTables

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["compared", "summed_distance"]


def summed_distance(
    door: Door,
    domain: Domain,
    law: Law,
    *,
    sets: Sequence[GroupedSet],
    shares: Sequence[NDArray[np.float64]],
    rows: float,
    amount: Fraction,
) -> tuple[int, Fraction]:
    """The noisy distance of all tables together from public ones, in units of 1/1024 row, and its noise's scale."""
    statistic = SummedTables(domain.sizes, sets, times=CALIBRATION_UNIT)
    change = domain.unit.most(statistic.block_change) * domain.unit.rows
    # A price is rounded up to the grid.
    scale = round_up(law.scale(Fraction(change) ** law.power, amount - Fraction(1, GRID)))
    reference = np.concatenate([whole_reference(own, rows) for own in shares])
    (distance,) = door.distances(statistic, reference, scale, law).tolist()
    return int(distance), scale


def compared(
    door: Door,
    domain: Domain,
    law: Law,
    *,
    sets: Mapping[Comparison, Sequence[GroupedSet]],
    distribution: Factored,
    carriers: Carriers | None,
    rows: float,
    amount: Fraction,
) -> KindRatios:
    """A noisy sum for every comparison, each for an equal part of the amount, and what it would usually be."""
    sums, expected, scales = [], [], []
    apart, shares = told_apart(sets), distribution.one_ways()
    share = Price(currency=law.currency, amount=amount / len(sets)).on_grid(up=False).amount
    for comparison, chosen in sets.items():
        tables = [grouped_table(distribution, grouped) for grouped in chosen]
        spreads = 0.0 if carriers is None else carriers.spreads(chosen)
        if apart:
            should = expected_by_parts(comparison, chosen, shares, rows)
        else:
            should = expected_sum(comparison.kind, chosen, tables, spreads, rows)
        total, scale = summed_distance(door, domain, law, sets=chosen, shares=tables, rows=rows, amount=share)
        sums.append(total)
        expected.append(max(round(should * CALIBRATION_UNIT), 1))
        scales.append(float(scale))
    return KindRatios(
        tuple(sets), np.array(sums, dtype=np.int64), np.array(expected, dtype=np.int64), tuple(scales), law
    )
