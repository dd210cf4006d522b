"""Rule polynomials: a decision list of any length as a sum of one polynomial a rule, all of low degree."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from .krawtchouk import krawtchouk

__all__ = ["GRID", "MOST_ORDER", "RulePolynomials", "sums_of_parities"]

Integers = NDArray[np.int64]
# Coefficients are multiples of 2^-26; the bias includes the rounding, which up to a million sets share.
GRID = 26
# Beyond, sets of rules are too many, and their noise too large.
MOST_ORDER = 6
STARTS = 20


class RulePolynomials:
    """Decision lists of at most `length` rules, deciding +1 or -1, as polynomials of degree `order`.

    With z_i = 1 where the literal of rule i is true, a list of r rules decides
    sum_{i < r} b_i D_i(z) + b_r (D_r(z) - N_r(z)), where D_i says that rule i is the first whose literal is true and
    N_r that none of r is: its default is the opposite of its last decision. Every D_i and every D_r - N_r has one
    polynomial, which treats the rules before its own alike:

    parts  (4, length + 1, order + 1), in the parities of rules, for every rule and size of set: the coefficient of
           the sets of rules before it, and of those that end in it; then both again for a rule that is the last
    """

    def __init__(self, name: str, parts: NDArray[np.float64]) -> None:
        self.name, self.grid = name, GRID
        self.parts: Integers = np.rint(parts * 2**GRID).astype(np.int64)
        self.length, self.order = parts.shape[1] - 1, parts.shape[2] - 1
        self._longest: dict[int, int] = {}

    @cached_property
    def bias(self) -> Fraction:
        """The largest distance from a list, as a share of the rows: exact, over all decisions, lengths and inputs.

        For the worst decisions the distances of all polynomials add up, and the worst input is the longest path
        through (rule, how many literals before it are true).
        """
        farthest = np.zeros(self.length + 2, dtype=np.int64)
        for rule in range(self.length, 0, -1):
            inner, last = (np.abs(part) for part in self.distances(rule))
            onward = inner + np.stack([farthest[:rule], farthest[1 : rule + 1]]) if rule < self.length else last
            farthest = np.maximum(last, onward).max(axis=0)
        return Fraction(int(farthest[0]), 2 ** (self.grid + 1))

    def distances(self, rule: int) -> Iterator[Integers]:
        """By (is its literal true, how many before it are): how far the polynomials of a rule are from D, and D - N."""
        values, first = self.values(rule), np.zeros((2, rule), dtype=np.int64)
        first[1, 0] = 1 << self.grid
        none = np.zeros_like(first)
        none[0, 0] = 1 << self.grid
        yield values[0] - first
        yield values[1] - (first - none)

    def values(self, rule: int) -> Integers:
        """(inner or last, is its literal true, how many before it are): what the polynomials of a rule say."""
        parities = sums_of_parities(rule, self.order)
        before = self.parts[[0, 2], rule] @ parities
        own = self.parts[[1, 3], rule, 1:] @ parities[: self.order]
        return np.stack([before + own, before - own], axis=1)

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
        rules, out = len(decisions), np.zeros((self.length + 1, self.order + 1), dtype=np.int64)
        before, own = self.parts[0, 1 : rules + 1].copy(), self.parts[1, 1 : rules + 1].copy()
        before[-1], own[-1] = self.parts[2:, rules]
        out[:rules] = np.cumsum((decisions[:, None] * before)[::-1], axis=0)[::-1]
        out[1 : rules + 1] += decisions[:, None] * own
        out[0, 1:] = out[1:, 0] = 0
        return out

    def norm(self, coefficients: Integers, power: int) -> int:
        """The sum over all sets of |coefficient|^power."""
        return int((self.sets * np.abs(coefficients) ** power).sum())

    def longest(self, power: int) -> int:
        """The largest norm that a search over decisions finds. Rows are cut to it: privacy rests on no search."""
        if power not in self._longest:
            source = np.random.default_rng(self.length)
            starts = [2 * source.integers(0, 2, self.length) - 1 for _ in range(STARTS)]
            runs = {*range(1, min(self.length, 8) + 1), self.length}
            starts += [np.where(np.arange(self.length) // run % 2, -1, 1) for run in runs]
            found = [self._climbed(start.astype(np.int64), power) for start in starts]
            self._longest[power] = max(2 ** (self.grid * power), *found)
        return self._longest[power]

    def _climbed(self, decisions: Integers, power: int) -> int:
        """The norm where neither turning a single decision nor dropping rules at the end makes it larger."""
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
        return max(self.norm(self.coefficients(decisions[:rules]), power) for rules in range(1, self.length + 1))


def sums_of_parities(rule: int, order: int) -> Integers:
    """Entry (size, ones): the parities of all sets of so many rules before this one, summed, where so many are true."""
    out = np.zeros((order + 1, rule), dtype=np.int64)
    known = krawtchouk(rule - 1, min(order, rule - 1))
    out[: len(known)] = known
    return out
