"""Pairs: the order in which the pairs of vertices of a graph are numbered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["pair_count", "pair_matrix", "pair_numbers"]

Whole = NDArray[np.int64]


def pair_count(vertices: int) -> int:
    """How many pairs there are."""
    return vertices * (vertices - 1) // 2


def pair_numbers(small: Whole, large: Whole) -> Whole:
    """The number of each pair of vertices, of which the first is smaller: (0,1), (0,2), (1,2), (0,3), ..."""
    return large * (large - 1) // 2 + small


def pair_matrix(numbers: Whole, vertices: int) -> NDArray[np.float32]:
    """A number for every pair as a symmetric matrix with an empty diagonal."""
    matrix = np.zeros((vertices, vertices), dtype=np.float32)
    for large in range(1, vertices):
        first = pair_count(large)
        matrix[large, :large] = numbers[first : first + large]
    matrix += matrix.T
    return matrix
