"""Bounds: what counts of an event on two tables prove about epsilon, rho and delta, with a stated false alarm."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["at_least", "at_most", "delta_proven", "epsilon_proven", "gdp_proven", "rho_proven", "two_sided"]

# Orders of the Renyi divergences that are tried; any of them gives a valid bound.
ORDERS = tuple(1 + 2.0**k for k in range(-6, 7))


def beta_below(x: float, a: float, b: float) -> float:
    """P(Beta(a, b) <= x), the regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_below(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 100_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return math.exp(front) * result / a


def reached(count: int, of: int, chance: float) -> float:
    """P(Binomial(of, chance) >= count)."""
    return 1.0 if count <= 0 else beta_below(chance, count, of - count + 1)


def two_sided(count: int, of: int, chance: float) -> float:
    """How surprising `count` of `of` is when each has this chance: twice the smaller tail, an exact p-value."""
    chance = min(max(chance, 0.0), 1.0)
    return min(1.0, 2 * min(reached(count, of, chance), reached(of - count, of, 1 - chance)))


def at_least(count: int, of: int, alarm: float) -> float:
    """A chance that the event has at least, wrong with probability at most `alarm`          [CloP34]"""
    low, high = 0.0, count / of
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(count, of, middle) < alarm else (low, middle)
    return low


def at_most(count: int, of: int, alarm: float) -> float:
    """A chance that the event has at most, wrong with probability at most `alarm`           [CloP34]"""
    return 1 - at_least(of - count, of, alarm)


def epsilon_proven(p: float, q: float) -> float:
    """The least epsilon of a mechanism that gives an event chance at least p here and at most q there."""
    return max(0.0, math.log(p / q)) if p > 0 and q > 0 else (math.inf if p > 0 else 0.0)


def rho_proven(p: float, q: float) -> float:
    """The same for rho: by data processing, the divergence of the two coins is at most that of the releases.

    rho >= D_a(p || q) / a for every order a > 1                                   [BunS16, Def. 1.1, Lemma 2.2]
    """
    if p <= q or q >= 1:
        return 0.0
    if q <= 0:
        return math.inf
    best = 0.0
    for a in ORDERS:
        yes = a * math.log(p) + (1 - a) * math.log(q)
        no = -math.inf if p >= 1 else a * math.log1p(-p) + (1 - a) * math.log1p(-q)
        top = max(yes, no)
        best = max(best, (top + math.log(math.exp(yes - top) + math.exp(no - top))) / (a - 1) / a)
    return best


def gdp_proven(p: float, q: float) -> float:
    """The same for mu^2 / 2: a test of level q has a power of at most Phi(mu + probit(q))    [DonRS22, Def. 2.6]"""
    if p <= q or q >= 1:
        return 0.0
    if q <= 0 or p >= 1:
        return math.inf
    normal = NormalDist()
    return (normal.inv_cdf(p) - normal.inv_cdf(q)) ** 2 / 2


def delta_proven(p: float, q: float, epsilon: float) -> float:
    """The least delta that goes with this epsilon."""
    return max(0.0, p - math.exp(epsilon) * q)
