"""Shared tables: noisy tables of single columns, in groups that share a radius, and what they say of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .bodies import ProductBody
from .product_law import draw_product, product_moments
from .shared_table import SharedTable

__all__ = ["SharedTables"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SharedTables:
    """Tables of these sizes with noise of gauge law, group after group.

    Of several groups each tells what the tables sum to, where it is not public; all take the best mean of them.
    """

    sizes: Sequence[int]
    groups: tuple[tuple[int, ...], ...]
    """Tables of each group, by their positions; the cells stand in this order."""
    scales: tuple[Fraction, ...]
    cells: Ints
    total: int | None
    """What every table sums to in truth where that is public; else None."""
    draws: int
    """How many draws of the noise error bars are made from."""

    @cached_property
    def _bodies(self) -> list[ProductBody]:
        return [ProductBody(tuple(self.sizes[p] for p in group), self.total is None) for group in self.groups]

    @cached_property
    def _place(self) -> dict[int, tuple[int, int, int]]:
        """For each table its group, its place there, and where its cells begin."""
        out, start = {}, 0
        for number, group in enumerate(self.groups):
            for place, table in enumerate(group):
                out[table] = (number, place, start)
                start += self.sizes[table]
        return out

    @cached_property
    def _totals(self) -> tuple[Floats, Floats]:
        """Each group's sum, and how much it counts in the mean of all; nothing where it is public."""
        firsts = [self._cells_of(group[0]).sum() for group in self.groups]
        variances = self._total_variances
        weights = np.zeros(len(firsts)) if self.total is not None else 1 / variances / (1 / variances).sum()
        return np.array(firsts, dtype=np.float64), weights

    @cached_property
    def _total_variances(self) -> Floats:
        pairs = zip(self._bodies, self.scales, strict=True)
        return np.array([product_moments(body).total * float(scale) ** 2 for body, scale in pairs])

    def _cells_of(self, position: int) -> Ints:
        start = self._place[position][2]
        return self.cells[start : start + self.sizes[position]]

    def pooled(self) -> tuple[float, float]:
        """The best sum, and its variance."""
        if self.total is not None:
            return float(self.total), 0.0
        totals, weights = self._totals
        return float(totals @ weights), float(1 / (1 / self._total_variances).sum())

    def sum_alone(self) -> SharedTable:
        """The sum, as a table without columns."""
        total, variance = self.pooled()
        return SharedTable(np.array(total), (), None, 0.0, variance, self._total_draws)

    def table(self, position: int) -> SharedTable:
        """A table's cells, moved to the best sum: each cell by as much."""
        group, place, _ = self._place[position]
        cells, (total, variance) = self._cells_of(position).astype(np.float64), self.pooled()
        body, scale = self._bodies[group], float(self.scales[group])
        contrast = product_moments(body).contrasts[place] * scale**2
        cells = cells + (total - cells.sum()) / len(cells)
        return SharedTable(cells, (None,), None, contrast, variance, lambda: self._draws(group, place))

    def _draws(self, group: int, place: int) -> Floats:
        (drawn,), _ = draw_product(self._bodies[group], (place,), self.draws, seed=group)
        noise = drawn * float(self.scales[group])
        if self.total is not None:
            return noise
        pooled = self._total_draws()
        return np.asarray(noise - noise.mean(axis=1, keepdims=True) + pooled[:, None] / noise.shape[1])

    def _total_draws(self) -> Floats:
        """Noise of the best mean of all groups' sums; the same draws as `_draws` has."""
        pairs = zip(self._bodies, self.scales, strict=True)
        own = np.array([draw_product(b, (), self.draws, seed=g)[1] * float(s) for g, (b, s) in enumerate(pairs)])
        return np.asarray(self._totals[1] @ own)
