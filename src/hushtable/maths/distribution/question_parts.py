"""Parts of a question: how much of it single columns tell, how much each pair of them, and how much only more.

If columns were independent, the variance of a function of a row is a sum over sets of columns [EfrS81]. What a
distribution does not know of a pair moves a question by about as much as that pair has part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_CELLS", "QuestionParts", "question_parts", "whole"]

Floats = NDArray[np.float64]
# Of larger tables nothing is told apart.
MOST_CELLS = 1 << 18


class QuestionParts(NamedTuple):
    """Variances, each of shape (functions,): of each column, of each pair of them, and of the rest."""

    own: dict[tuple[int, ...], Floats]
    rest: Floats
    squares: Floats
    """Summed over codes, of what single columns tell: so much of the noise of their tables is in an answer."""


def whole(variance: Floats) -> QuestionParts:
    """Nothing is told apart."""
    return QuestionParts({}, variance, np.ones_like(variance))


def question_parts(functions: Floats, columns: Sequence[int], shares: Sequence[Floats]) -> QuestionParts:
    """The parts of functions of these columns, one a line: shape (functions, codes of the first column, ...).

    `shares` are those of the codes of every column, which are taken to be independent.
    """
    axes, shares = range(len(columns)), [shares[column] for column in columns]
    middle = functions - _given(functions, shares, ())[(..., *[None] * len(columns))]
    own, squares = dict[tuple[int, ...], Floats](), np.zeros(len(functions))
    for axis in axes:
        alone = _given(middle, shares, (axis,))
        own[columns[axis],] = _variance(alone, shares, (axis,))
        squares += (alone**2).sum(axis=1)
    for first, second in combinations(axes, 2):
        both = _variance(_given(middle, shares, (first, second)), shares, (first, second))
        alone = own[columns[first],] + own[columns[second],]
        own[tuple(sorted((columns[first], columns[second])))] = np.maximum(both - alone, 0.0)
    told = np.asarray(sum(own.values(), np.zeros(len(functions))))
    return QuestionParts(own, np.maximum(_variance(middle, shares, tuple(axes)) - told, 0.0), squares)


def _given(functions: Floats, shares: Sequence[Floats], kept: tuple[int, ...]) -> Floats:
    """Means over all columns but these."""
    for axis in reversed(range(len(shares))):
        if axis not in kept:
            functions = np.tensordot(functions, shares[axis], axes=(axis + 1, 0))
    return np.asarray(functions)


def _variance(functions: Floats, shares: Sequence[Floats], kept: tuple[int, ...]) -> Floats:
    """Of functions of mean 0 of these columns."""
    return _given(functions**2, [shares[axis] for axis in kept], ())
