"""List polynomials: every decision list of a given length as a polynomial of low degree with whole coefficients."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

__all__ = ["ListPolynomials", "list_polynomials"]

Integers = NDArray[np.int64]
# Coefficients that are not exact are rounded to multiples of 2^-20; the bias below includes the rounding.
FINE_GRID = 20


@cache
def list_polynomials(length: int, order: int) -> ListPolynomials:
    """The polynomials for one length and degree, computed once."""
    return ListPolynomials(length, order)


class ListPolynomials:
    """Decision lists of at most `length` rules, deciding +1 or -1, as polynomials of degree `order`.

    The variables are u_i = -1 where the literal of rule i is true, else +1. The coefficients of the products of
    u_i over sets of rules depend on the decisions alone, not on which inputs the rules test; they are kept as
    integers, multiples of 2^-grid. With order >= length the polynomial is the Walsh expansion of the list, whose
    coefficients are multiples of 2^(1 - length): exact. Below, it is the polynomial of least maximal distance, found
    among those that treat neighbouring rules with one decision alike, which loses nothing (average over their
    permutations). Degree of about sqrt(length) log(1 / bias) is enough           [ThaUV12, Lemma 15; KliS06].
    """

    def __init__(self, length: int, order: int) -> None:
        self.length, self.order = length, min(order, length)
        self.grid = length - 1 if order >= length else FINE_GRID
        self._tables = [self._table(rules) for rules in range(length + 1)]

    def table(self, rules: int) -> Integers:
        """Row: the decisions, bit i that of rule i; column: the set, bit i for rule i.

        The default is the opposite of the last decision; lists without rules have one bit, their default.
        """
        return self._tables[rules]

    @cached_property
    def bias(self) -> Fraction:
        """The largest distance from the list over all decisions and inputs, as a share of the rows: exact.

        A decision of +1 or -1 counts for twice its share, hence the half.
        """
        worst = 0
        for rules, table in enumerate(self._tables):
            reached = table @ _signs(rules)
            worst = max(worst, int(np.abs(reached - (_decided(rules) << self.grid)).max()))
        return Fraction(worst, 2 ** (self.grid + 1))

    def norms(self, power: int) -> frozenset[tuple[int, ...]]:
        """For every pattern of decisions the sum of |coefficient|^power over the sets of size 0, 1, ..., order."""
        patterns: set[tuple[int, ...]] = set()
        for rules, table in enumerate(self._tables):
            sizes = np.bitwise_count(np.arange(2**rules))
            sums = [(np.abs(table[:, sizes == i]) ** power).sum(axis=1) for i in range(self.order + 1)]
            patterns |= {tuple(int(s) for s in row) for row in zip(*sums, strict=True)}
        return frozenset(patterns)

    @cached_property
    def largest(self) -> int:
        """The largest coefficient of any list, in absolute value."""
        return max(int(np.abs(table).max()) for table in self._tables)

    def _table(self, rules: int) -> Integers:
        if rules <= self.order:
            whole: Integers = (_decided(rules) @ _signs(rules)) << self.grid
            return whole >> rules
        table = np.zeros((2**rules, 2**rules), dtype=np.int64)
        for decisions in range(1, 2**rules, 2):
            runs = [len(list(run)) for _, run in groupby(decisions >> i & 1 for i in range(rules))]
            table[decisions] = _nearest(tuple(runs), self.order, self.grid)
            table[2**rules - 1 - decisions] = -table[decisions]
        return table


def _signs(rules: int) -> Integers:
    """Entry (set, point): the product of u_i over the set, where the literals in `point` are true. Symmetric."""
    bits = np.arange(2**rules)
    signs: Integers = 1 - 2 * (np.bitwise_count(bits[:, None] & bits).astype(np.int64) & 1)
    return signs


def _decided(rules: int) -> Integers:
    """Entry (decisions, point): +1 or -1, what the list decides where the literals in `point` are true."""
    patterns = np.arange(2 ** max(rules, 1))[:, None]
    points = np.arange(2**rules)
    if rules == 0:
        return 2 * patterns - 1
    # The lowest bit is the first rule that fires; where none does, the default is the opposite of the last decision.
    first = np.where(points == 0, rules - 1, np.bitwise_count((points & -points) - 1))
    decided = patterns >> first & 1
    out: Integers = 2 * np.where(points == 0, 1 - decided, decided) - 1
    return out


def _nearest(runs: tuple[int, ...], order: int, grid: int) -> Integers:
    """Coefficients of all sets for a list whose first `runs[0]` rules decide +1, the next -1, and so on.

    Neighbouring rules with one decision are alike, so a coefficient depends only on how many rules of each run
    the set has, and the value only on how many literals of each run are true.
    """
    from .krawtchouk import krawtchouk
    from .minimax import best_biased

    points = np.array(list(product(*(range(size + 1) for size in runs))))
    degrees = points[points.sum(axis=1) <= order]
    basis = np.ones((len(degrees), len(points)))
    for axis, size in enumerate(runs):
        basis *= krawtchouk(size, size)[degrees[:, [axis]], points[:, axis]]
    hit = points > 0
    first = np.where(hit.any(axis=1), hit.argmax(axis=1), len(runs))
    fit = best_biased(basis, 1.0 - 2.0 * (first % 2), np.zeros((len(degrees), len(degrees))))
    whole = np.rint(fit.coefficients * 2**grid).astype(np.int64)
    ends = np.cumsum(runs)
    sets = np.arange(2 ** int(ends[-1]))
    taken = np.array(
        [np.bitwise_count(sets & (2**end - 2 ** (end - size))) for end, size in zip(ends, runs, strict=True)]
    )
    known = {tuple(degree): value for degree, value in zip(degrees.tolist(), whole, strict=True)}
    return np.array([known.get(tuple(degree), 0) for degree in taken.T.tolist()], dtype=np.int64)
