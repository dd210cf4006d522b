"""Single polynomials: all decision lists of one length by the one linear program of least certified bias."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rule_polynomials import RulePolynomials, sums_of_parities

__all__ = ["CHANCES", "SINGLE", "single_polynomials"]

Array = NDArray[np.float64]
SINGLE = "one linear program"
# What the mean distance counts beside the largest one: it decides where the largest leaves several polynomials.
MEAN = 0.01
# The shares of true literals that the mean is over.
CHANCES = (0.05, 0.1, 0.25, 0.5, 0.75)


@cache
def single_polynomials(length: int, order: int) -> RulePolynomials:
    """For one length and degree, computed once: the polynomials of all rules whose largest distance from a list is
    least, over all decisions and inputs together [ThaUV12, Lemma 15].

    The distance of the worst decisions at an input is a sum over rules, each of which depends on its own literal and
    on how many before it are true. So the worst input is a longest path, and instead of 2^length inputs the program
    has one bound for every (rule, how many before it are true): about length^2 of them. Its variables are the
    coefficients of rules inside a list and of last rules, the distances of both at every step, and the bounds.
    """
    from scipy.optimize import linprog

    order = min(order, length)
    matrix, limits = _constraints(length, order)
    cost, coefficients = _cost(length, matrix.shape[1]), length * (2 * order + 1)
    found = linprog(cost, A_ub=matrix, b_ub=limits, bounds=(None, None), method="highs-ipm")
    if found.x is None:
        raise ArithmeticError(f"no polynomials of degree {order} for lists of {length} rules: {found.message}")
    parts = np.zeros((4, length + 1, order + 1))
    inner, last = found.x[: 2 * coefficients].reshape(2, length, 2 * order + 1)
    parts[0, 1:], parts[1, 1:, 1:] = np.split(inner, [order + 1], axis=1)
    parts[2, 1:], parts[3, 1:, 1:] = np.split(last, [order + 1], axis=1)
    for rule in range(1, order + 1):
        parts[[0, 2], rule, rule:] = parts[[1, 3], rule, rule + 1 :] = 0
    return RulePolynomials(SINGLE, parts)


def _steps(length: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every step of a path, two from each (rule, how many before it are true): its rule, that number, its literal."""
    rules = np.repeat(np.arange(1, length + 1), np.arange(1, length + 1))
    ones = np.concatenate([np.arange(rule) for rule in range(1, length + 1)])
    return np.repeat(rules, 2), np.repeat(ones, 2), np.tile([0, 1], len(rules))


def _constraints(length: int, order: int) -> tuple[Any, Array]:
    """Distances are at least what polynomials are off, and bounds at least every step and the bound where it leads."""
    from scipy import sparse

    rules, ones, true = _steps(length)
    steps, number = len(rules), np.arange(len(rules))
    says: Any = sparse.block_diag([_says(rule, order) for rule in range(1, length + 1)])
    each, here = sparse.identity(steps), sparse.csr_matrix((np.ones(steps), (number, number // 2)))
    inner = ((ones == 0) & (true == 1)).astype(np.float64)
    last = inner - ((ones == 0) & (true == 0))
    goes = rules < length
    places = rules * (rules + 1) // 2 + ones + true
    there = sparse.csr_matrix((np.ones(goes.sum()), (number[goes], places[goes])), shape=here.shape)
    # None where a block is 0. Types of scipy's sparse matrices do not know of mixed ones.
    blocks: Any = [
        [says, None, -each, None, None],
        [-says, None, -each, None, None],
        [None, says, None, -each, None],
        [None, -says, None, -each, None],
        [None, None, each, None, there - here],
        [None, None, None, each, -here],
    ]
    matrix = sparse.bmat(blocks, format="csr")
    return matrix, np.concatenate([inner, -inner, last, -last, np.zeros(2 * steps)])


def _says(rule: int, order: int) -> Array:
    """What one polynomial is at each step from a rule, by coefficient: of the sets before it, and of its own."""
    parities = np.repeat(sums_of_parities(rule, order).T, 2, axis=0).astype(np.float64)
    return np.hstack([parities, parities[:, :order] * np.tile([1.0, -1.0], rule)[:, None]])


def _cost(length: int, variables: int) -> Array:
    """The bound at the start, and a little of the mean distance, of lists whose lengths are all alike."""
    from scipy.stats import binom

    rules, ones, true = _steps(length)
    steps, cost = len(rules), np.zeros(variables)
    start = variables - steps // 2
    seen = np.mean([binom.pmf(ones, rules - 1, c) * np.where(true, c, 1 - c) for c in CHANCES], axis=0)
    cost[start - 2 * steps : start - steps], cost[start - steps : start] = MEAN * seen, MEAN * seen / length
    cost[start] = 1
    return cost
