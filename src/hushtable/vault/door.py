"""Door: the only way from private sums to numbers. Charge first, then noise; prices come from the statistic."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..attributes import Attribute
from ..budget import Currency, Price, Unit
from ..errors import BadData, BadPlan, OverBudget, readable
from ..interactions import Law, Scales
from ..siphash import KEY_BYTES
from .key_counts import Counts, KeyCounts, KeyTexts, Texts
from .noise import exponential, laplace, permute_and_flip, sample
from .randomness import Randomness
from .reveal import Revealed, in_order, keep_frequent, reveal_price
from .statistics.base import Statistic

__all__ = ["Account", "Door", "Measurement", "Noise", "Watch", "price_of", "watch_split"]

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
        self._left, self._delta = price.amount, price.delta
        self._currency: Currency = price.currency
        self._prepaid: Price | None = None
        self._remembered: tuple[Statistic, Sums, Sums | None] | None = None

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        """The statistic's sums with noise of the given law and scales."""
        price = self._affordable(price_of(statistic, noise, self._unit))
        sums = self._finished(statistic)
        rows = self._public_rows(statistic)
        self._pay(price, f"measure {statistic.name}")
        values = sums + sample(statistic.scales(noise.law, noise.per_group), self._randomness)
        return Measurement(values=values, noise=noise, rows=rows)

    def count_rows(self, statistic: Statistic, scale: Fraction, law: Law) -> int:
        """The number of rows: exact where it is public, else with noise of the given scale (rows change it by 1)."""
        if self._unit.neighbours == "replace":
            return self._public_rows(statistic) or 0
        rows = self._unit.rows
        amount = Fraction(rows) / scale if law == "laplace" else Fraction(rows**2) / (2 * scale)
        price = self._affordable(Price(currency="pure" if law == "laplace" else "zcdp", amount=amount))
        exact = statistic.rows(self._sums(statistic))
        self._pay(price, "measure the number of rows")
        one = Scales(law=law, table=(scale,), index=np.zeros(1, dtype=np.int32))
        return exact + int(sample(one, self._randomness)[0])

    def select(
        self, statistic: Statistic, reference: Sums, price: Price, *, among: NDArray[np.intp] | None = None
    ) -> int:
        """The block (nearly) farthest from a public reference, of those in `among` or of all.

        score = sum over the block of |sum - reference|; one person changes it by at most D = rows x block change.
        pure: permute-and-flip with exp(-epsilon (max - score) / 2D), epsilon-DP           [McKS20, Thm. 1]
        zcdp: the exponential mechanism with epsilon = sqrt(8 rho), range-bounded       [CesR21, Lemma 3.4]
        """
        change = statistic.block_change(self._unit.neighbours) * self._unit.rows
        self._affordable(price)
        scores = self._distances(statistic, reference)
        scores = scores if among is None else scores[among]
        self._pay(price, f"select from {statistic.name}")
        if price.currency == "pure":
            found = permute_and_flip(scores, price.amount / (2 * change), self._randomness)
        else:
            epsilon = Fraction(math.isqrt(int(8 * price.amount * 10**30)), 10**15)
            found = exponential(scores, epsilon / (2 * change), self._randomness)
        return found if among is None else int(among[found])

    def distances(self, statistic: Statistic, reference: Sums, scale: Fraction, law: Law) -> Sums:
        """How far each block is from a public reference (sum of absolute differences), all with the same noise.

        One person changes each of the B distances by at most D = rows x block change: epsilon = B D / b for
        Laplace noise, rho = B D^2 / (2 sigma^2) for Gaussian noise.
        """
        change = statistic.block_change(self._unit.neighbours) * self._unit.rows
        starts = statistic.block_starts()
        blocks = len(reference) if starts is None else len(starts) - 1
        amount = Fraction(blocks * change) / scale if law == "laplace" else Fraction(blocks * change**2) / (2 * scale)
        price = self._affordable(Price(currency="pure" if law == "laplace" else "zcdp", amount=amount))
        exact = self._distances(statistic, reference)
        self._pay(price, f"distances of {statistic.name}")
        same = Scales(law=law, table=(scale,), index=np.zeros(blocks, dtype=np.int32))
        return exact + sample(same, self._randomness)

    def watch(self, *, change: int, threshold: int, price: Price, crossings: int = 1, paid: int | None = None) -> Watch:
        """Opens a series of `exceeds` questions that ends after `crossings` yes-answers; charged now.

        The questions may be about any statistics whose coordinates one row changes by at most `change` = D.
        Sparse vector: threshold noise b = D / e1 drawn once, comparison noise b = 2 c D / e2 drawn for each
        question, e1 : e2 = 1 : (2c)^(2/3), in total (e1 + e2)-DP                     [LyuSL17, Alg. 7, Thm. 4]
        All no-answers together cost e1 and every yes-answer e2 / c (the proof there), so that with `paid` only so
        many yes-answers are paid for now, and each further one by `extend`, before it can come.
        """
        if price.currency != "pure":
            raise BadPlan("a watch is priced in epsilon; in a rho budget it costs epsilon^2 / 2")
        now = crossings if paid is None else paid
        if not 1 <= now <= crossings or change < 1:
            raise BadPlan(f"crossings and change must be at least 1, not {crossings} and {change}")
        if now < crossings and self._currency != "pure":
            # epsilon^2 / 2 of the whole is more than the sum of the parts' squares: one threshold serves them all.
            raise BadPlan("in a rho budget a watch is paid for as a whole; open one for each crossing")
        first, second = watch_split(price.amount, crossings)
        each = Price(currency="pure", amount=second / crossings)
        self._pay(Price(currency="pure", amount=first + each.amount * now), "watch")
        moved = change * self._unit.rows
        noisy = threshold + int(laplace(moved / first, 1, self._randomness)[0])
        return Watch(
            change, noisy, Fraction(2 * crossings * moved) / second, left=now, unpaid=crossings - now, each=each
        )

    def extend(self, watch: Watch) -> None:
        """Pays for one more yes-answer of a watch, of those it was opened for."""
        if watch.unpaid < 1:
            raise BadPlan("this watch has used its crossings; open another one")
        self._pay(watch.each, "watch on")
        watch.unpaid -= 1
        watch.left += 1

    def exceeds(self, watch: Watch, statistic: Statistic, reference: int, *, coordinate: int = 0) -> bool:
        """Whether |sum - reference| is (noisily) at least the watch's threshold. Its noise is used for nothing else."""
        if watch.left < 1:
            raise BadPlan("this watch has used its crossings; open another one")
        if statistic.largest_change(self._unit.neighbours) > watch.change:
            raise BadPlan(f"{statistic.name} changes by more than the {watch.change} a row this watch was opened for")
        value = abs(int(self._finished(statistic)[coordinate]) - reference)
        crossed = value + watch.draw(self._randomness) >= watch.threshold
        watch.left -= crossed
        return crossed

    def reveal(self, attributes: Sequence[Attribute], *, scale: Fraction, threshold: int) -> Revealed:
        """Keys that nobody listed, with noisy counts of at least the threshold; priced by `reveal_price`."""
        price = self._affordable(reveal_price(scale, threshold, self._unit))
        source = KeyCounts(attributes, bytes(self._randomness.bytes(2 * KEY_BYTES)))
        exact = cast(Counts, self._total(cast(Statistic, source)))
        rows = exact.rows() if self._unit.neighbours == "replace" else None
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        self._pay(price, f"reveal {source.name}")
        kept, noisy = keep_frequent(exact, scale=scale, threshold=threshold, randomness=self._randomness)
        digests = exact.digests_of(kept)
        texts = cast(Texts, self._total(cast(Statistic, KeyTexts(source, *digests)))) if len(kept) else Texts()
        try:
            keys = [texts[pair] for pair in zip(*(half.tolist() for half in digests), strict=True)]
        except KeyError:
            raise BadData("the rows changed while they were read; what was charged stays spent") from None
        return in_order(keys, noisy, rows)

    def key_bytes(self, count: int) -> bytes:
        """Random bytes for the key of a hash, which may be published; no noise is ever made of them."""
        return bytes(self._randomness.bytes(count))

    @contextmanager
    def paid(self, price: Price, what: str) -> Iterator[None]:
        """Charges several steps as one line of the ledger, before the first; what they leave over is not returned."""
        self._pay(price, what)
        self._prepaid = price.into(self._currency).on_grid(up=True)
        try:
            yield
        finally:
            self._prepaid = None

    def _affordable(self, price: Price) -> Price:
        price = price.into(self._currency).on_grid(up=True)
        left, delta = (self._left, self._delta) if (paid := self._prepaid) is None else (paid.amount, paid.delta)
        if price.amount > left:
            unit = "epsilon" if self._currency == "pure" else "rho"
            raise OverBudget(asked=price.amount, left=left, unit=unit)
        if price.delta > delta:
            raise OverBudget(asked=price.delta, left=delta, unit="delta")
        return price

    def _pay(self, price: Price, what: str) -> None:
        price = self._affordable(price)
        if (paid := self._prepaid) is not None:
            self._prepaid = replace(paid, amount=paid.amount - price.amount, delta=paid.delta - price.delta)
            return
        self._account.charge(price, what=what)
        self._left -= price.amount
        self._delta -= price.delta

    def _distances(self, statistic: Statistic, reference: Sums) -> Sums:
        apart = np.abs(self._finished(statistic) - reference)
        starts = statistic.block_starts()
        return apart if starts is None else np.add.reduceat(apart, starts[:-1])

    def _sums(self, statistic: Statistic) -> Sums:
        """The total, remembered for the last whole statistic: a part of it costs no second reading of the rows."""
        whole = statistic.whole
        if self._remembered is None or self._remembered[0] is not whole:
            self._remembered = (whole, self._total(whole), None)
        return self._remembered[1]

    def _finished(self, statistic: Statistic) -> Sums:
        sums = self._sums(statistic)
        assert self._remembered is not None
        whole, _, finished = self._remembered
        if finished is None:
            finished = whole.finish(sums)
            self._remembered = (whole, sums, finished)
        return finished if statistic is whole else statistic.cut(finished)

    def _public_rows(self, statistic: Statistic) -> int | None:
        """The number of rows under `replace`, where it is public; an empty table is refused there."""
        if self._unit.neighbours != "replace":
            return None
        rows = statistic.rows(self._sums(statistic))
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        return rows


class Watch:
    """One sparse-vector series: holds the noisy threshold and noise to come, so it never leaves the vault."""

    # Comparison noise is drawn this much at a time: one draw costs nearly as much as hundreds.
    BLOCK = 256

    def __init__(self, change: int, threshold: int, noise: Fraction, *, left: int, unpaid: int, each: Price) -> None:
        self.change, self.threshold, self.noise = change, threshold, noise
        self.left, self.unpaid, self.each = left, unpaid, each
        self._drawn: list[int] = []
        self._process = os.getpid()

    def draw(self, randomness: Randomness) -> int:
        """Fresh comparison noise: every draw is handed out once."""
        # A forked process has a copy of the threshold and of the noise; used in both, neither would be fresh.
        if os.getpid() != self._process:
            raise BadPlan("this watch belongs to the process that opened it; open one in this process")
        if not self._drawn:
            self._drawn = laplace(self.noise, self.BLOCK, randomness).tolist()
        return self._drawn.pop()

    def __repr__(self) -> str:
        return f"Watch(crossings left: {self.left}, noise {readable(self.noise)})"


def watch_split(epsilon: Fraction, crossings: int) -> tuple[Fraction, Fraction]:
    """Epsilon for the threshold and for the comparisons, 1 : (2c)^(2/3): the least noise in their difference."""
    ratio = Fraction(round((2 * crossings) ** (2 / 3) * 2**20), 2**20)
    first = epsilon / (1 + ratio)
    return first, epsilon - first
