"""Prefix polynomials: a decision list of any length as a sum of ORs of its first rules, each of low degree."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_ORDER", "PrefixPolynomials", "prefix_polynomials"]

Integers = NDArray[np.int64]
# Coefficients are multiples of 2^-20; the bias includes the rounding.
GRID = 20
# Beyond, sets of rules are too many, and their noise too large.
MOST_ORDER = 6
STARTS = 40


@cache
def prefix_polynomials(length: int, order: int) -> PrefixPolynomials:
    """The polynomials for one length and degree, computed once."""
    return PrefixPolynomials(length, order)


class PrefixPolynomials:
    """Decision lists of at most `length` rules, deciding +1 or -1, as polynomials of degree `order`.

    With z_i = 1 where the literal of rule i is true, a list is b_{k+1} + sum_i (b_i - b_{i+1}) OR(z_1, ..., z_i), and
    each OR gets the nearest polynomial of degree `order` [ThaUV12, Lemma 15; KliS06]. In the parities of rules the
    coefficient of a set depends on its size and on its last rule alone.
    """

    def __init__(self, length: int, order: int) -> None:
        self.length, self.order, self.grid = length, min(order, length), GRID
        self._longest: dict[int, int] = {}
        self.ors = np.zeros((length + 1, self.order + 1), dtype=np.int64)
        for rules in range(1, length + 1):
            own = _or_coefficients(rules, min(self.order, rules))
            self.ors[rules, : len(own)] = np.rint(own * 2**GRID).astype(np.int64)

    @cached_property
    def bias(self) -> Fraction:
        """The largest distance from a list, as a share of the rows: exact for each OR, and added up.

        A decision changes at most once between two rules, by one.
        """
        return sum((_distance(rules, self.ors[rules]) for rules in range(1, self.length + 1)), Fraction(0))

    @cached_property
    def sets(self) -> Integers:
        """Entry (last rule, size): how many sets of rules there are; the empty one stands at (0, 0)."""
        out = np.zeros((self.length + 1, self.order + 1), dtype=np.int64)
        out[0, 0] = 1
        for last in range(1, self.length + 1):
            out[last, 1:] = [comb(last - 1, size - 1) for size in range(1, self.order + 1)]
        return out

    def coefficients(self, decisions: Integers) -> Integers:
        """Of a list that decides so (+1 or -1, rule by rule; its default is the opposite of the last), by last rule
        and size."""
        changes = np.zeros((self.length + 1, 1), dtype=np.int64)
        changes[1 : len(decisions), 0] = decisions[:-1] - decisions[1:]
        changes[len(decisions), 0] = 2 * decisions[-1]
        out: Integers = np.cumsum((changes * self.ors)[::-1], axis=0)[::-1].copy()
        out[0, 1:] = 0
        out[0, 0] -= decisions[-1] << self.grid
        out[1:, 0] = 0
        return out

    def norm(self, coefficients: Integers, power: int) -> int:
        """The sum over all sets of |coefficient|^power."""
        return int((self.sets * np.abs(coefficients) ** power).sum())

    def longest(self, power: int) -> int:
        """The largest norm that a search over decisions finds. Rows are cut to it: privacy rests on no search."""
        if power not in self._longest:
            source = np.random.default_rng(self.length)
            starts = [2 * source.integers(0, 2, self.length) - 1 for _ in range(STARTS)]
            starts += [np.where(np.arange(self.length) // run % 2, -1, 1) for run in range(1, self.length + 1)]
            found = [self._climbed(start.astype(np.int64), power) for start in starts]
            self._longest[power] = max(2 ** (self.grid * power), *found)
        return self._longest[power]

    def _climbed(self, decisions: Integers, power: int) -> int:
        """The norm where turning no single decision makes it larger."""
        best, better = self.norm(self.coefficients(decisions), power), True
        while better:
            better = False
            for rule in range(self.length):
                decisions[rule] *= -1
                norm = self.norm(self.coefficients(decisions), power)
                if norm > best:
                    best, better = norm, True
                else:
                    decisions[rule] *= -1
        return best


def _or_coefficients(rules: int, order: int) -> NDArray[np.float64]:
    from .minimax import best_uniform

    return best_uniform(np.arange(rules + 1) > 0, rules, order)[0]


def _distance(rules: int, coefficients: Integers) -> Fraction:
    """max |p - OR| over all numbers of true literals, in whole numbers."""
    order = min(len(coefficients) - 1, rules)
    worst = 0
    for ones in range(rules + 1):
        total = 0
        for size in range(order + 1):
            parity = sum((-1) ** j * comb(ones, j) * comb(rules - ones, size - j) for j in range(size + 1))
            total += int(coefficients[size]) * parity
        worst = max(worst, abs(total - (bool(ones) << GRID)))
    return Fraction(worst, 2**GRID)
