"""Sparse grid: few points in many columns, on which a smooth function is written in few Chebyshev polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["SparseGrid", "degrees_at", "level_of", "places_in", "sparse_grid", "sparse_indices", "sparse_size"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def degrees_at(level: int) -> int:
    """Functions of one column alone at a level: T_0, then 2, 2, 4, 8, ... more."""
    return 2**level + 1 if level else 1


def level_of(numbers: Integers) -> Integers:
    """The level at which a degree, or the point of that number, is new: 0; 1, 1; 2, 2; 3, 3, 3, 3; ..."""
    return np.where(numbers == 0, 0, np.maximum(np.ceil(np.log2(np.maximum(numbers, 1))), 1)).astype(np.int64)


def sparse_size(level: int, optional: Sequence[bool]) -> int:
    """How many combinations `sparse_indices` has, without listing them."""
    counts = [1] + [0] * level
    new = [degrees_at(k) - (degrees_at(k - 1) if k else 0) for k in range(level + 1)]
    for o in optional:
        here = [new[0] + o, *new[1:]]
        counts = [sum(counts[i] * here[k - i] for i in range(k + 1)) for k in range(level + 1)]
    return sum(counts)


def sparse_indices(level: int, optional: Sequence[bool]) -> Integers:
    """Combinations of degrees, one a column, whose levels add up to at most this one, in lexicographic order.

    An optional column has one function more, of level 0 and with the next number: that of missing values.
    """
    levels = level_of(np.arange(degrees_at(level)))
    found, reached = np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for o in optional:
        total = reached[:, None] + np.append(levels, np.zeros(int(o), dtype=np.int64))
        kept, own = np.nonzero(total <= level)
        found, reached = np.column_stack([found[kept], own]), total[kept, own]
    return found


def places_in(indices: Integers, wanted: Integers, radix: int) -> Integers:
    """Where combinations are in a list in lexicographic order, -1 for those that are not."""
    weights = radix ** np.arange(indices.shape[1] - 1, -1, -1, dtype=np.int64)
    keys, asked = indices @ weights, wanted @ weights
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[places] == asked, places, -1)


@cache
def sparse_grid(d: int, level: int) -> SparseGrid:
    """Kept, because it takes longer to make than a question to answer."""
    return SparseGrid(d, level)


class SparseGrid:
    """The points of Clenshaw and Curtis whose levels add up to at most `level`, and as many polynomials [GerG98].

    The polynomials that `sparse_indices` lists interpolate any function on these points. The matrix of one column's
    polynomials at its points, both in the order of their levels, is a lower times an upper triangle; neither leaves
    the list, so that both are solved column by column, line by line of the grid.
    """

    def __init__(self, d: int, level: int) -> None:
        self.d, self.level = d, level
        self.indices = sparse_indices(level, [False] * d)
        nodes = _nodes(level)
        self.points: Floats = nodes[self.indices]
        lower, upper = _triangles(np.cos(np.outer(np.arccos(nodes), np.arange(len(nodes)))))
        self._triangles = lower, upper
        self._inverses = _inverse(lower), _inverse(upper)
        self._lines = [_lines(self.indices, axis, degrees_at(level)) for axis in range(d)]

    def coefficients(self, values: Floats) -> Floats:
        """Of the polynomial that has these values at the points."""
        lower, upper = self._inverses
        return self._along(upper, self._along(lower, values))

    def values(self, coefficients: Floats) -> Floats:
        """The inverse: a polynomial at the points."""
        lower, upper = self._triangles
        return self._along(lower, self._along(upper, coefficients))

    def _along(self, matrix: Floats, vector: Floats) -> Floats:
        """A triangle applied to every line of every column in turn."""
        out = vector.copy()
        for lines in self._lines:
            for places in lines:
                size = places.shape[1]
                out[places] = out[places] @ matrix[:size, :size].T
        return out


def _nodes(level: int) -> Floats:
    """The middle, both ends, then what halves the angles between, far apart first so that elimination is stable."""
    nodes = [0.0, -1.0, 1.0][: degrees_at(level)]
    for k in range(2, level + 1):
        count = 2 ** (k - 1)
        turned = [int(format(i, f"0{k - 1}b")[::-1], 2) for i in range(count)]
        nodes += [float(np.cos(np.pi * (2 * i + 1) / 2**k)) for i in turned]
    return np.array(nodes)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _triangles(matrix: Floats) -> tuple[Floats, Floats]:
    """Lower and upper triangle whose product it is, without exchanging lines."""
    upper, lower = matrix.copy(), np.eye(len(matrix))
    for k in range(len(matrix) - 1):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, np.triu(upper)


def _lines(indices: Integers, axis: int, radix: int) -> list[Integers]:
    """Places of the lines along a column, those of one length together: shape (lines, length)."""
    others = np.delete(indices, axis, axis=1)
    keys = others @ radix ** np.arange(others.shape[1], dtype=np.int64)
    order = np.lexsort((indices[:, axis], keys))
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    spans = np.array(list(pairwise([*starts, len(keys)])))
    lengths = spans[:, 1] - spans[:, 0]
    return [order[spans[lengths == n, 0][:, None] + np.arange(n)] for n in np.unique(lengths)]
