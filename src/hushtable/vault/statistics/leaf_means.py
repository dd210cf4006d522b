"""Leaf means: over all sets of a width that a leaf of a question tree has, how often a row has all of a set."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import ClassVar

import numpy as np

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.trees.question_tree import QuestionTree
from .base import Codes, Statistic, Sums

__all__ = ["LeafMeans"]


class LeafMeans(Statistic):
    """One number a leaf and width, for those widths whose sets reach the leaf; every row has a value in [0, 1] there.

    Of the sets of width w with all of IN and none of OUT, a row that has all of IN and h of the m open columns fulfils
    C(h, k) of C(m, k), where k = w - |IN|; a row that lacks one of IN fulfils none. `unit` times that share, rounded,
    is what is summed. A row has a column where its code is `side`.

    With a `chance` sets have each open column by it, and there is one number a leaf: of all its sets a row that has all
    of IN fulfils (1 - chance)^(m - h).
    """

    name: ClassVar[str] = "leaf-means"
    groups = 1

    def __init__(
        self, tree: QuestionTree, widths: Sequence[int], *, side: int = 1, unit: int = 2**20,
        chance: Fraction | None = None,
    ) -> None:  # fmt: skip
        self.tree, self.widths, self.side, self.unit, self.chance = tree, tuple(widths), side, unit, chance
        if chance is not None:
            if not 0 <= chance <= 1:
                raise ValueError("a chance lies between 0 and 1")
            self.places: tuple[tuple[int, int], ...] = tuple((number, 0) for number in range(len(tree.leaves)))
            return
        self.places = tuple(
            (number, width)
            for number, leaf in enumerate(tree.leaves)
            for width in self.widths
            if tree.fits(leaf, width)
        )

    def zeros(self) -> Sums:
        """Rows, then values."""
        return np.zeros(1 + len(self.places), dtype=np.int64)

    @cached_property
    def _values(self) -> list[Sums]:
        """For every leaf: what a row with all of IN counts, by how many open columns it has, a line a place."""
        found = []
        if self.chance is not None:
            lacks = 1 - self.chance
            return [
                np.array([[_nearest(self.unit * lacks ** (free - h)) for h in range(free + 1)]], dtype=np.int64)
                for free in map(self.tree.free, self.tree.leaves)
            ]
        for number, leaf in enumerate(self.tree.leaves):
            free, own = self.tree.free(leaf), [width for leaf_number, width in self.places if leaf_number == number]
            rows = [[_rounded(comb(h, w - len(leaf.inside)) * self.unit, comb(free, w - len(leaf.inside)))
                     for h in range(free + 1)] for w in own]  # fmt: skip
            found.append(np.array(rows, dtype=np.int64).reshape(len(own), free + 1))
        return found

    def accumulate(self, codes: Codes) -> Sums:
        """The number of rows, then the values: each node hands on the rows that may still count, and what is open."""
        bits = (codes == self.side).astype(np.uint8)
        rows = bits.shape[1]
        counts: dict[int, Sums] = {}
        waiting = [(0, np.arange(rows), bits.sum(axis=0, dtype=np.int64))]
        while waiting:
            node, kept, free = waiting.pop()
            column, has, lacks = map(int, self.tree.nodes[node])
            if column < 0:
                counts[node] = np.bincount(free, minlength=bits.shape[0] + 1)
                continue
            own = bits[column, kept]
            chosen = own == 1
            waiting.append((has, kept[chosen], free[chosen] - 1))
            waiting.append((lacks, kept, free - own))
        each = [
            values @ counts[node][: values.shape[1]] for node, values in zip(sorted(counts), self._values, strict=True)
        ]
        return np.concatenate([np.array([rows]), *each]).astype(np.int64)

    def to_coordinates(self, sums: Sums) -> Sums:
        """All but the number of rows."""
        return sums[1:]

    def rows(self, sums: Sums) -> int:
        """Kept beside the values."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise everywhere."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=np.zeros(len(self.places), dtype=np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Every value lies between 0 and `unit`, so no row changes any by more; and a row that has every column counts
        the whole unit everywhere, one that has none nothing anywhere, so both changes are as large as that. By a
        chance, such a row still counts where a leaf has nothing inside, as sets may be empty there.
        """
        changes = [self.unit] * len(self.places)
        if self.chance is not None and neighbours == "replace":
            changes = [
                self.unit - (0 if leaf.inside else int(values[0, 0]))
                for leaf, values in zip(self.tree.leaves, self._values, strict=True)
            ]
        return Fraction(weights[0] * sum(change**power for change in changes))

    def largest_change(self, neighbours: Neighbours) -> int:
        """The unit."""
        return self.unit


def _nearest(number: Fraction) -> int:
    return _rounded(number.numerator, number.denominator)


def _rounded(part: int, whole: int) -> int:
    """The nearest whole number to a fraction, in whole numbers."""
    return (2 * part + whole) // (2 * whole)
