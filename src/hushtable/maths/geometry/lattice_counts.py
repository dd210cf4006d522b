"""Lattice counts: how many whole vectors have a given sum and are at most so long."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

__all__ = ["ehrhart_numerator", "points_by", "positive_places", "vectors_within"]


def vectors_within(cells: int, total: int, spare: int) -> int:
    """Whole vectors of `cells` entries that sum to `total` >= 0 and whose negative entries sum to at least -spare.

    A vector with positive part P and negative part Q is a choice of a sign for each entry, so their number is the
    coefficient of x^P y^Q in (1/(1-x) + 1/(1-y) - 1)^c = ((1 - xy) / ((1-x)(1-y)))^c. Summed over Q <= spare at
    P = total + Q that divides by (1 - xy) once more; what is left is a sum of c terms.
    """
    top = cells - 1
    out = 0
    for i in range(min(top, spare) + 1):
        term = comb(top, i) * comb(total + spare - i + top, top) * comb(spare - i + top, top)
        out += -term if i % 2 else term
    return out


def positive_places(cells: int, plus: int, minus: int) -> list[int]:
    """For k = 0, ..., cells: vectors of which exactly k entries are positive, with these sums of either sign.

    C(c, k) choices of the places, C(P-1, k-1) ways to part P into k positive numbers, and C(Q+c-k-1, c-k-1) to part Q
    into c - k numbers that may be 0.
    """
    return [
        comb(cells, k) * _parts(plus - k, k) * _parts(minus, cells - k) if plus >= k else 0 for k in range(cells + 1)
    ]


def _parts(total: int, parts: int) -> int:
    """Ways to write a total as an ordered sum of so many numbers of at least 0."""
    if parts == 0:
        return int(total == 0)
    return comb(total + parts - 1, parts - 1)


def ehrhart_numerator(points: Callable[[int], int], dimension: int, *, symmetric: bool) -> tuple[int, ...]:
    """The whole numbers h_0, ..., h_d with sum over j of N(j) q^j = (sum over k of h_k q^k) / (1 - q)^(d+1).

    N(j) = `points(j)` is how many lattice points the j-fold of a lattice polytope of dimension d holds: a polynomial of
    degree d, so that h_k = sum over i <= k of (-1)^i C(d+1, i) N(k-i), and no h_k is negative   [Stanley 1980].
    `symmetric`: its gauge is a whole number on the lattice; then h_k = h_(d-k)                     [Hibi 1992].
    """
    upto = dimension // 2 if symmetric else dimension
    counts = [points(j) for j in range(upto + 1)]
    signs = [(-1) ** i * comb(dimension + 1, i) for i in range(upto + 1)]
    first = [sum(signs[i] * counts[k - i] for i in range(k + 1)) for k in range(upto + 1)]
    if min(first) < 0:
        raise ArithmeticError("a numerator is negative, so these are not the lattice points of a polytope")
    if not symmetric:
        return tuple(first)
    return tuple(first + first[::-1][1 if dimension % 2 == 0 else 0 :])


def points_by(numerator: tuple[int, ...], reach: int) -> int:
    """N(reach), from its numerator: sum over k of h_k C(reach + d - k, d)."""
    dimension = len(numerator) - 1
    return sum(h * comb(reach + dimension - k, dimension) for k, h in enumerate(numerator[: reach + 1]))
