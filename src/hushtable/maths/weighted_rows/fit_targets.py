"""Fit targets: one total, one set of shares for each attribute, and tables that agree with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .empty_cells import emptied, seen_empty
from .grouped_sets import GroupedSet, RawTable
from .shares import ColumnTotals

__all__ = ["FitTargets", "agree", "half_projected", "on_margins"]

Floats = NDArray[np.float64]
# Bounds on rows / excess, the part of its noise that a table's pull has as variance: near 0 where the table is far
# from independence, 1 (shrunk as much as its noise says) where sampling alone would make it differ as much. A tenth is
# the most: what other pairs make a weak pair drift to is worse than its noise (`python -m benchmarks left_out`).
WEAKEST, STRONGEST = 0.0005, 0.1
# How much of the way a pair goes to a table without negative cells; rounds of that projection, and how far below 0
# (rows) a cell may stay.
PROJECTED, PROJECTIONS, NEAR = 0.5, 200, 0.1


@dataclass(frozen=True, eq=False)
class FitTargets:
    """What all released tables say together."""

    rows: float
    shares: list[Floats]
    variances: list[float]
    """Noise of one value's count, for every attribute."""
    sets: list[GroupedSet]
    counts: list[Floats]
    """Tables with the margins of the shares; only their interaction is their own. Cells that were seen to be empty have
    what makes a fit leave them so (`emptied`)."""
    strengths: list[float]
    """How far each table is trusted: the variance c of its pull on the model."""


def agree(totals: ColumnTotals, tables: Sequence[RawTable]) -> FitTargets:
    """Shares from the single columns; then each table is its measured interaction on the margins of these shares."""
    rows = max(totals.rows, 1.0)
    shares = totals.shares()
    seen = [on_margins(table.set, table.interaction, shares, rows) for table in tables]
    counts = [half_projected(own) for own in seen]
    strengths = [_strength(table, own, shares, rows) for table, own in zip(tables, counts, strict=True)]
    for number, (table, own) in enumerate(zip(tables, seen, strict=True)):
        empty = seen_empty(table.set, own, table.variance, rows * table.set.expected(shares))
        counts[number] = emptied(counts[number], empty, strengths[number])
    return FitTargets(rows, shares, totals.variances, [t.set for t in tables], counts, strengths)


def on_margins(
    grouped: GroupedSet, interaction: Floats, shares: Sequence[Floats], rows: float, *, total: float | None = None
) -> Floats:
    """The interaction plus, for every axis, the margin spread evenly over the others; each cell's total once.

    `total` is how many rows there are in all, if that is not `rows`.
    """
    shape = grouped.shape
    out = interaction + (rows if total is None else total) / grouped.cells
    for axis, (member, groups) in enumerate(zip(grouped.members, grouped.maps, strict=True)):
        margin = rows * np.bincount(groups, shares[member])
        along = [1] * len(shape)
        along[axis] = -1
        out = out + ((margin - margin.mean()) / (grouped.cells / shape[axis])).reshape(along)
    return out


def half_projected(table: Floats, rounds: int = PROJECTIONS) -> Floats:
    """The mean of a pair's table and the nearest one without negative cells that has the same margins.

    Noise in many empty cells would else stay in them: a fit cuts off what is negative and keeps the rest.
    """
    from .kernels import nearest_non_negative

    if table.ndim != 2:
        return table
    # Also where nothing is negative, which ends at once: a trial before the first charge then compiles it.
    nearest = nearest_non_negative(np.ascontiguousarray(table), rounds, NEAR)
    return np.asarray((1 - PROJECTED) * table + PROJECTED * nearest)


def _strength(table: RawTable, counts: Floats, shares: Sequence[Floats], rows: float) -> float:
    """Empirical Bayes: the more a table differs from independence beyond its noise, the less it is shrunk to it."""
    apart = float(((counts - rows * table.set.expected(shares)) ** 2).sum())
    excess = max(apart - table.set.interactions * table.variance, rows)
    return min(max(rows / excess, WEAKEST), STRONGEST) * table.variance + 1.0
