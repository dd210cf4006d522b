"""Accounting: what an epsilon and a delta buy in zCDP or by the exact Gaussian curve, rounded to the safe side.

Three ways to count what was spent, each with the noise whose steps add up in it:

pure  epsilon                     Laplace
zcdp  rho                         discrete Gaussian, and everything that can be priced otherwise
gdp   mu^2 / 2, exact Gaussian    rounded Gaussian: integers that are a rounding of normal noise
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from .errors import BadBudget
from .normal import DOWN, LESS, MORE, ONE, TWO, UP, Bounds, delta_of, delta_slope, enclosed, tail
from .words import readable

__all__ = ["GRID", "Currency", "amount_of", "epsilon_of", "gdp_of_pure", "pure_of_gdp"]

Currency = Literal["pure", "zcdp", "gdp"]

# Budgets are kept on this decimal grid: fine enough to lose nothing, short enough to read in a ledger.
GRID = 10**15
# What the exact curve gives is kept to so many digits, more than anybody can tell from the truth.
SHORT_DOWN, SHORT_UP = Context(prec=20, rounding=ROUND_FLOOR), Context(prec=20, rounding=ROUND_CEILING)


@lru_cache(maxsize=1024)
def amount_of(epsilon: Fraction, delta: Fraction, currency: Currency) -> Fraction:
    """The largest amount of a currency, rounded down, that implies (epsilon, delta)-DP; BadBudget for none."""
    amount = _rho_of(epsilon, delta) if currency == "zcdp" else _gdp_of(epsilon, delta)
    if amount * GRID < 1:
        raise BadBudget(f"epsilon = {readable(epsilon)} with delta = {readable(delta)} buys no noise; raise one")
    return amount


def epsilon_of(amount: Fraction, delta: Fraction, currency: Currency) -> Fraction:
    """The smallest epsilon, rounded up to 1e-6 of itself, with which an amount is (epsilon, delta)-DP."""
    fits = _rho_fits if currency == "zcdp" else _gdp_fits
    low, high = Fraction(0), Fraction(1)
    while not fits(amount, high, delta):
        low, high = high, high * 2
    while high - low > max(high / 10**6, Fraction(1, 10**9)):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(amount, middle, delta) else (middle, high)
    return high


def gdp_of_pure(epsilon: Fraction) -> Fraction:
    """What an epsilon-DP step costs in exact Gaussian accounting, rounded up.

    The trade-off curve of epsilon-DP has one corner, at (1 / (1 + e^epsilon), 1 / (1 + e^epsilon)). That of
    mu-Gaussian-DP is convex, so it lies below if it goes through the corner: Phi(-mu / 2) = 1 / (1 + e^epsilon).
    """
    if epsilon == 0:
        return Fraction(0)
    _, most = enclosed(epsilon)
    corner = DOWN.divide(ONE, UP.multiply(UP.add(ONE, UP.exp(most)), MORE))
    # In between, e^-epsilon / 2 is at most the corner, and Phi(-x) at most e^(-x^2 / 2) / 2.
    low, high = Decimal(0), UP.multiply(UP.sqrt(UP.multiply(TWO, most)), MORE)
    while UP.subtract(high, low) > UP.multiply(high, Decimal("1e-25")):
        middle = UP.divide(UP.add(low, high), TWO)
        low, high = (low, middle) if tail((middle, middle))[1] <= corner else (middle, high)
    # mu = 2 high, so mu^2 / 2 = 2 high^2.
    return Fraction(SHORT_UP.multiply(TWO, UP.multiply(high, high)))


def pure_of_gdp(amount: Fraction) -> Fraction:
    """The largest epsilon, rounded down, whose `gdp_of_pure` is at most this: ln(Phi(mu / 2) / Phi(-mu / 2))."""
    mu = _mu(amount)
    beyond = tail((DOWN.divide(mu[0], TWO), DOWN.divide(mu[0], TWO)))[1]
    odds = DOWN.divide(DOWN.subtract(ONE, beyond), beyond)
    return max(Fraction(0), Fraction(SHORT_DOWN.multiply(DOWN.ln(odds), LESS)))


def _gdp_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest mu^2 / 2 at which mu-Gaussian-DP is (epsilon, delta)-DP, rounded down at about the 20th digit.

    The slope of ln delta in mu is 1 / (M(x1) - M(x2)), with M, x1 and x2 of `delta_of`, and falls as mu grows: so
    Newton's steps that start below the root stay below it. Whatever they find, what is returned was proved to fit.
    """
    mu, wanted = _below(epsilon, delta), DOWN.ln(enclosed(delta)[0])
    if mu == 0:
        return Fraction(0)
    step = mu
    while step > DOWN.multiply(mu, Decimal("1e-24")):
        found, slope = delta_of((mu, mu), epsilon)[1], delta_slope(mu, epsilon)
        step = DOWN.divide(DOWN.multiply(DOWN.subtract(wanted, UP.ln(found)), found), slope)
        mu = DOWN.add(mu, step)
    hair = Decimal("1e-24")
    while True:
        less = DOWN.multiply(mu, DOWN.subtract(ONE, hair))
        amount = Fraction(SHORT_DOWN.divide(DOWN.multiply(less, less), TWO))
        if _gdp_fits(amount, epsilon, delta):
            return amount
        hair *= 2


def _below(epsilon: Fraction, delta: Fraction) -> Decimal:
    """A power of two of which mu-Gaussian-DP is (epsilon, delta)-DP and twice of which is not; 0 for next to none."""
    mu = ONE
    while _gdp_fits(Fraction(mu) ** 2 / 2, epsilon, delta):
        mu = UP.multiply(mu, TWO)
    while not _gdp_fits(Fraction(mu) ** 2 / 2, epsilon, delta):
        mu = UP.divide(mu, TWO)
        if Fraction(mu) ** 2 * GRID < 1:
            return Decimal(0)
    return mu


def _gdp_fits(amount: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether it is proved that mu-Gaussian-DP with mu^2 / 2 = amount is (epsilon, delta)-DP."""
    return amount == 0 or delta_of(_mu(amount), epsilon)[1] <= enclosed(delta)[0]


def _mu(amount: Fraction) -> Bounds:
    """sqrt(2 amount)."""
    low, high = enclosed(2 * amount)
    return DOWN.multiply(DOWN.sqrt(low), LESS), UP.multiply(UP.sqrt(high), MORE)


def _rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, rounded down, at which rho-zCDP implies (epsilon, delta)-DP.

    delta(rho) = min over a > 1 of exp((a-1)(a rho - epsilon) + a ln(1 - 1/a)) / (a-1)   [CanKS20, Cor. 13]
    """
    low, high = 0, GRID
    while _rho_fits(Fraction(high, GRID), epsilon, delta):
        high *= 2
    while high - low > max(1, low // 10**9):
        middle = (low + high) // 2
        if _rho_fits(Fraction(middle, GRID), epsilon, delta):
            low = middle
        else:
            high = middle
    return Fraction(low, GRID)


def _rho_fits(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether rho-zCDP is (epsilon, delta)-DP: a float finds a good order, decimals prove the bound there.

    Any order a > 1 proves a bound, so the answer is safe whatever the search found.
    """
    if rho == 0:
        return True
    a = Fraction(_best_order(float(rho), float(epsilon)))
    linear = enclosed((a - 1) * (a * rho - epsilon))[1]
    log_term = UP.multiply(enclosed(a)[0], UP.ln(enclosed(1 - 1 / a)[1]))
    bound = UP.multiply(UP.exp(UP.add(linear, log_term)), MORE)
    return UP.divide(bound, enclosed(a - 1)[0]) <= enclosed(delta)[0]


def _best_order(rho: float, epsilon: float) -> float:
    """The order a that minimises the bound, by golden section on log(a - 1)."""

    def log_delta(t: float) -> float:
        a = 1 + math.exp(t)
        return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - t

    low, high, golden = -30.0, 30.0, (math.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
    return 1 + math.exp((low + high) / 2)
