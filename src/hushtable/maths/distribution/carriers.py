"""Carriers: cells of a fitted distribution, weighted again as other noise of the released laws would have done.

The spread of an answer over such replicates is what noise does to it. They follow from released numbers alone and cost
nothing [Wol07]; what a distribution was never told is not in them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..weighted_rows.error_ratios import table_layout
from ..weighted_rows.grouped_sets import GroupedSet
from ..weighted_rows.replicates import REPLICATES, drawn
from .factored import Factored
from .fit import Evidence, fit
from .measured import Measured
from .points import PointGroup, on_points

__all__ = ["MOST_CARRIERS", "Carriers", "replicated"]

Floats = NDArray[np.float64]
# All cells of a small domain carry replicates; of a larger one so many rows that stand for equal shares.
MOST_CARRIERS = 2**15
# A replicate begins where it ends but for noise, so that few passes over the measurements do.
PASSES = 4


@dataclass(frozen=True, eq=False)
class Carriers:
    """Codes of cells or rows, one line an attribute, and their shares: the model's, then those of every replicate."""

    codes: NDArray[np.uint16]
    shares: Floats
    """Shape (1 + replicates, carriers)."""

    def spread(self, inside: NDArray[np.bool_], key: NDArray[np.int64] | None = None, cells: int = 1) -> Floats:
        """Root mean square distance of the replicates' shares from the model's, of carriers inside, by their cell."""
        if key is None:
            sums = self.shares[:, inside].sum(axis=1, keepdims=True)
        else:
            sums = np.array([np.bincount(key[inside], each[inside], minlength=cells) for each in self.shares])
        return np.asarray(np.sqrt(((sums[1:] - sums[0]) ** 2).mean(axis=0)))

    def spreads(self, sets: Sequence[GroupedSet]) -> Floats:
        """The same for all cells of grouped tables, one after the other."""
        from ..weighted_rows.kernels import replicated_tables

        lines, spans, maps, starts = table_layout(sets)
        own, each = np.zeros(int(starts[-1])), np.zeros((int(starts[-1]), len(self.shares) - 1))
        none = np.ones((1, len(self.shares) - 1))
        replicated_tables(self.codes, self.shares[0], np.ascontiguousarray(self.shares[1:].T), none,
                          np.full(len(self.codes), -1), lines, spans, maps, starts, own, each)  # fmt: skip
        return np.asarray(np.sqrt(((each - own[:, None]) ** 2).mean(axis=1)))


def replicated(
    distribution: Factored,
    measured: Sequence[Measured],
    evidence: Sequence[Evidence],
    *,
    rows: int,
    grid: int,
    law: Law,
) -> Carriers:
    """Each replicate fits new noise around what the distribution itself says, from the log-weights it has.

    The same numbers always give the same replicates.
    """
    random = np.random.default_rng(_seed(measured))
    codes, shares = _carriers(distribution, random)
    own, found = on_points(distribution.sizes, codes), [shares]
    (group,) = own.groups
    group.table = shares
    tables = [group.marginal(item.positions).ravel() for item in measured]
    for _ in range(REPLICATES):
        group.table = shares.copy()
        again = []
        for item, fitted, table in zip(measured, evidence, tables, strict=True):
            sums = table if item.function is None else np.array([table @ item.function])
            noise = drawn(law, item.variance(law), item.values.shape, random)
            values = np.rint(rows * sums + noise).astype(np.int64)
            new = Measured(item.positions, values, item.scale, item.function).evidence(rows=rows, grid=grid, law=law)
            new.theta = fitted.theta.copy()
            again.append(new)
        fit(own, again, passes=PASSES)
        found.append(group.table)
    return Carriers(codes, np.array(found))


def _carriers(distribution: Factored, random: np.random.Generator) -> tuple[NDArray[np.uint16], Floats]:
    sizes, groups = distribution.sizes, distribution.groups
    if len(groups) == 1 and isinstance(groups[0], PointGroup):
        return groups[0].codes.astype(np.uint16), groups[0].table
    if prod(sizes) <= MOST_CARRIERS:
        codes = np.indices(sizes).reshape(len(sizes), -1).astype(np.uint16)
        return codes, distribution.table(range(len(sizes))).ravel()
    codes = np.empty((len(sizes), MOST_CARRIERS), dtype=np.uint16)
    for group in groups:
        edges = np.cumsum(group.table)
        points = (np.arange(MOST_CARRIERS) + 0.5) * (edges[-1] / MOST_CARRIERS)
        cells = np.minimum(np.searchsorted(edges, points, side="right"), len(edges) - 1)
        for p, own in zip(group.members, group.codes_of(random.permutation(cells)), strict=True):
            codes[p] = own
    return codes, np.full(MOST_CARRIERS, 1 / MOST_CARRIERS)


def _seed(measured: Sequence[Measured]) -> list[int]:
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(item.values, dtype="<i8").tobytes() for item in measured))
    return list(np.frombuffer(digest.digest(), dtype="<u4").astype(int).tolist())
