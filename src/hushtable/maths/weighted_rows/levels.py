"""Levels: groupings of one attribute's codes from coarse to fine, made from its released shares."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVELS", "Groupings", "refined"]

LEVELS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
Floats = NDArray[np.float64]
Map = NDArray[np.int64]


class Groupings:
    """All groupings of one attribute. Codes that stand together in `order` are merged first."""

    def __init__(self, shares: Floats, order: Map | None = None) -> None:
        self.order = np.arange(len(shares)) if order is None else order
        self.shares = shares

    @cached_property
    def steps(self) -> dict[int, Map]:
        """Level to map from code to group."""
        return {level: self._grouped(level) for level in LEVELS}

    def _grouped(self, level: int) -> Map:
        """Walks the codes in order; large ones stand alone, small neighbours are joined until they are large.

        Size is the square root of a share: it is the size of a count's sampling error, and a dominant value then
        does not force all rare ones together.
        """
        size = np.sqrt(np.maximum(self.shares, 0.0))[self.order]
        enough = size.sum() / level
        groups = np.empty(len(size), dtype=np.int64)
        group, filled = 0, 0.0
        for place, mine in enumerate(size):
            if mine >= enough and filled > 0:
                group, filled = group + 1, 0.0
            groups[place] = group
            filled += mine
            if filled >= enough and place + 1 < len(size):
                group, filled = group + 1, 0.0
        by_code = np.empty_like(groups)
        by_code[self.order] = groups
        return by_code


def refined(maps: list[Map]) -> Map:
    """The coarsest grouping that all of the given ones are made of, groups numbered by first appearance."""
    keys = np.stack(maps)
    _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    return number[group.ravel()].astype(np.int64)
