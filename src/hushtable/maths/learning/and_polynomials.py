"""AND polynomials: polynomials of low degree that are 1 at w and nearly 0 at 0, ..., w - 1, and thresholds from them.

Exact in fractions, so that what the source says of them can be checked and not only seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from ..wide.krawtchouk import krawtchouk
from ..wide.minimax import best_uniform
from .products import root_above

__all__ = ["AndPolynomial", "best_and", "degree_of", "printed_and", "sum_below", "threshold_margin"]

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class AndPolynomial:
    """A polynomial s by its values at 0, ..., w: s(w) = 1 and |s(j)| <= worst below   [Har11, Claim 7.4.4]."""

    degree: int
    values: tuple[Fraction, ...]

    @property
    def width(self) -> int:
        """w."""
        return len(self.values) - 1

    @property
    def worst(self) -> Fraction:
        """The largest value below w."""
        return max((abs(value) for value in self.values[:-1]), default=Fraction(0))


def best_and(width: int, worst: Fraction) -> AndPolynomial:
    """The one of least degree, by the polynomials nearest to AND: O(sqrt(w log(1/worst))) by [BuhCWZ99].

    A polynomial within E of AND becomes one that is within E / (1 - E) of 0 below w, when it is divided by its value
    there, and no other is nearer.
    """
    low, high = 1, width
    made = _normalised(width, width)
    while low < high:
        middle = (low + high) // 2
        tried = _normalised(width, middle)
        if tried.worst <= worst:
            made, high = tried, middle
        else:
            low = middle + 1
    return made if made.degree == low else _normalised(width, low)


def printed_and(width: int, worst: Fraction) -> AndPolynomial:
    """The power of Chebyshev's polynomial that the source prints: degree ceil(sqrt(w)) ceil(log2(1 / worst))."""
    root, power = root_above(width), ceil(log2(1 / worst))
    stretched = [_chebyshev(root, Fraction(j, width) * (1 + Fraction(1, width))) for j in range(width + 1)]
    return AndPolynomial(root * power, tuple((value / stretched[-1]) ** power for value in stretched))


def sum_below(rows: Integers, polynomial: AndPolynomial, questions: Integers) -> list[Fraction]:
    """A(q), the sum over rows u of s(w - number of zeros of u that q has)   [Har11, Corollary 7.4.5]."""
    missing = questions @ (1 - rows).T
    width = polynomial.width
    if missing.size and missing.max() > width:
        raise ValueError(f"a question has {missing.max()} zeros of a row, and the polynomial is for {width}")
    return [sum((polynomial.values[width - m] for m in line), Fraction(0)) for line in missing.tolist()]


def threshold_margin(rows: Integers, count: int, polynomial: AndPolynomial, questions: Integers) -> list[Fraction]:
    """A(q) - (count - 1/2): at least 0 exactly where at least `count` rows are all ones where q is  [Lemma 7.4.3]."""
    return [value - count + Fraction(1, 2) for value in sum_below(rows, polynomial, questions)]


def degree_of(values: Sequence[Fraction]) -> int:
    """The degree of the multilinear polynomial with these values on {0, 1}^d, question 0 first."""
    table, size = list(values), len(values)
    step = 1
    while step < size:
        for start in range(size):
            if start & step:
                table[start] -= table[start ^ step]
        step *= 2
    return max((number.bit_count() for number, value in enumerate(table) if value), default=0)


def _normalised(width: int, degree: int) -> AndPolynomial:
    """The nearest polynomial to AND of this degree, in fractions, divided by its value at w."""
    wanted = np.zeros(width + 1)
    wanted[width] = 1.0
    coefficients = [Fraction(float(b)) for b in best_uniform(wanted, width, degree)[0]]
    basis = krawtchouk(width, degree)
    said = [sum(b * round(float(basis[i, j])) for i, b in enumerate(coefficients)) for j in range(width + 1)]
    return AndPolynomial(degree, tuple(Fraction(value / said[-1]) for value in said))


def _chebyshev(degree: int, at: Fraction) -> Fraction:
    before, now = Fraction(1), at
    for _ in range(degree - 1):
        before, now = now, 2 * at * now - before
    return now if degree else before
