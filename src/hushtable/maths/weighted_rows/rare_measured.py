"""RareMeasured: released sums of rare and even columns and their pairs, and the counts they speak for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..interactions.contrasts import contrasts
from .grouped_sets import GroupedSet, RawTable
from .rare_columns import RareColumns
from .rare_lengths import WEIGHT_UNIT, Lengths

__all__ = ["RareMeasured"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RareMeasured:
    """Noisy whole numbers as they left the vault, with Gaussian noise of these variances."""

    columns: RareColumns
    single: Integers
    """Weight of a row's rare values by its length, in units of 1/256."""
    both: Integers
    """Weight of a row's pairs of rare values by its length, in units of 1/256."""
    lengths: Integers
    """Rows of every length; those of length 1 by the column of their rare value."""
    lengths_scale: Fraction
    sums: Integers
    """The five groups of `RareSums`, one after the other."""
    scales: tuple[Fraction, ...]

    @cached_property
    def parts(self) -> list[Floats]:
        """The five groups, in rows."""
        units = np.array([1, WEIGHT_UNIT, 1, WEIGHT_UNIT, WEIGHT_UNIT])
        cuts = np.cumsum(self.columns.counts)[:-1]
        return [part / unit for part, unit in zip(np.split(self.sums, cuts), units, strict=True)]

    @cached_property
    def deviations(self) -> list[float]:
        """Standard deviations of the five groups, in rows."""
        units = [1, WEIGHT_UNIT, 1, WEIGHT_UNIT, WEIGHT_UNIT]
        return [float(scale) ** 0.5 / unit for scale, unit in zip(self.scales, units, strict=True)]

    @cached_property
    def tables(self) -> list[RawTable]:
        """Sums over even columns and their pairs have no weights: they are contrasts as of any other table."""
        even, _, pairs, *_ = np.split(self.sums, np.cumsum(self.columns.counts)[:-1])
        sign, length = int(contrasts(2).matrix[1, 1]), int(contrasts(2).norms[1])
        members = [*((j,) for j in self.columns.even), *combinations(self.columns.even, 2)]
        numbers = [*(sign * even), *pairs]
        scales = [self.scales[0] / length] * len(even) + [self.scales[2] / length**2] * len(pairs)
        return [
            RawTable(
                GroupedSet(of, (np.arange(2),) * len(of)), np.array([number]), Law.GAUSSIAN, scale, contrasted=True
            )
            for of, number, scale in zip(members, numbers, scales, strict=True)
        ]

    def believed(self, rows: float) -> Lengths:
        """The denoised numbers of rows of every length."""
        return Lengths.of(self.lengths, float(self.lengths_scale), rows)
