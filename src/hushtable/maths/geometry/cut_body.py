"""Cut body: the changes of any whole-number queries, between pairs of parallel planes that hold them all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from .bodies import Body, Ints
from .lattice_counts import ehrhart_numerator

__all__ = ["CutBody"]

# Entries of cuts and of noise for which a product of both surely fits 64 bits, for any dimension there is.
MOST_ENTRY, MOST_NOISE = 1 << 20, 1 << 36


@dataclass(frozen=True, eq=False)
class CutBody(Body):
    """{v: |a v| <= m_a for every cut a}, m_a the most that a changes by between any two rows, or of one row (`added`).

    Every m_a is computed here, exactly, from all rows there can be: so every change is in the body, whatever the cuts
    are. Few or clumsy cuts make the body larger than the hull of all changes: that costs accuracy, never privacy.

    rows  what a row of each kind counts in the queries: one column a kind, one line a query, whole numbers
    cuts  one line a cut, whole numbers; the coordinates themselves are always among them
    """

    rows: Ints
    added: bool
    cuts: Ints

    def __post_init__(self) -> None:
        if self.cuts.ndim != 2 or self.cuts.shape[1] != len(self.rows) or np.abs(self.cuts).max(initial=0) > MOST_ENTRY:
            raise ValueError(f"a cut is a line of {len(self.rows)} whole numbers of at most {MOST_ENTRY}")
        if (self.widths == 0).any():
            raise ValueError("no row changes some of the queries; they are no part of a body")

    def _most(self, cuts: Ints) -> Ints:
        at = cuts @ self.rows
        return np.asarray(np.abs(at).max(axis=1) if self.added else at.max(axis=1) - at.min(axis=1))

    @cached_property
    def widths(self) -> Ints:
        """The most that each query changes by."""
        return self._most(np.eye(len(self.rows), dtype=np.int64))

    @cached_property
    def bounds(self) -> Ints:
        """m of every cut."""
        return self._most(self.cuts)

    @property
    def dimension(self) -> int:
        return len(self.rows)

    @property
    def length(self) -> int:
        return len(self.rows)

    def gauge(self, moved: Ints) -> int:
        """max over cuts of |a v| / m_a, rounded up."""
        large = int(np.abs(moved).max(initial=0)) >= MOST_NOISE
        vector = moved.astype(object) if large else moved
        at = np.concatenate([np.abs(vector), np.abs(self.cuts @ vector)])
        bounds = np.concatenate([self.widths, self.bounds])
        if (at[bounds == 0] != 0).any():
            raise ValueError("a vector that no change and no noise can be")
        inside = bounds > 0
        return int((-(-at[inside] // bounds[inside])).max())

    def numerator(self) -> tuple[int, ...]:
        """Of the box of all coordinates, which a point of the body is looked for in."""
        widths = [int(width) for width in self.widths]
        return ehrhart_numerator(lambda j: prod(2 * w * j + 1 for w in widths), len(widths), symmetric=False)

    def lattice_numerator(self) -> tuple[int, ...]:
        """By counting: for a few dimensions, and bodies with corners on the lattice."""
        return ehrhart_numerator(self._count, self.dimension, symmetric=False)

    def _count(self, reach: int) -> int:
        box = product(*(range(-reach * int(w), reach * int(w) + 1) for w in self.widths))
        points = np.array(list(box), dtype=np.int64)
        return int((np.abs(points @ self.cuts.T) <= reach * self.bounds).all(axis=1).sum())
