"""Products: questions as zeros and ones, and the products of up to so many of these, which polynomials are sums of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb, isqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_PRODUCTS", "QuestionBits", "degree_for", "number_of_products", "products_of", "root_above"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# More are not learned: a linear program has a column for each.
MOST_PRODUCTS = 2000


@dataclass(frozen=True)
class QuestionBits:
    """Questions as the source has them, vectors of zeros and ones.

    A rule has a one for every code of a column that it excludes: "all of these" is then true of a row exactly if none
    of the row's codes has a one, which is the source's monotone conjunction on columns and their opposites. Questions
    of parities and of languages of one's own are taken as they are.
    """

    sizes: tuple[int, ...] = ()
    """How many codes each column has, for rules; else nothing."""
    opposite: bool = False
    """Whether a rule is "any of these", which one minus "all of" the opposites is."""

    @property
    def rules(self) -> bool:
        """Whether questions are rules."""
        return bool(self.sizes)

    def count(self, questions: Integers) -> int:
        """How many zeros and ones a question has."""
        return sum(self.sizes) if self.rules else questions.shape[1]

    def understands(self, questions: Integers) -> bool:
        """Whether they can be taken as zeros and ones."""
        return self.rules or bool(np.isin(questions, (0, 1)).all())

    def of(self, questions: Integers) -> NDArray[np.bool_]:
        """A line a question."""
        if not self.rules:
            return np.asarray(questions == 1)
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        out = np.zeros((len(questions), int(starts[-1])), dtype=bool)
        for line, literals in zip(out, questions[:, 2:].reshape(len(questions), -1, 2).tolist(), strict=True):
            for position, mask in literals:
                if position >= 0:
                    held = (mask >> np.arange(self.sizes[position])) & 1 == 1
                    line[starts[position] : starts[position + 1]] |= held if self.opposite else ~held
        return out


def products_of(bits: NDArray[np.bool_], degree: int, *, signs: bool = False) -> Floats:
    """The products of all sets of up to so many columns, the empty one first; of ones and minus ones where `signs`."""
    columns = (1.0 - 2.0 * bits if signs else bits.astype(np.float64)).T
    made = np.ones((number_of_products(bits.shape[1], degree), len(bits)))
    for number, chosen in enumerate(_sets(bits.shape[1], degree)):
        for column in chosen:
            made[number] *= columns[column]
    return np.ascontiguousarray(made.T)


def number_of_products(count: int, degree: int) -> int:
    """How many such sets there are."""
    return sum(comb(count, size) for size in range(min(degree, count) + 1))


def degree_for(count: int, width: int | None) -> int:
    """The degree of the source, without its constants and logarithms, as far as so many products can be learned.

    The root of the width for rules of few columns [Har11, Lemma 7.4.3], the cube root of the number of columns for
    rules of any width [Har11, Lemma 7.4.9].
    """
    cube = next(root for root in range(1, count + 1) if root**3 >= count)
    wanted = cube if width is None else min(cube, root_above(width))
    return max(k for k in range(1, wanted + 1) if k == 1 or number_of_products(count, k) <= MOST_PRODUCTS)


def root_above(value: int) -> int:
    """The least whole number whose square is at least this."""
    return isqrt(value - 1) + 1


def _sets(count: int, degree: int) -> Iterable[tuple[int, ...]]:
    for size in range(min(degree, count) + 1):
        yield from combinations(range(count), size)
