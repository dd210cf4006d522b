"""What chapter 4 promises and what nobody can beat, in numbers: its accuracy, ours, and its lower bound.

Nothing here uses data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, sqrt

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom, hypergeom

import hushtable as ht
from hushtable.curator.plan import CuratorPlan, plan_curator

__all__ = [
    "MISS",
    "Lower",
    "Printed",
    "azuma_exponent",
    "columns",
    "fresh_loss",
    "guaranteed",
    "lower_bound",
    "printed",
    "printed_loss",
]

# All of a session holds with chance 1 - this, here and in the source's beta.
MISS = 0.05


@dataclass(frozen=True, kw_only=True)
class Printed:
    """The parameters of Figure 4.2: (4.2) with a delta, (4.14) without. All as shares of the rows."""

    eta: float
    sigma: float
    threshold: float
    updates: float

    @property
    def accuracy(self) -> float:
        """T + |A| <= 2 T (Lemma 4.3.6)."""
        return 2 * self.threshold


def printed(*, n: float, k: int, universe: float, epsilon: float, delta: float | None) -> Printed:
    """As printed. Without a delta the threshold has noise of 10 / (n epsilon) as well."""
    cells = log(universe)
    if delta is None:
        logs = log(k / (2 * MISS))
        eta = (cells * logs / (epsilon * n)) ** (1 / 3)
    else:
        logs = log(k / MISS)
        eta = sqrt(sqrt(cells) * logs * log(1 / delta) / (epsilon * n))
    return Printed(eta=eta, sigma=10 * eta / logs, threshold=40 * eta, updates=cells / eta**2)


def columns(many: int) -> ht.Domain:
    """A universe of 2^many: so many yes/no columns."""
    kind = {"kind": "boolean", "missing": "error"}
    return ht.Domain.from_dict({"table": "t", "attributes": {f"x{i}": kind for i in range(many)}})


@lru_cache(maxsize=4096)
def guaranteed(n: int, k: int, many: int, budget: ht.Budget) -> tuple[CuratorPlan, float]:
    """The curator of this library whose paid answers last for any k questions, and how close all its answers are.

    An update drops the relative entropy, at most ln N, by 2 (d^2 - w^2): d its error, at least threshold minus noise,
    and w the noise of its answer. So c updates last if 2 c (d^2 - w^2) >= ln N; c and the threshold are the best.
    """
    found = [one for updates in _grid(min(k, 10**6)) if (one := _lasting(n, k, many, budget, updates))]
    return min(found, key=lambda one: one[1])


def _grid(most: int) -> Iterator[int]:
    last = 0
    for step in range(200):
        now = ceil(1.25**step)
        if last < now <= most:
            last = now
            yield now


def _lasting(n: int, k: int, many: int, budget: ht.Budget, updates: int) -> tuple[CuratorPlan, float] | None:
    plan = plan_curator(columns(many), budget=budget, questions=k, rows=n, updates=updates, factor=1, way="hypothesis",
                        calibration=0)  # fmt: skip
    margin = plan.margin
    assert margin is not None
    noise = margin.half_width(1 - MISS / 2, simultaneous=True) - margin.threshold
    tails = log(2 * updates / MISS)
    # Of a Gaussian and of Laplace noise with this standard deviation.
    answer = plan.answer_stderr * (tails / sqrt(2) if budget.delta == 0 else sqrt(2 * tails))
    least = n * sqrt(many * log(2) / (2 * updates) + (answer / n) ** 2)
    factor = Fraction(ceil(1000 * (noise + least) / margin.threshold), 1000)
    if factor > 100:
        return None
    plan = plan_curator(columns(many), budget=budget, questions=k, rows=n, updates=updates, factor=factor,
                        way="hypothesis", calibration=0)  # fmt: skip
    assert plan.margin is not None
    return plan, max(plan.margin.threshold + noise, answer) / n


@dataclass(frozen=True, kw_only=True)
class Lower:
    """No epsilon-private mechanism errs by less on all of k questions with chance 1/2, whatever it does."""

    alpha: float
    support: int
    """Different values in the tables that show it."""
    varied: int
    """Rows that differ between them."""


def lower_bound(*, n: int, k: int, universe: int, epsilon: float) -> Lower:
    """Theorem 4.5.1 with its constants worked out, for every k.

    Tables of s values, each in r rows, the other n - s r rows all alike. By Gilbert and Varshamov there are 1 / p of
    them no two of which share more than `shared` values, p the chance that two random ones do; if that is more than
    2 e^(epsilon s r), no private mechanism can tell all of them apart. k random questions have a difference above
    2 alpha for all pairs, since P(no question has) times the number of pairs is below 1.
    """
    best = Lower(alpha=0.0, support=0, varied=0)
    for s in {ceil(1.15**step) for step in range(120)}:
        if s > min(n, universe // 2):
            continue
        for part in (0.1, 0.2, 0.35, 0.5, 0.65, 0.75):
            shared = int(part * s)
            room = -float(hypergeom.logsf(shared, universe, s, s))
            if not np.isfinite(room):
                room = (s - shared) * log(universe)
            # The most rows that can vary while there are enough tables, as whole rows for each value.
            repeats = min(int((room - log(2) - 1e-9) / (epsilon * s)), n // s)
            # ... and while k questions keep them apart.
            while repeats >= 1 and (found := _apart(s, shared, repeats, k, epsilon)) == 0:
                repeats = repeats * 3 // 4
            if repeats >= 1:
                alpha = found / 2 * (s * repeats) / n
                best = max(best, Lower(alpha=alpha, support=s, varied=s * repeats), key=lambda one: one.alpha)
    return best


def _apart(s: int, shared: int, repeats: int, k: int, epsilon: float) -> float:
    """The largest difference that some of k random questions has for every two of the tables; 0: none.

    Two tables differ in s - shared values or more on each side, of which a question holds Binomial(., 1/2).
    """
    differ, pairs = s - shared, 2 * (epsilon * s * repeats + log(2) + 1e-9)
    steps = np.arange(differ + 1)
    inside = binom.cdf(differ + steps, 2 * differ, 0.5) - binom.cdf(differ - steps - 1, 2 * differ, 0.5)
    enough = k * -np.log(np.minimum(inside, 1 - 1e-16)) > pairs
    return float(steps[enough].max() + 1) / s if enough.any() else 0.0


def azuma_exponent(delta: float) -> float:
    """Of the proof of Lemma 4.3.8, over log(1 / delta): below 1 it does not close.

    A deviation of epsilon / 2 in m' = 32 m log(1 / delta)^(1/2) rounds of at most 2 e0 has epsilon^2 / (32 m' e0^2),
    with e0 = epsilon / (10 m^(1/2) log(1 / delta)) by (4.3).
    """
    logs = log(1 / delta)
    return 100 * logs**2 / (32 * 32 * sqrt(logs)) / logs


def printed_loss(*, n: int, k: int, universe: float, epsilon: float) -> float:
    """What a transcript tells of one row under the algorithm of 4.4 as printed: (k - 2) / (sigma n), without end.

    k - 1 questions that the hypothesis answers too high by c stay lazy, then an update shows a noisy answer at distance
    z < c, which says T < z. Below it each lazy answer needs noise in an interval on one side of 0, whose chance one row
    changes by e^(1 / (sigma n)); the last answer takes back one of them at most.
    """
    return (k - 2) / (printed(n=n, k=k, universe=universe, epsilon=epsilon, delta=None).sigma * n)


def fresh_loss(plan: CuratorPlan, lengths: tuple[int, ...]) -> float:
    """The same under ours, where an answer has noise of its own: log-ratios of k lazy answers between neighbours.

    Summed exactly over the noise of the threshold, at the distances around the threshold where they are largest.
    """
    margin = plan.margin
    assert margin is not None
    found, b = 0.0, int(margin.second)
    for k in lengths:
        for distance in (0, margin.threshold, *(margin.threshold + step * b for step in (-1, 1, 2, 4, 8))):
            here, there = (_lazy(margin.first, margin.second, margin.threshold, k, d) for d in (distance, distance + 1))
            found = max(found, abs(here - there))
    return found


def _lazy(first: float, second: float, threshold: int, k: int, distance: int) -> float:
    """log P(k comparisons at this distance stay below one noisy threshold); the tail is never cut short."""
    reach = int(abs(distance) + threshold + second * (log(k) + 2) + 60 * first)
    t = np.arange(-reach, reach + 1) + threshold
    y, r = t - distance - 1, np.exp(-1 / second)
    below = np.where(y >= 0, np.log1p(-np.exp(-(np.maximum(y, 0) + 1) / second) / (1 + r)),
                     np.minimum(y, 0) / second - np.log1p(r))  # fmt: skip
    return float(logsumexp(-np.abs(t - threshold) / first + k * below))
