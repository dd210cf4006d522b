"""Grouped sets: which attributes, at which resolution; and what was measured of their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..interactions.contrasts import contrasts

__all__ = ["GroupedSet", "RawTable", "interaction_of"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupedSet:
    """Some attributes, each with a map from its codes to groups 0, 1, ...; every group has a code."""

    members: tuple[int, ...]
    maps: tuple[Map, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of groups of each member."""
        return tuple(int(m.max()) + 1 for m in self.maps)

    @cached_property
    def cells(self) -> int:
        """How many cells the table has."""
        return prod(self.shape)

    @property
    def interactions(self) -> int:
        """How many numbers say what the margins do not."""
        return prod(size - 1 for size in self.shape)

    @cached_property
    def length(self) -> float:
        """Squared length of one row in the interactions' orthonormal units."""
        return prod(1 - 1 / size for size in self.shape)

    def expected(self, shares: Sequence[Floats]) -> Floats:
        """Shares of the cells if the members were independent, from the shares of all attributes' codes."""
        out = np.ones(())
        for member, groups, size in zip(self.members, self.maps, self.shape, strict=True):
            out = np.multiply.outer(out, np.bincount(groups, shares[member], minlength=size))
        return out


@dataclass(frozen=True, eq=False)
class RawTable:
    """Released integers: noisy cells, or noisy products of contrasts where `contrasted`; and their noise."""

    set: GroupedSet
    numbers: NDArray[np.int64]
    law: Law
    scale: Fraction
    contrasted: bool = False

    @property
    def variance(self) -> float:
        """Variance of the noise in every orthonormal direction of the table (or of its interaction)."""
        return self.law.variance(self.scale)

    @cached_property
    def cells(self) -> Floats:
        """The noisy counts; the interaction alone where only that was measured."""
        if not self.contrasted:
            return self.numbers.reshape(self.set.shape).astype(np.float64)
        table = self.numbers.reshape([size - 1 for size in self.set.shape]).astype(np.float64)
        for axis, size in enumerate(self.set.shape):
            table = np.moveaxis(np.tensordot(contrasts(size).inverse[:, 1:], table, axes=(1, axis)), 0, axis)
        return table

    @cached_property
    def interaction(self) -> Floats:
        """The table without its margins, whose noise has the same variance in all its directions."""
        return self.cells if self.contrasted else interaction_of(self.cells)

    @property
    def alone(self) -> bool:
        """Whether it is about one attribute or none."""
        return len(self.set.members) < 2


def interaction_of(table: Floats) -> Floats:
    """What is left of a table when the mean along every axis is taken away."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table
