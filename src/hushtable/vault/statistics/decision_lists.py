"""Decision lists: the sum over rows of each list's coefficients in the parities of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...domain import Domain
from ...domain.decision_list import DecisionList
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise, InteractionLayout
from ...maths.wide.list_polynomials import list_polynomials
from .base import Codes, Statistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DecisionListSums"]


class DecisionListSums(Statistic):
    """The number of rows, then for every set of at most `order` inputs the sum of the rows' coefficients.

    A row is the polynomial of its list, deciding +1 or -1, in the parities prod_{j in S} (-1)^{y_j} of an input y,
    times 2^grid (`list_polynomials`). Sets are in the order of `InteractionLayout`. Groups: the number of rows, then
    the sets of size 0, 1, ..., order.
    """

    name: ClassVar[str] = "decision-lists"

    def __init__(self, attribute: DecisionList, order: int) -> None:
        self.attribute = attribute
        self.polynomials = list_polynomials(attribute.most_rules, order)
        self.order = self.polynomials.order
        self.inputs = len(attribute.inputs)
        self.groups = self.order + 2
        self.length = 1 + InteractionLayout.count([2] * self.inputs, self.order)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The one column of lists."""
        return (self.attribute.name,)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Codes:
        """Lists as `encode_rules` writes them."""
        from ..coding import encode_rules

        return encode_rules(self.attribute, batch.column(0))

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(self.length, dtype=np.int64)

    def accumulate(self, codes: Codes) -> NDArray[np.int64]:
        """The number of rows, then the summed coefficients."""
        sums = self.zeros()
        sums[0] = codes.shape[1]
        for rules in range(self.attribute.most_rules + 1):
            self._add(sums, codes[:, codes[0] == rules], rules)
        return sums

    def _add(self, sums: NDArray[np.int64], lists: Codes, rules: int) -> None:
        """Adds lists of one length, a set of rules at a time."""
        table = self.polynomials.table(rules)
        literals = lists[2 : 2 + rules].astype(np.int64)
        inputs, signs = literals >> 1, 1 - 2 * (literals & 1)
        for subset in range(2**rules):
            chosen = [i for i in range(rules) if subset >> i & 1]
            if len(chosen) <= self.order:
                # A negated literal turns the sign of its input's parity.
                values = table[lists[1], subset] * signs[chosen].prod(axis=0)
                np.add.at(sums, self._places(np.sort(inputs[chosen], axis=0)), values)

    def _places(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the sets stand whose ascending members are the columns."""
        size = len(members)
        first = 1 + sum(comb(self.inputs, i) for i in range(size))
        ranks = np.full(members.shape[1], first, dtype=np.int64)
        for i, member in enumerate(members):
            ranks += self._below[i][member]
        return ranks

    @cached_property
    def _below(self) -> NDArray[np.int64]:
        """Entry (i, top): how many sets of i + 1 inputs lie below the input `top`."""
        tops = range(self.inputs)
        return np.array([[comb(top, i + 1) for top in tops] for i in range(self.order)], dtype=np.int64)

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums are the coordinates."""
        return sums

    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all sets of one size."""
        sizes = [1, *(comb(self.inputs, i) for i in range(self.order + 1))]
        return CoordinateNoise(
            law=law, table=tuple(per_group), index=np.repeat(np.arange(self.groups, dtype=np.int32), sizes)
        )

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Exact: the maximum over all patterns of decisions; which inputs a list tests does not change its norm.

        A list and the list with all decisions turned have opposite coefficients, so no pair of rows is farther apart
        than twice the largest row, and that pair is. The number of rows changes only when a row is added or removed.
        """
        rows, *sets = weights
        largest = max(sum(w * n for w, n in zip(sets, norm, strict=True)) for norm in self.polynomials.norms(power))
        return rows + largest if neighbours == "add-remove" else Fraction(largest * 2**power)

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate; a list without rules has the largest."""
        return self.polynomials.largest * touched(neighbours)
