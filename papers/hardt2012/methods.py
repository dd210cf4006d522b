"""The ways compared: all coefficients measured at once, the algorithm as published, and ours.

Not private: simulations. All noise and all choices come through the door of the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hushtable as ht
from hushtable.budget import Price
from hushtable.laws import Law
from hushtable.maths.distribution import Evidence, Factored, fit
from hushtable.maths.distribution.fit import PRIOR_SD
from hushtable.maths.distribution.kernels import walsh
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.door.door import Door, Noise, price_of
from hushtable.vault.statistics import Histogram, Parities
from papers.hardt2012.sweeps import sweep
from papers.hardt2012.tables import Counts

__all__ = ["ParityClass", "all_coefficients", "as_published", "best_fit", "free_door", "iterated", "one_round", "ours",
           "published_steps", "relative_entropy"]  # fmt: skip

Floats = NDArray[np.float64]
PLUS_MINUS = np.array([1.0, -1.0])
# How often measurements are processed again; the source does not say. Seven hundred of 65,536 cells are slow.
PASSES, LARGE, FEW_PASSES = 30, 1 << 15, 10
# Of all coefficients most are near 0, unlike those that were selected: their log-weights are believed to lie closer
# to 0 than the library's fit has it. It reads the variance of the noise over that of this belief.
BELIEF = 0.15
# Weights that underflow count as this: a relative entropy of hundreds of nats is as good as infinite.
LEAST = 1e-300


class _Free:
    """The account of a simulation."""

    def charge(self, price: Price, *, what: str) -> None:
        """Nothing is spent."""


def relative_entropy(table: Counts, hypothesis: Floats) -> float:
    """RE(table || hypothesis) in nats."""
    seen = table.counts > 0
    shares = table.shares[seen]
    return float(shares @ np.log(shares / np.maximum(hypothesis[seen], LEAST)))


def ours(table: Counts, workload: str, budget: ht.Budget, seed: int, mechanism: str = "mwem") -> Floats:
    """A release by the library with its own settings."""
    plan = ht.plan(table.domain, rows=table.rows, workload=workload, budget=budget, mechanism=mechanism)
    model = table.vault.release(plan, randomness=ht.Simulated(seed)).model
    return model.distribution.table(range(len(table.attributes))).ravel()


class ParityClass:
    """All parities of at most `order` attributes of a table, with a door to their sums; the first is the rows."""

    def __init__(self, table: Counts, order: int) -> None:
        self.table, self.rows, self.unit = table, table.rows, table.domain.unit
        interactions = InteractionLayout(table.domain.sizes, order)
        self.statistic = Parities(interactions)
        self.sets = [tuple(int(p) for p in own) for level in interactions.sets for own in level]
        bits = 1 << np.arange(len(table.attributes))[::-1]
        self.masks = np.array([bits[list(own)].sum() for own in self.sets], dtype=np.int64)
        # Product of signs for each combination of the attributes of a set.
        self.signs = [reduce(np.kron, [PLUS_MINUS] * len(own), np.ones(1)) for own in self.sets]
        self.numbers = np.arange(1, len(self.sets))
        self._sums = self.statistic.accumulate(table.codes)
        self.passes = PASSES if len(table.counts) < LARGE else FEW_PASSES

    @property
    def exact(self) -> Floats:
        """Not private: the true mean signs."""
        return self.statistic.to_coordinates(self._sums.copy()) / self.rows

    def door(self, price: Price, seed: int) -> Door:
        """A door that spends nothing; the rows were summed once."""
        return Door(total=self._total, unit=self.unit, price=price, account=_Free(),
                    randomness=ht.Simulated(seed))  # fmt: skip

    def _total(self, wanted: Any) -> Any:
        return wanted.accumulate(self.table.codes) if isinstance(wanted, Histogram) else self._sums.copy()

    def uniform(self) -> Floats:
        """Where every hypothesis starts."""
        return np.full(len(self.table.counts), 1 / len(self.table.counts))

    def means(self, hypothesis: Floats) -> Floats:
        """The mean sign of every parity."""
        values = hypothesis.copy()
        walsh(values)
        return values[self.masks]

    def equal_noise(self, epsilon: Fraction) -> Noise:
        """One Laplace scale for all parities together, the least at this epsilon: by exact sensitivity."""
        one = Noise(law=Law.LAPLACE, per_group=(Fraction(0), *[Fraction(1)] * (self.statistic.groups - 1)))
        least = price_of(self.statistic, one, self.unit).amount / epsilon
        return Noise(law=Law.LAPLACE, per_group=tuple(group * least for group in one.per_group))

    def update(self, hypothesis: Floats, targets: dict[int, float], *, passes: int = 1) -> None:
        """Multiplicative updates in place, target by target: weights times exp((target - mean) x sign / 2)."""
        sweep(hypothesis, self.masks, targets, passes=passes)

    def fitted(self, targets: dict[int, float], variance: float, *, passes: int) -> Floats:
        """By the library's fit, which follows each target as closely as its noise deserves."""
        sizes = self.table.domain.sizes
        hypothesis = Factored.explicit(sizes, self.uniform())
        evidence = [Evidence(self.sets[i], np.array([m]), variance, self.signs[i]) for i, m in targets.items()]
        fit(hypothesis, evidence, passes=passes)
        return hypothesis.table(range(len(sizes))).ravel()


def all_coefficients(parities: ParityClass, epsilon: Fraction, seed: int) -> tuple[Floats, Floats]:
    """Every coefficient measured with one scale of noise [BarCDKMT07], fitted in two ways.

    First as the source did, by multiplicative weights again and again; then by the fit of the library.
    """
    noise, price = parities.equal_noise(epsilon), Price(currency="pure", amount=epsilon).on_grid(up=True)
    values = parities.door(price, seed).measure(parities.statistic, noise).values / parities.rows
    targets = {int(number): float(np.clip(values[number], -1, 1)) for number in parities.numbers}
    plain = parities.uniform()
    parities.update(plain, targets, passes=parities.passes)
    variance = 2 * (float(noise.per_group[1]) / parities.rows) ** 2 * (PRIOR_SD / BELIEF) ** 2
    return plain, parities.fitted(targets, variance, passes=min(parities.passes, 20))


def best_fit(parities: ParityClass, passes: int) -> Floats:
    """Not private: the distribution with exactly the table's own coefficients, as nearly as passes allow."""
    return parities.fitted(dict(enumerate(parities.exact[1:], 1)), 0.0, passes=passes)


def as_published(parities: ParityClass, epsilon: Fraction, rounds: int, seed: int) -> Floats:
    """Algorithm 5.1: one step of d/2 a round, and the average of what the rounds leave; see `_rounds` for privacy."""
    return np.mean(published_steps(parities, epsilon, rounds, seed)[1:], axis=0)


def published_steps(parities: ParityClass, epsilon: Fraction, rounds: int, seed: int) -> list[Floats]:
    """The hypothesis before the first round and after each. The proof bounds the average of all but the last."""
    hypothesis = parities.uniform()
    steps = [hypothesis.copy()]
    for number, value in _rounds(parities, hypothesis, epsilon, rounds, seed):
        parities.update(hypothesis, {number: float(np.clip(value, -1, 1))})
        steps.append(hypothesis.copy())
    return steps


def iterated(parities: ParityClass, epsilon: Fraction, rounds: int, seed: int) -> Floats:
    """The same with all measurements so far processed again after each round, and the last hypothesis as result."""
    hypothesis, measured = parities.uniform(), dict[int, float]()
    for number, value in _rounds(parities, hypothesis, epsilon, rounds, seed):
        measured[number] = float(np.clip(value, -1, 1))
        parities.update(hypothesis, measured, passes=parities.passes)
    return hypothesis


def _rounds(
    parities: ParityClass, hypothesis: Floats, epsilon: Fraction, rounds: int, seed: int
) -> Iterator[tuple[int, float]]:
    """What each round selects and measures; the caller updates the hypothesis in between.

    Half of a round selects, by the exponential mechanism with the scale that half pays for (as printed it costs the
    whole round), half measures with Laplace noise. The door sells the exponential mechanism for rho:
    rho = e^2 / 8 buys the one that is e-private, so the epsilons of all rounds add up to `epsilon`.
    """
    door = free_door(parities, epsilon, seed)
    for _ in range(rounds):
        number, value, _ = one_round(parities, door, hypothesis, epsilon / rounds)
        yield number, value


def free_door(parities: ParityClass, epsilon: Fraction, seed: int) -> Door:
    """A door for rounds of `epsilon` together."""
    return parities.door(Price(currency="zcdp", amount=epsilon**2 + 1), seed)


def one_round(parities: ParityClass, door: Door, hypothesis: Floats, epsilon: Fraction) -> tuple[int, float, float]:
    """What a round of this epsilon selects, what it measures, and the scale of the noise of that, as a mean sign."""
    half = epsilon / 2
    select = Price(currency="zcdp", amount=half**2 / 8)
    reference = np.rint(parities.means(hypothesis) * parities.rows).astype(np.int64)
    number = door.select(parities.statistic, reference, select, among=parities.numbers)
    part = parities.statistic.part(number)
    at_one = price_of(part, Noise(law=Law.LAPLACE, per_group=(Fraction(1),)), parities.unit).amount
    values = door.measure(part, Noise(law=Law.LAPLACE, per_group=(at_one / half,))).values
    return number, float(values[0]) / parities.rows, float(at_one / half) / parities.rows
