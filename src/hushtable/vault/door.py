"""Door: the only way from private sums to numbers. Charge first, then noise; prices come from the statistic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..budget import Currency, Price, Unit
from ..errors import BadData, BadPlan, OverBudget, readable
from ..interactions import Law
from .noise import exponential, laplace, permute_and_flip, sample
from .randomness import Randomness
from .statistics.base import Statistic

__all__ = ["Account", "Door", "Measurement", "Noise", "Watch", "price_of"]

Sums = NDArray[np.int64]


class Account(Protocol):
    """What the door needs of a ledger's reservation."""

    def charge(self, price: Price, *, what: str) -> None:
        """Records a charge durably, or raises OverBudget."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """One law, one scale a group: the variance (Gaussian) or the scale b (Laplace); 0 leaves a group exact."""

    law: Law
    per_group: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy integers, safe to publish, with the law of their noise."""

    values: Sums
    noise: Noise
    rows: int | None
    """The number of rows where that is public (neighbours: replace), else None."""


def price_of(statistic: Statistic, noise: Noise, unit: Unit) -> Price:
    """The exact price of one measurement.

    Gaussian: rho = max over neighbours of sum of change^2 / (2 sigma^2)        [BunS16, Prop. 1.6; CanKS20]
    Laplace:  epsilon = max over neighbours of sum of |change| / b              [DwoMNS06]
    A person with m rows changes a sum m times as much: epsilon times m, rho times m^2.
    """
    if len(noise.per_group) != statistic.groups:
        raise BadPlan(f"{statistic.name} has {statistic.groups} groups but {len(noise.per_group)} scales were given")
    for group, scale in enumerate(noise.per_group):
        alone = [Fraction(int(g == group)) for g in range(statistic.groups)]
        if scale < 0 or (scale == 0 and statistic.spread(power=1, weights=alone, neighbours=unit.neighbours) > 0):
            raise BadPlan(f"group {group} of {statistic.name} depends on single rows and needs noise")
    if noise.law == "gaussian":
        weights = [1 / (2 * s) if s else Fraction(0) for s in noise.per_group]
        spread = statistic.spread(power=2, weights=weights, neighbours=unit.neighbours)
        return Price(currency="zcdp", amount=spread * unit.rows**2)
    weights = [1 / s if s else Fraction(0) for s in noise.per_group]
    spread = statistic.spread(power=1, weights=weights, neighbours=unit.neighbours)
    return Price(currency="pure", amount=spread * unit.rows)


class Door:
    """Measures, selects and compares on behalf of one release, whose whole price is already reserved.

    Order of work: price and affordability are checked; the rows are read; the charge is written durably; only
    then is noise drawn. The reservation was durable before any row was read, so a crash anywhere costs budget,
    never privacy, and rows that do not fit the domain cost nothing because nothing was drawn.
    """

    def __init__(
        self,
        *,
        total: Callable[[Statistic], Sums],
        unit: Unit,
        price: Price,
        account: Account,
        randomness: Randomness,
    ) -> None:
        self._total, self._unit, self._account, self._randomness = total, unit, account, randomness
        self._left = price.amount
        self._currency: Currency = price.currency
        self._remembered: tuple[Statistic, Sums] | None = None

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        """The statistic's sums with noise of the given law and scales."""
        price = self._affordable(price_of(statistic, noise, self._unit))
        sums = self._finished(statistic)
        rows = self._public_rows(statistic)
        self._pay(price, f"measure {statistic.name}")
        values = sums + sample(statistic.scales(noise.law, noise.per_group), self._randomness)
        return Measurement(values=values, noise=noise, rows=rows)

    def select(self, statistic: Statistic, reference: Sums, price: Price) -> int:
        """The coordinate (nearly) farthest from a public reference.

        score = |sum - reference|, which one person changes by at most D = rows x largest change.
        pure: permute-and-flip with exp(-epsilon (max - score) / 2D), epsilon-DP           [McKS20, Thm. 1]
        zcdp: the exponential mechanism with epsilon = sqrt(8 rho), range-bounded       [CesR21, Lemma 3.4]
        """
        change = statistic.largest_change(self._unit.neighbours) * self._unit.rows
        self._affordable(price)
        scores = np.abs(self._finished(statistic) - reference)
        self._pay(price, f"select from {statistic.name}")
        if price.currency == "pure":
            return permute_and_flip(scores, price.amount / (2 * change), self._randomness)
        epsilon = Fraction(math.isqrt(int(8 * price.amount * 10**30)), 10**15)
        return exponential(scores, epsilon / (2 * change), self._randomness)

    def watch(self, statistic: Statistic, *, threshold: int, price: Price, crossings: int = 1) -> Watch:
        """Opens a series of `exceeds` questions that ends after `crossings` yes-answers; charged now, in full.

        Sparse vector: threshold noise b = D / e1 drawn once, comparison noise b = 2 c D / e2 drawn for each
        question, e1 : e2 = 1 : (2c)^(2/3), in total (e1 + e2)-DP                     [LyuSL17, Alg. 7, Thm. 4]
        """
        if price.currency != "pure":
            raise BadPlan("a watch is priced in epsilon; in a rho budget it costs epsilon^2 / 2")
        if crossings < 1:
            raise BadPlan(f"crossings must be at least 1, not {crossings}")
        self._affordable(price)
        change = statistic.largest_change(self._unit.neighbours) * self._unit.rows
        ratio = Fraction(round((2 * crossings) ** (2 / 3) * 2**20), 2**20)
        first = price.amount / (1 + ratio)
        second = price.amount - first
        self._pay(price, f"watch {statistic.name}")
        noisy = threshold + int(laplace(change / first, 1, self._randomness)[0])
        return Watch(statistic, noisy, Fraction(2 * crossings * change) / second, crossings)

    def exceeds(self, watch: Watch, coordinate: int, reference: int) -> bool:
        """Whether |sum - reference| is (noisily) at least the watch's threshold. Its noise is used for nothing else."""
        if watch.left < 1:
            raise BadPlan("this watch has used its crossings; open another one")
        value = abs(int(self._finished(watch.statistic)[coordinate]) - reference)
        crossed = value + int(laplace(watch.noise, 1, self._randomness)[0]) >= watch.threshold
        watch.left -= crossed
        return crossed

    def _affordable(self, price: Price) -> Price:
        price = price.into(self._currency).on_grid(up=True)
        if price.amount > self._left:
            unit = "epsilon" if self._currency == "pure" else "rho"
            raise OverBudget(asked=price.amount, left=self._left, unit=unit)
        return price

    def _pay(self, price: Price, what: str) -> None:
        price = self._affordable(price)
        self._account.charge(price, what=what)
        self._left -= price.amount

    def _sums(self, statistic: Statistic) -> Sums:
        if self._remembered is None or self._remembered[0] is not statistic:
            self._remembered = (statistic, self._total(statistic))
        return self._remembered[1]

    def _finished(self, statistic: Statistic) -> Sums:
        return statistic.finish(self._sums(statistic))

    def _public_rows(self, statistic: Statistic) -> int | None:
        """The number of rows under `replace`, where it is public; an empty table is refused there."""
        if self._unit.neighbours != "replace":
            return None
        rows = statistic.rows(self._sums(statistic))
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        return rows


class Watch:
    """One sparse-vector series: holds the noisy threshold, so it never leaves the vault."""

    def __init__(self, statistic: Statistic, threshold: int, noise: Fraction, crossings: int) -> None:
        self.statistic, self.threshold, self.noise, self.left = statistic, threshold, noise, crossings

    def __repr__(self) -> str:
        return f"Watch({self.statistic.name}, crossings left: {self.left}, noise {readable(self.noise)})"
