"""Long decision lists: the sum over rows of each list's coefficients, where lists are sums of a polynomial a rule."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...budget import Neighbours, touched
from ...domain import Domain
from ...domain.decision_list import DecisionList
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise, InteractionLayout
from ...maths.wide.rule_polynomials import RulePolynomials
from .base import Codes, Statistic, Sums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LongListSums"]


class LongListSums(Statistic):
    """The number of rows, then for every set of at most `order` inputs the sum of the rows' coefficients.

    Laid out as `DecisionListSums`. Every row is cut to the lengths of `RulePolynomials.longest`, in whole numbers;
    no list is known that is longer. Groups: the number of rows, then all sets.
    """

    name: ClassVar[str] = "long-lists"
    groups = 2

    def __init__(self, attribute: DecisionList, polynomials: RulePolynomials) -> None:
        self.attribute, self.polynomials = attribute, polynomials
        self.order, self.inputs = polynomials.order, len(attribute.inputs)
        self.length = 1 + InteractionLayout.count([2] * self.inputs, self.order)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The one column of lists."""
        return (self.attribute.name,)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Codes:
        """Lists as `encode_long_rules` writes them."""
        from ..coding import encode_long_rules

        return encode_long_rules(self.attribute, batch.column(0))

    def zeros(self) -> Sums:
        """The sum over no rows."""
        return np.zeros(self.length, dtype=np.int64)

    def accumulate(self, codes: Codes) -> Sums:
        """The number of rows, then the summed coefficients."""
        from .long_list_kernel import add_lists

        sums, polynomials = self.zeros(), self.polynomials
        sums[0] = codes.shape[1]
        longest = polynomials.longest(1), polynomials.longest(2)
        add_lists(
            np.ascontiguousarray(codes), sums, polynomials.parts, polynomials.sets, polynomials.grid, *longest,
            self._starts, self._below, self.order,
        )  # fmt: skip
        return sums

    @cached_property
    def _starts(self) -> Sums:
        """Where the sets of each size begin."""
        return 1 + np.array([sum(comb(self.inputs, i) for i in range(size)) for size in range(self.order + 1)])

    @cached_property
    def _below(self) -> Sums:
        """Entry (i, top): how many sets of i + 1 inputs lie below the input `top`."""
        tops = range(self.inputs)
        return np.array([[comb(top, i + 1) for top in tops] for i in range(self.order)], dtype=np.int64)

    def to_coordinates(self, sums: Sums) -> Sums:
        """The sums are the coordinates."""
        return sums

    def rows(self, sums: Sums) -> int:
        """The number of rows that went into the total of `accumulate`."""
        return int(sums[0])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on all sets."""
        index = np.ones(self.length, dtype=np.int32)
        index[0] = 0
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """The length that rows are cut to; a list and the one with all decisions turned are twice that apart.

        The number of rows changes only when a row is added or removed.
        """
        rows, sets = weights
        longest = self.polynomials.longest(power)
        return rows + sets * longest if neighbours == "add-remove" else sets * longest * 2**power

    def largest_change(self, neighbours: Neighbours) -> int:
        """No coefficient is beyond the root of the sum of their squares."""
        return (int(self.polynomials.longest(2) ** 0.5) + 1) * touched(neighbours)
