"""Checks: what an audit says of one promise, and the tests that need no more than numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from .bounds import two_sided
from .laws import Floats

__all__ = ["ALARM", "Check", "Kind", "coins_for", "follows_law", "is_independent", "price_covers"]

Kind = Literal["price", "law", "independence", "attack", "delta"]
# Of one check; an audit has fewer than a thousand of them, so that all together raise one in a million.
ALARM = 1e-9
LEVELS = (0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.998)
# Prices are exact fractions, what is held against them are floats (and, for a watch, sums over cells).
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Check:
    """One promise and what was found.

    price         what the steps cost this pair of tables, exactly, against what was charged
    law           whether outputs have the law that their step states: the p-value of the worst of several tests
    independence  whether the noise of two numbers is independent: the same
    attack        epsilon (or rho) that an attack proves, against what was charged
    delta         the same for delta, at the epsilon that was charged
    """

    kind: Kind
    passed: bool
    found: float
    claim: float
    unit: str
    runs: int
    by: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity."""
        return {name: str(v) if isinstance(v, float) and not np.isfinite(v) else v for name, v in asdict(self).items()}


def coins_for(seed: int) -> np.random.Generator:
    """Chance of the audit's own. Not `default_rng(seed)`: that is the stream of bits which Simulated(seed) draws."""
    return np.random.default_rng([seed, 1])


def price_covers(price: float, charged: float, unit: str, *, runs: int, by: str, slack: float = ROUNDING) -> Check:
    """Whether what was charged covers the exact price."""
    passed = price <= charged * (1 + slack) + 1e-12
    return Check(kind="price", passed=passed, found=price, claim=charged, unit=unit, runs=runs, by=by)


def follows_law(pits: Floats, *, runs: int, by: str, whole_numbers: bool = True) -> Check:
    """Whether numbers that the stated law makes uniform are: exact binomial tests at eleven levels, and of extremes.

    Noise 10% too small is rejected with a few thousand of them: of 20,000 numbers that 2% of Laplace noise should
    exceed on either side, 1.3% do, which is ten standard deviations away.
    """
    tests = []
    for numbers in (pits, np.abs(2 * pits - 1)):
        for level in LEVELS:
            tests.append(two_sided(int((numbers < level).sum()), len(numbers), level))
    worst = min(1.0, min(tests, default=1.0) * len(tests)) if len(pits) else 1.0
    worst = worst if whole_numbers else 0.0
    return Check(kind="law", passed=worst > ALARM, found=worst, claim=ALARM, unit="p-value", runs=runs, by=by)


def is_independent(first: Floats, second: Floats, *, runs: int, by: str) -> Check:
    """Whether pairs of uniform numbers agree on their half as often as not: exact, whatever their law."""
    agree = int(((first < 0.5) == (second < 0.5)).sum())
    found = two_sided(agree, len(first), 0.5) if len(first) else 1.0
    return Check(kind="independence", passed=found > ALARM, found=found, claim=ALARM, unit="p-value", runs=runs, by=by)
