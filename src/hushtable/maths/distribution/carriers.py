"""Carriers: cells of a fitted distribution, weighted again as other noise of the released laws would have done.

The spread of an answer over such replicates is what noise does to it. They follow from released numbers alone and cost
nothing [Wol07]; what a distribution was never told is not in them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from statistics import NormalDist

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
    by_rows: Floats | None = None
    """The same, where nothing but the released number of rows had other noise; None where that number is public."""

    def of_rows(self) -> Carriers | None:
        """The carriers whose replicates differ by the number of rows alone. How far they are apart is known exactly:
        unlike what a fit misses, no other table tells it better."""
        return None if self.by_rows is None else Carriers(self.codes, self.by_rows)

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
    rows_stderr: float = 0.0,
) -> Carriers:
    """Each replicate fits new noise around what the distribution itself says, from the log-weights it has.

    Where the number of rows has noise (`rows_stderr`), others fit the same sums as shares of another number: sums
    that make up half of the rows are all of them if there are half as many. The same numbers give the same replicates.
    """
    random = np.random.default_rng(_seed(measured))
    codes, shares = _carriers(distribution, random)
    own = on_points(distribution.sizes, codes)
    (group,) = own.groups
    group.table = shares
    tables = [group.marginal(item.positions).ravel() for item in measured]
    means = [
        table if item.function is None else np.array([table @ item.function])
        for item, table in zip(measured, tables, strict=True)
    ]

    def fitted_again(noise: Sequence[Floats | float], other: int) -> Floats:
        """The shares that fit such noise, as of another number of rows."""
        group.table = shares.copy()
        again = []
        for item, fitted, mean, moved in zip(measured, evidence, means, noise, strict=True):
            values = np.rint(rows * mean + moved).astype(np.int64)
            new = Measured(item.positions, values, item.scale, item.function).evidence(rows=other, grid=grid, law=law)
            new.theta = fitted.theta.copy()
            again.append(new)
        fit(own, again, passes=PASSES)
        moved_shares: Floats = group.table
        return moved_shares

    found = [shares]
    for _ in range(REPLICATES):
        noise = [drawn(law, item.variance(law), item.values.shape, random) for item in measured]
        found.append(fitted_again(noise, rows))
    if not rows_stderr:
        return Carriers(codes, np.array(found))
    others = np.maximum(np.rint(rows + rows_stderr * _even_noise(law)), 1)
    by_rows = [shares, *(fitted_again([0.0] * len(measured), int(other)) for other in others)]
    return Carriers(codes, np.array(found), np.array(by_rows))


def _even_noise(law: Law) -> Floats:
    """Noise of standard deviation 1 at even places of its distribution: by chance its tails might be left out."""
    places = (np.arange(REPLICATES) + 0.5) / REPLICATES
    if law.power == 2:
        even = np.array([NormalDist().inv_cdf(place) for place in places.tolist()])
    else:
        even = np.sign(places - 0.5) * -np.log(2 * np.minimum(places, 1 - places))
    # So few places have less variance than the law.
    return np.asarray(even / np.sqrt((even**2).mean()))


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
