"""Bodies: sets that hold every change one row can make to a few whole numbers, with their gauge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from .lattice_counts import ehrhart_numerator, vectors_within

__all__ = ["Body", "ProductBody"]

Ints = NDArray[np.int64]


class Body(ABC):
    """A symmetric convex body K around 0. Its gauge rounded up, g(v) = the least whole j with v in jK, is what noise
    of the law P(v) proportional to exp(-g(v) / b) is made of.

    g is symmetric and g(u + v) <= g(u) + g(v), since K is convex. So if the changes of all neighbours are in K, noise
    of that law on lattice points is (1/b)-DP: P(y - s) / P(y - s') <= exp(g(s - s') / b) <= exp(1/b), and the sum of
    all weights is the same for every s on the lattice   [HarT10, Thm. 4.2, with the lattice instead of the space].
    """

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Of the lattice that the noise lives on."""

    @property
    @abstractmethod
    def length(self) -> int:
        """How many numbers a change has."""

    @abstractmethod
    def gauge(self, moved: Ints) -> int:
        """The least whole j with `moved` in jK, exactly; ValueError for what no change and no noise can be."""

    @abstractmethod
    def numerator(self) -> tuple[int, ...]:
        """h_k of the lattice points of jK, or of a box around it: see `ehrhart_numerator`."""

    def lattice_numerator(self) -> tuple[int, ...]:
        """h_k of the lattice points of jK themselves."""
        return self.numerator()


@dataclass(frozen=True)
class ProductBody(Body):
    """The changes of the tables of single columns, one after the other, for columns of these sizes.

    replace     every table keeps its sum, and half of what moves leaves a cell: gauge max over tables of |h|_1 / 2.
                The body is the product of the columns' bodies, since a row can change in every column.
    add-remove  `added`: all tables change their sum by the same, and gauge max over tables of |h|_1. For v = a p - b q
                with p, q mixtures of rows and a - b the sum needs a >= the positive part of every table and no more,
                so a + b = 2 max |h+|_1 - sum = max |h|_1: the hull of all rows and their negatives.
    Both are whole numbers on the lattice of such vectors, and the vertices are on the lattice.
    """

    sizes: tuple[int, ...]
    added: bool = False

    @property
    def dimension(self) -> int:
        return sum(size - 1 for size in self.sizes) + self.added

    @property
    def length(self) -> int:
        return sum(self.sizes)

    def tables(self, vector: Ints) -> list[Ints]:
        """A vector, table by table."""
        return list(np.split(vector, np.cumsum(self.sizes)[:-1]))

    def gauge(self, moved: Ints) -> int:
        parts = self.tables(moved)
        sums = {int(part.sum()) for part in parts}
        if len(sums) > 1 or not (self.added or sums == {0}):
            raise ValueError("tables of the same rows change their sums alike")
        longest = max(int(np.abs(part).sum()) for part in parts)
        return longest if self.added else longest // 2

    def points(self, reach: int) -> int:
        """Lattice points v of gauge at most `reach`."""
        if not self.added:
            return prod(vectors_within(size, 0, reach) for size in self.sizes)
        return self.points_of_sum(reach, 0) + 2 * sum(self.points_of_sum(reach, t) for t in range(1, reach + 1))

    def points_of_sum(self, reach: int, total: int) -> int:
        """Those of `points` whose tables sum to `total` >= 0, where rows are added; most for `total` = reach mod 2.

        A table of m + 1 cells has L(P, Q) of them, with P + Q = reach or reach - 1 and P - Q = total: as many as there
        are whole m-vectors whose positive part is at most P and whose negative part at most Q (leave a cell out). For
        P >= Q no more are left at P + 1 and Q - 1. With p = P and q = Q - 1, that loses a and gains b,
            a = sum over j < m of C(m, j+1) C(q, j) C(p+m-j-1, m-j-1),   b = sum of C(m, j) C(q, j) C(p+m-j, m-j-1),
        and the j-th term of a - b has the sign of p (m-1-2j) - j (m-j): up to some j it is not negative, beyond not
        positive. For q = p both count the same, so that a - b = 0. A smaller q makes the j-th term smaller by
        C(q, j) / C(p, j), the more the larger j is; so a - b >= 0. And where total and reach are not both even or both
        odd, fewer fit than in the neighbour that is nearer to 0 or, from 0, in 1.
        """
        spare = (reach - total) // 2
        return prod(vectors_within(size, total, spare) ** many for size, many in _counted(self.sizes))

    def numerator(self) -> tuple[int, ...]:
        return _numerator(tuple(sorted(self.sizes)), self.added)


@lru_cache(maxsize=64)
def _numerator(sizes: tuple[int, ...], added: bool) -> tuple[int, ...]:
    body = ProductBody(sizes, added)
    return ehrhart_numerator(body.points, body.dimension, symmetric=True)


@lru_cache(maxsize=256)
def _counted(sizes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Each size and how many columns have it."""
    distinct = sorted(set(sizes))
    return tuple((size, list(sizes).count(size)) for size in distinct)
