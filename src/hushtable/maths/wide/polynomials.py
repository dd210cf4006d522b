"""The published polynomial for "at least one of k": powers of Chebyshev polynomials, in the monomial basis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChebyshevOr", "chebyshev_or"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ChebyshevOr:
    """A polynomial g on 0, ..., k near OR, every number computed exactly and rounded once."""

    values: NDArray[np.float64]
    """g(0), ..., g(k)."""
    coefficients: NDArray[np.float64]
    """a_0, ..., a_t with g(s) = sum_i a_i C(s, i)."""
    bias: float
    """max |g - OR|."""


def chebyshev_or(k: int, t: int, *, power: int = 1) -> ChebyshevOr:
    """The published polynomial of degree at most t for the OR of k attributes.

    g(s) = 1 - (T_c((k-s) / (k-1)) / T_c(k / (k-1)))^power,  c = t // power                [ThaUV12, Lemma 11]

    g(0) = 0, and |T_c| <= 1 at all other points with equality at s = 1, so the bias is T_c(k / (k-1))^-power.
    It is least at power = 1, because T_t = T_power(T_c) >= T_c^power beyond 1; the source takes c near sqrt(k).
    For k = 1, where the formula divides by 0, g(s) = s.
    """
    if k < 1 or not 1 <= power <= t:
        raise ValueError(f"OR needs k >= 1 and 1 <= power <= t, not k = {k}, power = {power}, t = {t}")
    points = range(max(k, t) + 1)
    if k == 1:
        along = [Fraction(s) for s in points]
    else:
        c = t // power
        peak = _chebyshev(c, Fraction(k, k - 1))
        along = [1 - (_chebyshev(c, Fraction(k - s, k - 1)) / peak) ** power for s in points]
    differences = [sum((-1) ** (i - s) * comb(i, s) * along[s] for s in range(i + 1)) for i in range(t + 1)]
    return ChebyshevOr(
        values=np.array([float(value) for value in along[: k + 1]]),
        coefficients=np.array([float(value) for value in differences]),
        bias=float(1 - along[1]),
    )


def _chebyshev(degree: int, x: Fraction) -> Fraction:
    """T_degree(x), by T_{i+1} = 2 x T_i - T_{i-1}."""
    older, last = Fraction(1), x
    for _ in range(degree):
        older, last = last, 2 * x * last - older
    return older
