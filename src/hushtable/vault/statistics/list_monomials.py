"""List monomials: the sum over rows of each decision list's coefficients in products of its inputs, as published."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...domain.decision_list import DecisionList
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.wide.list_monomials import list_monomials
from .base import Codes
from .decision_lists import DecisionListSums

__all__ = ["ListMonomialSums"]


class ListMonomialSums(DecisionListSums):
    """The number of rows, then for every set of at most `order` inputs the sum of the rows' coefficients.

    As DecisionListSums, in products of inputs that are 0 or 1 instead of signs: coefficients are larger, and grow with
    the order. Groups: the number of rows, then all sets.
    """

    name: ClassVar[str] = "list-monomials"

    def __init__(self, attribute: DecisionList, order: int) -> None:
        super().__init__(attribute, order)
        self.monomials = list_monomials(attribute.most_rules, order)
        self.groups = 2

    def _add(self, sums: NDArray[np.int64], lists: Codes, rules: int) -> None:
        """Adds lists of one length, those with the same literals negated together."""
        literals = lists[2 : 2 + rules].astype(np.int64)
        inputs, negated = literals >> 1, (literals & 1).T @ (1 << np.arange(rules))
        for pattern in np.unique(negated):
            alike = negated == pattern
            table = self.monomials.table(rules, int(pattern))
            for subset in range(2**rules):
                chosen = [i for i in range(rules) if subset >> i & 1]
                if len(chosen) <= self.order:
                    places = self._places(np.sort(inputs[chosen][:, alike], axis=0))
                    np.add.at(sums, places, table[lists[1, alike], subset])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all sets."""
        index = np.ones(self.length, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: the largest over all decisions and literals; the list with all decisions turned is its opposite."""
        rows, sets = weights
        longest = self.monomials.longest[power - 1]
        return rows + sets * longest if neighbours == "add-remove" else sets * longest * 2**power

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""
        return self.monomials.largest * touched(neighbours)
