"""Requirements: how many rows a table needs before the noise in questions about k of d attributes is small.

No data and no floor: every figure follows from (d, k, t) and the budget, with all of it spent on OR of width k.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushtable.accounting import amount_of
from hushtable.maths.wide.krawtchouk import krawtchouk, monomial_of_parity
from hushtable.maths.wide.minimax import best_uniform

__all__ = [
    "RowsNeeded",
    "changed_parities",
    "gaussian_precisions",
    "laplace_precisions",
    "least_degree",
    "monomial_stderr",
    "parity_stderr_gaussian",
    "parity_stderr_laplace",
    "rows_needed",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RowsNeeded:
    """The least numbers of rows at which noise stays within the stated error, for three ways to release."""

    degree: int
    statistics: int
    """How many numbers of order 0 to `degree` there are."""
    monomial_pure: float
    """One Laplace scale on all monomial coefficients: the published method [ThaUV12]."""
    parity_pure: float
    """Laplace noise on odd counts, with the best scale for each order."""
    parity_zcdp: float
    """Gaussian noise on odd counts, with the best scale for each order."""


def rows_needed(
    d: int,
    k: int,
    *,
    epsilon: Fraction = Fraction(1),
    delta: Fraction = Fraction(1, 10**9),
    bias: float = 0.05,
    error: float = 0.01,
    confidence: float = 0.99,
) -> RowsNeeded:
    """Rows at which the noise in OR of k of d attributes is within `error` with the given confidence.

    The degree is the least with a bias of at most `bias`, not counted in `error`. Sums of Laplace noises are
    taken as normal: an answer sums many, and only its standard error enters.
    """
    t = least_degree(k, bias)
    b, _ = best_uniform(_or(k), k, t)
    per_error = NormalDist().inv_cdf((1 + confidence) / 2) / error
    return RowsNeeded(
        degree=t,
        statistics=sum(comb(d, i) for i in range(t + 1)),
        monomial_pure=per_error * monomial_stderr(monomial_of_parity(b, k), d=d, k=k, epsilon=float(epsilon)),
        parity_pure=per_error * parity_stderr_laplace(b, d=d, k=k, epsilon=float(epsilon)),
        parity_zcdp=per_error * parity_stderr_gaussian(b, d=d, k=k, rho=float(amount_of(epsilon, delta, "zcdp"))),
    )


def least_degree(k: int, bias: float) -> int:
    """The least degree at which a polynomial is within `bias` of OR on 0, ..., k."""
    return next(t for t in range(k + 1) if best_uniform(_or(k), k, t)[1] <= bias)


def changed_parities(d: int, t: int) -> Array:
    """Entry (i, h-1): how many parities of order i change when a row is replaced by one that differs in h attributes.

    (C(d, i) - K_i(h; d)) / 2 sets of size i meet the h attributes in an odd number. Exact below 2^53; for
    planning, not for accounting. Shape (t+1, d).
    """
    K = krawtchouk(d, t)
    return (K[:, :1] - K[:, 1:]) / 2


def gaussian_precisions(coefficients: ArrayLike, *, d: int, k: int, rho: float) -> Array:
    """1 / sigma_i^2 per order, for odd counts, at rho-zCDP; an order the answer does not use gets 0.

    max_h sum_i changed_i(h) / (2 sigma_i^2) = rho exactly                               [BunS16, Prop. 1.6]
    1 / sigma_i^2 ~ |b_i| sqrt(C(k,i) / C(d,i)), the least variance of one answer if all C(d,i) sets changed
    """
    b, ask, have = _orders(coefficients, d, k)
    return _normalised(np.abs(b) * np.sqrt(ask / have), d, 2 * rho)


def laplace_precisions(coefficients: ArrayLike, *, d: int, k: int, epsilon: float) -> Array:
    """1 / lambda_i per order, for odd counts, at pure epsilon; an order the answer does not use gets 0.

    max_h sum_i changed_i(h) / lambda_i = epsilon exactly                                         [DwoMNS06]
    1 / lambda_i ~ (b_i^2 C(k,i) / C(d,i))^(1/3), the least variance of one answer if all C(d,i) sets changed
    """
    b, ask, have = _orders(coefficients, d, k)
    return _normalised((b**2 * ask / have) ** (1 / 3), d, epsilon)


def parity_stderr_gaussian(coefficients: ArrayLike, *, d: int, k: int, rho: float) -> float:
    """Standard error of an answer with the scales of `gaussian_precisions`, in rows: divide it by n.

    A mean parity is 1 - 2 odd / n, so the noise of a count enters twice.
    """
    b, ask, _ = _orders(coefficients, d, k)
    precision = gaussian_precisions(coefficients, d=d, k=k, rho=rho)
    live = precision > 0
    return 2 * sqrt(float((b[live] ** 2 * ask[live] / precision[live]).sum()))


def parity_stderr_laplace(coefficients: ArrayLike, *, d: int, k: int, epsilon: float) -> float:
    """Standard error of an answer with the scales of `laplace_precisions`, in rows: divide it by n."""
    b, ask, _ = _orders(coefficients, d, k)
    precision = laplace_precisions(coefficients, d=d, k=k, epsilon=epsilon)
    live = precision > 0
    return 2 * sqrt(2 * float((b[live] ** 2 * ask[live] / precision[live] ** 2).sum()))


def monomial_stderr(coefficients: ArrayLike, *, d: int, k: int, epsilon: float) -> float:
    """Standard error of the published method, in rows: divide it by n.

    sqrt(2 sum_{i <= t} C(k, i)) S / epsilon with S = sum_{i >= 1} |a_i| C(d, i), the absolute coefficients of a
    row of ones, as its authors state it: they count one row, not the two of a replacement, and give the
    constant coefficient noise too.
    """
    a, ask, have = _orders(coefficients, d, k)
    return sqrt(2 * float(ask.sum() + 1)) * float(np.abs(a) @ have) / epsilon


def _or(k: int) -> Array:
    return np.concatenate([[0.0], np.ones(k)])


def _orders(coefficients: ArrayLike, d: int, k: int) -> tuple[Array, Array, Array]:
    """b_i, C(k, i) and C(d, i) for the orders 1, ..., t."""
    b = np.asarray(coefficients, dtype=np.float64)[1:]
    if not 1 <= k <= d or len(b) > d:
        raise ValueError(f"a question of width {k} and order {len(b)} does not fit a table of {d} attributes")
    orders = range(1, len(b) + 1)
    ask, have = ([float(comb(m, i)) for i in orders] for m in (k, d))
    return b, np.array(ask), np.array(have)


def _normalised(weights: Array, d: int, budget: float) -> Array:
    """The weights of orders 1, ..., t scaled so that the worst replacement spends the budget."""
    worst = float((weights @ changed_parities(d, len(weights))[1:]).max(initial=0.0))
    return weights * (budget / worst) if worst > 0 else weights
