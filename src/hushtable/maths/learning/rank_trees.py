"""Rank-bounded trees: thresholds of conjunctions of every width as polynomials of degree about d^(1/3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from .and_polynomials import AndPolynomial, best_and, threshold_margin

__all__ = ["RankBranch", "RankLeaf", "RankRule", "TreeThreshold", "decision_list", "rank_bound", "rank_tree",
           "tree_threshold"]  # fmt: skip

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class RankLeaf:
    """The rows that no question which comes here has made false, by number, and the bits that it has as zeros."""

    rows: tuple[int, ...]
    closed: tuple[int, ...]

    @property
    def rank(self) -> int:
        """0."""
        return 0


@dataclass(frozen=True)
class RankBranch:
    """Asks for one bit of the question."""

    bit: int
    one: RankBranch | RankLeaf
    zero: RankBranch | RankLeaf

    @property
    def rank(self) -> int:
        """The larger of its parts', and one more where they are equal."""
        one, zero = self.one.rank, self.zero.rank
        return one + 1 if one == zero else max(one, zero)


@dataclass(frozen=True)
class RankRule:
    """Of a decision list: bits with the values they must have, and what then decides."""

    when: tuple[tuple[int, int], ...]
    leaf: RankLeaf


def rank_bound(columns: int, width: int, rows: int) -> float:
    """(2 d / r) ln n + 1                                                                  [Har11, Lemma 7.4.8]."""
    return 2 * columns / width * log(rows) + 1


def rank_tree(rows: Integers, width: int) -> RankBranch | RankLeaf:
    """A tree over the bits of questions, at whose leaves no row has more than `width` zeros that are still open.

    It asks for the bit that most of the rows with more have a zero at: where it is one, all of these are false. A row
    at a leaf that has a zero at a bit known to be zero there has one zero less.
    """
    return _grown(rows == 0, np.arange(len(rows)), width, ())


def _grown(zeros: NDArray[np.bool_], alive: Integers, width: int, closed: tuple[int, ...]) -> RankBranch | RankLeaf:
    own = zeros[alive]
    wide = own.sum(axis=1) > width
    if not wide.any():
        return RankLeaf(tuple(alive.tolist()), closed)
    bit = int(own[wide].sum(axis=0).argmax())
    left = zeros.copy()
    left[:, bit] = False
    one = _grown(zeros, alive[~own[:, bit]], width, closed)
    return RankBranch(bit, one, _grown(left, alive, width, (*closed, bit)))


def decision_list(tree: RankBranch | RankLeaf) -> list[RankRule]:
    """The same as a list of rules, each of at most rank many bits [Blu92]: the first that holds decides."""
    if isinstance(tree, RankLeaf):
        return [RankRule((), tree)]
    first, value = (tree.one, 1) if tree.one.rank <= tree.zero.rank else (tree.zero, 0)
    then = tree.zero if value else tree.one
    return [RankRule(((tree.bit, value), *rule.when), rule.leaf) for rule in decision_list(first)] + decision_list(then)


@dataclass(frozen=True, eq=False)
class TreeThreshold:
    """A polynomial whose sign says whether at least `count` rows are all ones where a question is  [Lemma 7.4.9].

    The sum over the rules of a list of weight, times the product of the rule's bits, times the threshold polynomial of
    its leaf; each weight is so large that the first rule which holds decides.
    """

    rows: Integers
    count: int
    polynomial: AndPolynomial
    rules: tuple[RankRule, ...]
    rank: int

    @property
    def degree(self) -> int:
        """The largest number of bits of a rule together with the degree of its leaf.

        Their sum: the source has the larger of the two, which is within a factor of two.
        """
        return max(len(rule.when) + (self.polynomial.degree if rule.leaf.rows else 0) for rule in self.rules)

    def values(self, questions: Integers) -> list[Fraction]:
        """The polynomial at some questions, exact."""
        out, weight = [Fraction(0)] * len(questions), Fraction(1)
        for rule, margins in self._leaves(questions):
            for number, margin in enumerate(margins):
                if all(questions[number, bit] == value for bit, value in rule.when):
                    out[number] += weight * margin
            weight *= self._growth
        return out

    @property
    def _growth(self) -> int:
        """A margin is at least 1/6 and at most n + 1: with this factor a rule outweighs all after it."""
        return 6 * (len(self.rows) + 1) + 1

    def _leaves(self, questions: Integers) -> Iterator[tuple[RankRule, list[Fraction]]]:
        """The last rule first, whose weight is least."""
        for rule in reversed(self.rules):
            rows = self.rows[list(rule.leaf.rows)].copy()
            # A zero at a bit that no question here has says nothing any more.
            rows[:, list(rule.leaf.closed)] = 1
            yield rule, threshold_margin(rows, self.count, self.polynomial, questions)


def tree_threshold(rows: Integers, count: int, width: int) -> TreeThreshold:
    """The polynomial for a table of zeros and ones, by a tree down to rows of at most `width` zeros."""
    tree = rank_tree(rows, width)
    polynomial = best_and(width, Fraction(1, 3 * len(rows)))
    return TreeThreshold(rows, count, polynomial, tuple(decision_list(tree)), tree.rank)
