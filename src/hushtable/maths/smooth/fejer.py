"""Fejer's weights: squared weights of many polynomials in which no two rows ever point away from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .sparse_grid import degrees_at

__all__ = ["fejer_weights", "missing_weight"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def fejer_weights(indices: Integers, level: int, decay: float) -> Floats:
    """Squared weights of combinations of degrees: a sum over levels l of 2^(-decay |l|) times Fejer's kernels.

    Fejer's kernel of a column, 1 + 2 sum (1 - m / N) cos(m a) with N functions, is nowhere negative; nor are products
    of kernels of several columns and sums of these. Two rows x and x' have the product sum of w_m T_m(x) T_m(x'), a
    mean of that sum at angles between them [WanFZW13, Sec. 3], so that it is never negative: the squared distance of
    two rows is at most the sum of their squared lengths, whatever the number of columns.
    """
    kernels = np.zeros((level + 1, degrees_at(level)))
    for k in range(level + 1):
        size = degrees_at(k)
        kernels[k, :size] = 2.0 * (1 - np.arange(size) / size)
        kernels[k, 0] = 1.0
    kernels *= 2.0 ** (-decay * np.arange(level + 1))[:, None]
    # Entry q of a combination: the part of its weight whose levels add up to q.
    parts = np.zeros((len(indices), level + 1))
    parts[:, 0] = 1.0
    for column in indices.T:
        own = kernels[:, column].T
        parts = np.stack([(parts[:, : q + 1] * own[:, q::-1]).sum(axis=1) for q in range(level + 1)], axis=1)
    return np.asarray(parts.sum(axis=1))


def missing_weight(reached: Sequence[float]) -> float:
    """How much a column's function of missing values may weigh, in weights of its constant, at no cost.

    `reached` are the sums of squared weights of the polynomials that rows with 0, 1, 2, ... missing columns have. With
    weight v a row that lacks k of them has (1 + v)^k times that, which stays below what a complete row has.
    """
    return min(((reached[0] / part) ** (1 / k) - 1 for k, part in enumerate(reached) if k), default=1.0)
