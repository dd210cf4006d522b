"""List monomials: decision lists as polynomials in their inputs themselves, with whole coefficients, as published."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from .list_polynomials import ListPolynomials, list_polynomials

__all__ = ["ListMonomials", "list_monomials"]

Integers = NDArray[np.int64]


@cache
def list_monomials(length: int, order: int) -> ListMonomials:
    """The polynomials for one length and degree, computed once."""
    return ListMonomials(list_polynomials(length, order))


class ListMonomials:
    """The polynomials of `ListPolynomials` in products of inputs [ThaUV12, Lemma 15].

    The literal of a rule is an input y or its opposite, so that its sign is s (1 - 2y) with s = 1 or -1, and a product
    of signs over a set of rules is the product of s times the sum of (-2)^|T| prod y over the subsets T.
    """

    def __init__(self, parities: ListPolynomials) -> None:
        self.parities, self.order, self.grid, self.bias = parities, parities.order, parities.grid, parities.bias

    def table(self, rules: int, negated: int) -> Integers:
        """Row: the decisions; column: the set of rules, bit i for rule i; where the literals in `negated` are so."""
        if (rules, negated) not in self._tables:
            sets = np.arange(2**rules)
            turned = 1 - 2 * (np.bitwise_count(sets & negated).astype(np.int64) & 1)
            table = self.parities.table(rules) * turned
            for rule in range(rules):
                without = sets[(sets >> rule & 1) == 0]
                table[:, without] += table[:, without | 1 << rule]
                table[:, without | 1 << rule] *= -2
            self._tables[rules, negated] = table
        return self._tables[rules, negated]

    @cached_property
    def _tables(self) -> dict[tuple[int, int], Integers]:
        return {}

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The largest sum over all sets of |coefficient| and of its square: over all decisions and literals."""
        most = [0, 0]
        for rules in range(self.parities.length + 1):
            for negated in range(2**rules):
                table = np.abs(self.table(rules, negated))
                most = [max(most[0], int(table.sum(axis=1).max())), max(most[1], int((table**2).sum(axis=1).max()))]
        return most[0], most[1]

    @cached_property
    def largest(self) -> int:
        """The largest coefficient of any list, in absolute value."""
        length = self.parities.length
        return max(int(np.abs(self.table(k, n)).max()) for k in range(length + 1) for n in range(2**k))
