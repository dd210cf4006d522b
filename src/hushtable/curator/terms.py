"""Terms of a curator: what its paid answers cost, and what is left of that for comparing before them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..accounting import pure_of_gdp
from ..budget import GRID, Currency, Price

__all__ = ["ANSWER_SHARE", "CuratorTerms", "down", "gaussian_terms", "pure_terms"]

# Share of a paid answer's price that is the answer; the rest is for comparing until it is needed.
ANSWER_SHARE = Fraction(3, 10)


@dataclass(frozen=True, kw_only=True)
class CuratorTerms:
    """Prices and noise of the paid answers, all of them exact."""

    opening: Fraction
    """What a fresh noisy threshold costs by itself: pure epsilon keeps one, rho has it in every `each`."""
    each: Fraction
    """One stretch of free answers and the paid answer that ends it."""
    answer: Fraction
    """The part of `each` that is the paid answer."""
    comparing: Fraction
    """The epsilon of a sparse-vector series for `crossings` paid answers; 0 where nothing is compared."""
    crossings: int


def gaussian_terms(left: Fraction, updates: int, currency: Currency) -> CuratorTerms:
    """A new threshold for every stretch: each is epsilon-DP, and costs what `Price.into` says."""
    each = down(left / updates)
    comparing = down(each * (1 - ANSWER_SHARE))
    # Rounded down, so that its price, rounded up to the grid of budgets, is not above `comparing`.
    if currency == "gdp":
        epsilon = pure_of_gdp(max(comparing - Fraction(1, GRID), Fraction(0)))
    else:
        epsilon = Fraction(math.isqrt(int(2 * comparing * GRID**2)), GRID)
    return CuratorTerms(opening=Fraction(0), each=each, answer=each - comparing, comparing=epsilon, crossings=1)


def pure_terms(left: Fraction, updates: int) -> CuratorTerms:
    """One threshold for all stretches; see Door.watch for what each part of it costs."""
    from ..vault.door.door import sparse_vector_shares

    answer = down(left * ANSWER_SHARE / updates)
    # The door rounds every charge up: room for all of them.
    comparing = left - answer * updates - Fraction(updates + 2, GRID)
    if comparing <= 0:
        return CuratorTerms(
            opening=Fraction(0), each=Fraction(0), answer=answer, comparing=Fraction(0), crossings=updates
        )
    first, second = sparse_vector_shares(comparing, updates)
    each = _up(second / updates) + answer
    return CuratorTerms(opening=_up(first), each=each, answer=answer, comparing=comparing, crossings=updates)


def down(amount: Fraction) -> Fraction:
    """On the grid of budgets, never more."""
    return Price(currency="pure", amount=amount).on_grid(up=False).amount


def _up(amount: Fraction) -> Fraction:
    return Price(currency="pure", amount=amount).on_grid(up=True).amount
