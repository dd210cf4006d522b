"""Exact laws: what each step of a door should give, exactly, so that what it gave can be held against it."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..laws import Law

__all__ = [
    "exponential_law",
    "flip_law",
    "gaussian_price",
    "noise_log",
    "noise_loss",
    "noise_pit",
    "noise_tail",
    "renyi_price",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Beyond this standard deviation the discrete law is the rounded normal one, to 1e-9.
FINE = 20_000.0
ORDERS = (1.0001, 1.5, 2.0, 4.0, 8.0, 32.0)


def noise_pit(law: Law, scale: Fraction, values: Ints, coins: Floats) -> Floats:
    """The distribution function at each value, spread over its jump by a coin: uniform if the law is as stated."""
    if law == Law.LAPLACE:
        return _laplace_pit(float(1 / scale), values, coins)
    sigma = math.sqrt(scale)
    if law == Law.ROUNDED or sigma > FINE:
        from scipy.special import ndtr

        below, upto = (ndtr((values + side) / sigma) for side in (-0.5, 0.5))
        return np.asarray(below + coins * (upto - below))
    below, mass, reach = _gaussian_table(scale)
    at = np.clip(values, -reach, reach) + reach
    return np.asarray(below[at] + coins * mass[at])


def noise_loss(law: Law, scales: Floats, here: NDArray[Any], there: NDArray[Any]) -> Floats:
    """log P(noise = here) - log P(noise = there), of each number by its scale."""
    if law == Law.LAPLACE:
        return np.asarray((np.abs(there) - np.abs(here)) / scales)
    if law == Law.ROUNDED:
        sigma = np.sqrt(scales)
        return np.asarray(_rounded_log(np.abs(here), sigma) - _rounded_log(np.abs(there), sigma))
    return np.asarray((there.astype(np.float64) ** 2 - here.astype(np.float64) ** 2) / (2 * scales))


def noise_log(law: Law, variance: float, values: Ints) -> Floats:
    """log P(noise = value) of Gaussian noise, discrete or rounded."""
    if law == Law.ROUNDED:
        return _rounded_log(np.abs(values), np.full(len(values), math.sqrt(variance)))
    reach = np.arange(-math.ceil(40 * math.sqrt(variance)) - 2, math.ceil(40 * math.sqrt(variance)) + 3)
    return np.asarray(-(values**2) / (2 * variance) - math.log(np.exp(-(reach**2) / (2 * variance)).sum()))


def _rounded_log(size: NDArray[Any], sigma: Floats) -> Floats:
    """log P(Y = k) for k >= 0, where |Y| >= k has chance 2 Phi(-(k - 1/2) / sigma)."""
    from scipy.special import log_ndtr

    near, far = log_ndtr(-(size - 0.5) / sigma), log_ndtr(-(size + 0.5) / sigma)
    return np.asarray(near + np.log(-np.expm1(far - near)))


def gaussian_price(here: Floats, there: Floats) -> float:
    """The mu^2 / 2 that the laws of one choice on two tables really cost: the best test of one against the other."""
    from scipy.special import ndtri

    order = np.argsort(-here / there)
    power, level = np.cumsum(here[order])[:-1], np.cumsum(there[order])[:-1]
    return float(np.max(ndtri(power) - ndtri(level), initial=0.0)) ** 2 / 2


def _laplace_pit(q: float, values: Ints, coins: Floats) -> Floats:
    size = np.abs(values)
    # P(Y > y) for y >= 0 and P(Y = y), with r = exp(-q).
    mass = np.exp(-q * size) * math.tanh(q / 2)
    above = np.exp(-q * (size + 1)) / (1 + math.exp(-q))
    tail = above + coins * mass
    return np.asarray(np.where(values < 0, tail, 1 - tail))


@lru_cache(maxsize=64)
def _gaussian_table(variance: Fraction) -> tuple[Floats, Floats, int]:
    reach = math.ceil(14 * math.sqrt(variance)) + 2
    mass = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * float(variance)))
    mass /= mass.sum()
    return np.concatenate([[0.0], np.cumsum(mass)[:-1]]), mass, reach


def noise_tail(scale: Fraction, least: Ints) -> Floats:
    """log P(Y >= y) of discrete Laplace noise."""
    q = float(1 / scale)
    up = -q * np.maximum(least, 0) - math.log1p(math.exp(-q))
    down = np.log1p(-np.exp(-q * np.maximum(1 - least, 1)) / (1 + math.exp(-q)))
    return np.asarray(np.where(least > 0, up, down))


def flip_law(scores: Ints, step: Fraction) -> Floats:
    """Chances of permute-and-flip: w_i times the integral over t in [0, 1] of prod_{j != i} (1 - t w_j).

    The first head in random order wins; give each candidate a uniform time t to be tossed at.
    """
    weights = np.exp(-float(step) * (scores.max() - scores).astype(np.float64))
    # Gauss-Legendre with k nodes is exact for polynomials of degree 2k - 1.
    nodes, shares = np.polynomial.legendre.leggauss(min(len(weights) // 2 + 1, 200))
    t = (nodes + 1) / 2
    factors = 1 - t[:, None] * weights
    logs = np.log(factors)
    return np.asarray((shares / 2) @ (weights * np.exp(logs.sum(axis=1, keepdims=True) - logs)))


def exponential_law(scores: Ints, step: Fraction) -> Floats:
    """Chances of the exponential mechanism."""
    weights = np.exp(-float(step) * (scores.max() - scores).astype(np.float64))
    return np.asarray(weights / weights.sum())


def renyi_price(here: Floats, there: Floats) -> float:
    """The rho that the laws of one choice on two tables really cost: largest D_a / a over orders and directions."""
    worst = 0.0
    for p, q in ((here, there), (there, here)):
        for a in ORDERS:
            moment = float((p**a * q ** (1 - a)).sum())
            worst = max(worst, math.log(max(moment, 1.0)) / (a - 1) / a)
    return worst
