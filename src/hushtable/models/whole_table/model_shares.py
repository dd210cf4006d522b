"""The shares of a whole table's rows that a question asks for, as the model has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...domain.predicate import Predicate

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["shares"]

Floats = NDArray[np.float64]


def shares(model: WholeTableModel, where: Predicate | None, axes: Sequence[int]) -> Floats:
    """Share of the rows that satisfy a condition, for every cell of some attributes, in C order."""
    cloud, sizes = model.cloud, model.domain.sizes
    others = sorted((where.positions if where else frozenset()) - set(axes))
    positions = [*axes, *others]
    if cloud.fits(positions):
        table = cloud.table(positions)
        if where:
            table = table * where.table(positions, [sizes[p] for p in positions])
        return np.asarray(table.sum(axis=tuple(range(len(axes), len(positions))))).ravel()
    codes = np.zeros((len(sizes), len(cloud.weights)), dtype=np.uint16)
    for p in positions:
        codes[p] = cloud.values(p)
    weights = cloud.weights * where.on_rows(codes)[0] if where else cloud.weights
    key = np.zeros(len(weights), dtype=np.int64)
    for p in axes:
        key = key * sizes[p] + codes[p]
    return np.asarray(np.bincount(key, weights, minlength=math.prod(sizes[p] for p in axes)), dtype=np.float64)
