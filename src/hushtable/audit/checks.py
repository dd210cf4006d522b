"""Checks: what an audit says of one promise, and the tests that need no more than numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .bounds import two_sided
from .exact_laws import Floats

__all__ = ["ALARM", "Check", "Kind", "Signs", "coins_for", "follows_law", "halves", "is_independent", "price_covers"]

Signs = NDArray[np.int8]
Kind = Literal["price", "law", "independence", "attack", "delta", "rows"]
# Of one check; an audit has fewer than two thousand of them, so that all together raise one in a million.
ALARM = 5e-10
LEVELS = (0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.998)
# Prices are exact fractions, what is held against them are floats (and, for a watch, sums over cells).
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Check:
    """One promise and what was found.

    price         what the steps cost this pair of tables, exactly, against what was charged
    law           whether outputs have the law that their step states: the p-value of the worst of several tests
    independence  whether the noise of two numbers is independent, neighbours in a release and the same number of
                  two steps: the same
    attack        epsilon (or rho) that an attack proves, against what was charged
    delta         the same for delta, at the epsilon that was charged
    rows          whether the same rows of each person count in every pass: how many do in one and not in another
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


def halves(pits: Floats) -> Signs:
    """-1 or 1 for the half that each uniform number is in."""
    return np.where(pits < 0.5, np.int8(-1), np.int8(1))


def is_independent(left: Signs, right: Signs, parts: Signs, *, runs: int, by: str) -> Check:
    """Whether any two numbers that must have noise of their own agree on their half as often as not: exact.

    left, right   neighbours in a release
    parts         shape (releases, parts, numbers of a part), 0 where there is no number. Of any two parts the same
                  numbers are compared: noise that is used again shows there alone, wherever it was used first.

    That there is a second number may depend on the first; for the second the first is still a fair coin's guess.
    """
    products = left * right
    agree, differ = [int((products > 0).sum())], [int((products < 0).sum())]
    # Whole numbers below 2^24, which floats of 32 bits add exactly.
    flat = parts.transpose(1, 0, 2).reshape(parts.shape[1], -1).astype(np.float32)
    balance, pairs = flat @ flat.T, np.abs(flat) @ np.abs(flat).T
    for i, j in combinations(range(len(flat)), 2):
        agree.append(round(float(pairs[i, j] + balance[i, j]) / 2))
        differ.append(round(float(pairs[i, j] - balance[i, j]) / 2))
    tests = [two_sided(a, a + d, 0.5) for a, d in zip(agree, differ, strict=True) if a + d]
    worst = min(1.0, min(tests, default=1.0) * len(tests))
    return Check(kind="independence", passed=worst > ALARM, found=worst, claim=ALARM, unit="p-value", runs=runs, by=by)
