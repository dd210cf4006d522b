"""Two bases for polynomials in s, the number of ones among k attributes: parities and monomials."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, sqrt
from operator import mul

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["amplification", "krawtchouk", "monomial_of_parity", "newton", "parity_of_monomial", "parity_of_values"]

Array = NDArray[np.float64]


def krawtchouk(k: int, t: int) -> Array:
    """Entry (i, s) is K_i(s; k): the parities of all sets of size i among k attributes, summed, on a row with s ones.

    The parity of a set is (-1)^(number of its ones), so K_i(s; k) = sum_j (-1)^j C(s, j) C(k-s, i-j). Each
    entry is the exact integer, rounded once. Read-only, of shape (t+1, k+1).
    """
    return _frozen("parity", k, t)


def newton(k: int, t: int) -> Array:
    """Entry (i, s) is C(s, i): how many sets of size i among k attributes are all ones, on a row with s ones.

    Rounded and laid out as in `krawtchouk`.
    """
    return _frozen("monomial", k, t)


@lru_cache(maxsize=256)
def _frozen(basis: str, k: int, t: int) -> Array:
    _check_size(k, t)
    if basis == "parity":
        rows = _krawtchouk_integers(k, t)
    else:
        rows = [[comb(s, i) for s in range(k + 1)] for i in range(t + 1)]
    matrix = np.array(rows, dtype=np.float64)
    matrix.setflags(write=False)
    return matrix


def _krawtchouk_integers(k: int, t: int) -> list[list[int]]:
    """By (i+1) K_{i+1} = (k - 2s) K_i - (k-i+1) K_{i-1}, whose division has no remainder."""
    rows = [[1] * (k + 1), [k - 2 * s for s in range(k + 1)]]
    for i in range(1, t):
        older, last = rows[-2:]
        rows.append([((k - 2 * s) * last[s] - (k - i + 1) * older[s]) // (i + 1) for s in range(k + 1)])
    return rows[: t + 1]


def monomial_of_parity(coefficients: ArrayLike, k: int) -> Array:
    """The polynomial sum_i b_i K_i(s; k) as sum_j a_j C(s, j): computed exactly, rounded once.

    a_j = (-2)^j sum_i C(k-j, i-j) b_i, because a parity is a product of factors 1 - 2x.
    """
    b = _fractions(coefficients)
    a = [(-2) ** j * sum((comb(k - j, i - j) * b[i] for i in range(j, len(b))), Fraction(0)) for j in _orders(b, k)]
    return _padded(a, len(b))


def parity_of_monomial(coefficients: ArrayLike, k: int) -> Array:
    """The inverse of `monomial_of_parity`: b_i = (-1)^i sum_j 2^-j C(k-i, j-i) a_j."""
    a = _fractions(coefficients)
    halves = [value / 2**j for j, value in enumerate(a)]
    b = [
        (-1) ** i * sum((comb(k - i, j - i) * halves[j] for j in range(i, len(a))), Fraction(0)) for i in _orders(a, k)
    ]
    return _padded(b, len(a))


def parity_of_values(values: ArrayLike, t: int) -> Array:
    """The orders 0, ..., t of f(0..k) in the parity basis: computed exactly, rounded once. All of f when t >= k.

    b_i = 2^-k sum_s C(k, s) K_i(s; k) f(s) / C(k, i)                                             [BarCDKMT07]
    """
    f = _fractions(values)
    k = len(f) - 1
    weighed = [comb(k, s) * value for s, value in enumerate(f)]
    rows = _krawtchouk_integers(k, min(t, k))
    b = [sum(map(mul, weighed, row), Fraction(0)) / (2**k * comb(k, i)) for i, row in enumerate(rows)]
    return _padded(b, t + 1)


def amplification(coefficients: ArrayLike, k: int) -> float:
    """Standard deviation of an answer about k attributes when every released statistic has standard deviation 1.

    sqrt(sum_{i >= 1} b_i^2 C(k, i)), in either basis: order i is a sum over C(k, i) sets, and order 0 is public.
    """
    b = np.asarray(coefficients, dtype=np.float64)
    return sqrt(sum(float(b[i]) ** 2 * comb(k, i) for i in range(1, len(b))))


def _orders(coefficients: Sequence[Fraction], k: int) -> range:
    """The orders that k attributes have; the functions of higher ones are 0 on 0, ..., k."""
    return range(min(len(coefficients), k + 1))


def _fractions(numbers: ArrayLike) -> list[Fraction]:
    return [Fraction(float(number)) for number in np.asarray(numbers, dtype=np.float64)]


def _padded(numbers: Sequence[Fraction], length: int) -> Array:
    return np.array([float(number) for number in numbers] + [0.0] * (length - len(numbers)))


def _check_size(k: int, t: int) -> None:
    if k < 0 or t < 0:
        raise ValueError(f"the number of attributes and the order must be at least 0, not {k} and {t}")
