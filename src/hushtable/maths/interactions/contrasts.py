"""Contrasts: an exact integer basis for the functions of one attribute, the same for two values or a hundred."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import gcd, log2

import numpy as np
from numpy.typing import NDArray

__all__ = ["MONOMIALS", "Contrasts", "contrasts"]


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Row 0 is constant 1; rows 1..m-1 are orthogonal integer contrasts that sum to 0.

    Halving the values again and again gives a tree; the contrast of a node with `a` values on the left and
    `b` on the right is +b on the left and -a on the right (divided by their common factor), 0 elsewhere.
    For two values that is (1, -1), the parity of one bit. Integers, because noise is added to integers;
    orthogonal, because then noise of variance proportional to `norms` costs the least [XiaHZK23, Thm. 4];
    a tree, because one value touches only log2(m) contrasts, which keeps Laplace noise cheap [XiaWG10].
    """

    matrix: NDArray[np.int64]
    norms: tuple[int, ...]
    """Squared length of each row."""
    steps: tuple[int, ...]
    """Laplace scale of each row relative to the others: powers of two, so that products stay exact."""
    orthogonal: bool = True

    @property
    def size(self) -> int:
        """How many values the attribute has."""
        return len(self.norms)

    @cached_property
    def inverse(self) -> NDArray[np.float64]:
        """Columns that turn coordinates back into counts: matrix.T / norms where rows are orthogonal."""
        if not self.orthogonal:
            return np.linalg.inv(self.matrix.astype(np.float64))
        return self.matrix.T / np.array(self.norms, dtype=np.float64)

    @cached_property
    def cells(self) -> tuple[float, ...]:
        """Summed over the values, how much of each coordinate's variance comes back: 1 / norm if orthogonal."""
        if self.orthogonal:
            return tuple(1 / norm for norm in self.norms)
        return tuple(float(weight) for weight in (self.inverse**2).sum(axis=0))

    def largest_l1(self) -> Fraction:
        """Largest sum over contrasts of |entry| / step that one value can have."""
        sums = [
            sum(
                (Fraction(abs(int(entry)), step) for entry, step in zip(column, self.steps[1:], strict=True)),
                Fraction(0),
            )
            for column in self.matrix[1:].T
        ]
        return max(sums)


@cache
def contrasts(size: int) -> Contrasts:
    """The contrasts of an attribute with `size` values."""
    rows, steps = [np.ones(size, dtype=np.int64)], [1]
    waiting = [(0, size)]
    while waiting:
        start, stop = waiting.pop(0)
        if stop - start < 2:
            continue
        middle = (start + stop + 1) // 2
        left, right = middle - start, stop - middle
        common = gcd(left, right)
        row = np.zeros(size, dtype=np.int64)
        row[start:middle], row[middle:stop] = right // common, -(left // common)
        rows.append(row)
        steps.append(_step(height=left // common, values=stop - start))
        waiting += [(start, middle), (middle, stop)]
    matrix = np.array(rows)
    matrix.setflags(write=False)
    return Contrasts(matrix=matrix, norms=tuple(int(r @ r) for r in matrix), steps=tuple(steps))


# The published basis for two values: the bit itself, so that a product counts the rows where all bits are 1.
MONOMIALS = Contrasts(matrix=np.array([[1, 1], [0, 1]], dtype=np.int64), norms=(1, 1), steps=(1, 1), orthogonal=False)


def _step(*, height: int, values: int) -> int:
    """The Laplace scale that minimises the total squared error of the cells, to the nearest power of two.

    With contrasts of height 1 over 2^l values the minimum of sum of variances under a fixed L1 price has
    scale proportional to (number of values)^(2/3).
    """
    ideal = height * (values / 2) ** (2 / 3)
    return int(2 ** max(0, round(log2(ideal))))
