"""Trace: a door on made-up tables that notes, for every step, the stated law, the loss and the exact price.

Not private: it reads the exact sums of two neighbouring tables. For audits of tables that nobody is in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..budget import Currency, Price, Unit
from ..domain.attributes import Attribute
from ..laws import Law
from ..maths.interactions.layout import CoordinateNoise
from ..vault.door.door import (
    Door,
    JointMeasurement,
    JointNoise,
    Measurement,
    Noise,
    SparseVector,
    sparse_vector_shares,
)
from ..vault.door.reveal import Revealed
from ..vault.statistics import Statistic
from ..vault.statistics.joint import JointStatistic
from .exact_laws import Floats, Ints, exponential_law, flip_law, gaussian_price, noise_loss, noise_pit, renyi_price
from .joint_law import gauge_pit, joint_loss
from .key_law import KeyLaw
from .sparse_vector_law import SparseVectorLaw

__all__ = ["Neighbour", "Step", "Trace", "Traced", "TracedDoor"]


@dataclass(eq=False)
class Step:
    """One step: what came out, and what it says by the stated law."""

    kind: str
    outputs: list[float]
    loss: float
    """log P(outputs here) - log P(outputs there)."""
    price: float
    """What the step costs for this pair of tables, in the currency that the door counts."""
    pits: Floats
    """Uniform and independent numbers, if the outputs have the stated law."""
    delta: float = 0.0


@dataclass(eq=False)
class Trace:
    """All steps of one release, seen from a table (`here`) and its neighbour (`there`)."""

    coins: np.random.Generator
    steps: list[Step] = field(default_factory=list)
    whole_numbers: bool = True

    @property
    def loss(self) -> float:
        """Of the whole release."""
        return sum(step.loss for step in self.steps)

    @property
    def price(self) -> float:
        """Of the whole release, for this pair."""
        return sum(step.price for step in self.steps)

    @property
    def outputs(self) -> list[float]:
        """Everything that was released, in order."""
        return [value for step in self.steps for value in step.outputs]


@dataclass(frozen=True)
class Neighbour:
    """The other table: its sums, and the keys of both tables for steps that count them."""

    total: Callable[[Statistic], Any]
    keys: Callable[[Sequence[Attribute]], KeyLaw] | None = None


class Traced:
    """Mixed in before a door: does what the door does and writes it down."""

    _finished: Callable[[Statistic], Ints]
    _distances: Callable[[Statistic, Ints], Ints]

    def __init__(self, *, there: Neighbour, trace: Trace, **door: Any) -> None:
        super().__init__(**door)
        self.there, self.trace = there, trace
        self._currency_of_price: Currency = door["price"].currency
        # By a name of its own: a door with a fault may change the unit it goes by.
        self._stated_unit: Unit = door["unit"]
        self._whole: tuple[Statistic, Ints] | None = None
        self._watches: dict[int, tuple[SparseVectorLaw, Step]] = {}

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        """Notes the noise of every coordinate."""
        seen: Measurement = super().measure(statistic, noise)  # type: ignore[misc]
        scales = statistic.scales(noise.law, noise.per_group)
        self._noisy("measure", scales, seen.values, self._finished(statistic), self._sums_there(statistic))
        return seen

    def measure_jointly(self, statistic: JointStatistic, noise: JointNoise) -> JointMeasurement:
        """Notes the gauge of the noise, group by group."""
        seen: JointMeasurement = super().measure_jointly(statistic, noise)  # type: ignore[misc]
        sums = (self._finished(statistic), self._sums_there(statistic))
        loss = price = 0.0
        pits, start = [], 0
        for group, scale in enumerate(noise.per_group):
            body = statistic.body(group, self._stated_unit.open_relation)
            mine = slice(start, start + body.length)
            start = mine.stop
            if not body.dimension:
                continue
            apart, other = (seen.values[mine] - exact[mine] for exact in sums)
            lost, cost = joint_loss(body, scale, apart, other)
            loss, price = loss + lost, price + cost
            pits.append(gauge_pit(body, scale, apart, self.trace.coins.random()))
        price = self._in_money(price, True)
        self.trace.steps.append(Step("jointly", [float(v) for v in seen.values], loss, price, np.array(pits)))
        return seen

    def count_rows(self, statistic: Statistic, scale: Fraction, law: Law) -> int:
        """Notes the noise of the count, where rows are private."""
        count: int = super().count_rows(statistic, scale, law)  # type: ignore[misc]
        if self._stated_unit.private_rows:
            rows = [statistic.rows(self._sums(statistic)), statistic.rows(self.there.total(statistic.whole))]  # type: ignore[attr-defined]
            here, there = (np.array([n], dtype=np.int64) for n in rows)
            noise = CoordinateNoise(law=law, table=(scale,), index=np.zeros(1, dtype=np.int32))
            self._noisy("count rows", noise, np.array([count]), here, there)
        return count

    def distances(self, statistic: Statistic, reference: Ints, scale: Fraction, law: Law) -> Ints:
        """Notes the noise of every distance."""
        noisy: Ints = super().distances(statistic, reference, scale, law)  # type: ignore[misc]
        same = CoordinateNoise(law=law, table=(scale,), index=np.zeros(len(noisy), dtype=np.int32))
        here, there = self._distances(statistic, reference), self._distances_there(statistic, reference)
        self._noisy("distances", same, noisy, here, there)
        return noisy

    def select(
        self, statistic: Statistic, reference: Ints, price: Price, *, among: NDArray[np.intp] | None = None
    ) -> int:
        """Notes the chances of the choice on both tables."""
        chosen: int = super().select(statistic, reference, price, among=among)  # type: ignore[misc]
        scores = [self._distances(statistic, reference), self._distances_there(statistic, reference)]
        scores = scores if among is None else [distances[among] for distances in scores]
        place = chosen if among is None else int(np.flatnonzero(among == chosen)[0])
        change = self._stated_unit.most(statistic.block_change) * self._stated_unit.rows
        pure = price.currency == "pure"
        epsilon = _selection_epsilon(price)
        here, there = (
            (flip_law if pure else exponential_law)(distances, epsilon / (2 * change)) for distances in scores
        )
        exact = _cost_of_choice(price.currency, here, there)
        pit = here[:place].sum() + self.trace.coins.random() * here[place]
        loss = float(np.log(here[place] / there[place]))
        self.trace.steps.append(Step("select", [float(chosen)], loss, self._in_money(exact, pure), np.array([pit])))
        return chosen

    def watch(
        self, *, change: int, threshold: int, price: Price, crossings: int = 1, paid: int | None = None
    ) -> SparseVector:
        """Begins a step that every comparison with this threshold belongs to."""
        more = {"change": change, "threshold": threshold, "price": price, "crossings": crossings, "paid": paid}
        opened: SparseVector = super().watch(**more)  # type: ignore[misc]
        first, second = sparse_vector_shares(price.amount, crossings)
        moved = change * self._stated_unit.rows
        law = SparseVectorLaw(threshold, float(moved / first), float(2 * crossings * moved / second))
        step = Step("watch", [], 0.0, 0.0, np.zeros(0))
        self._watches[id(opened)] = law, step
        self.trace.steps.append(step)
        return opened

    def exceeds(self, watch: SparseVector, statistic: Statistic, reference: int, *, coordinate: int = 0) -> bool:
        """Notes the chance of the answer, given all answers before it."""
        crossed: bool = super().exceeds(watch, statistic, reference, coordinate=coordinate)  # type: ignore[misc]
        law, step = self._watches[id(watch)]
        here = abs(int(self._finished(statistic)[coordinate]) - reference)
        there = abs(int(self._sums_there(statistic)[coordinate]) - reference)
        yes = law.answer(here, there, crossed)
        coin = self.trace.coins.random()
        step.pits = np.append(step.pits, coin * yes if crossed else yes + coin * (1 - yes))
        step.outputs.append(float(crossed))
        step.loss = law.loss
        step.price = self._in_money(abs(law.loss), True)
        return crossed

    def reveal(self, attributes: Sequence[Attribute], *, scale: Fraction, threshold: int) -> Revealed:
        """Notes the chances of the keys that were shown and of those that were not."""
        seen: Revealed = super().reveal(attributes, scale=scale, threshold=threshold)  # type: ignore[misc]
        assert self.there.keys is not None
        law = self.there.keys(attributes)
        loss, price, delta, pits, outputs = law.judge(seen, scale, threshold, self.trace.coins)
        self.trace.steps.append(Step("reveal", outputs, loss, self._in_money(price, True), pits, delta))
        return seen

    def _noisy(self, kind: str, scales: CoordinateNoise, values: NDArray[Any], here: Ints, there: Ints) -> None:
        each = np.array([float(s) for s in scales.table])[scales.index]
        moved, noisy = np.abs(there - here).astype(np.float64), each > 0
        apart, other = (values - sums for sums in (here, there))
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = noise_loss(scales.law, each, apart, other)
            prices = moved / each if scales.law == Law.LAPLACE else moved**2 / (2 * each)
        # Exact numbers cost nothing where no row can change them, and everything where one does.
        exact = np.inf if bool((moved[~noisy] > 0).any()) else 0.0
        price = self._in_money(float(prices[noisy].sum()) + exact, scales.law == Law.LAPLACE)
        pits = self._pits(scales, apart)[noisy]
        loss = float(losses[noisy].sum()) + exact
        self.trace.steps.append(Step(kind, [float(v) for v in values], loss, price, pits))

    def _pits(self, scales: CoordinateNoise, apart: NDArray[Any]) -> Floats:
        pits, coins = np.zeros(len(apart)), self.trace.coins.random(len(apart))
        if not np.issubdtype(apart.dtype, np.integer):
            self.trace.whole_numbers = False
            return pits
        for place, scale in enumerate(scales.table):
            at = np.flatnonzero(scales.index == place)
            if scale and at.size:
                pits[at] = noise_pit(scales.law, scale, apart[at], coins[at])
        return pits

    def _in_money(self, amount: float, pure: bool) -> float:
        if not pure or self._currency_of_price == "pure":
            return amount
        return amount**2 / 2 if self._currency_of_price == "zcdp" else _coin_price(amount)

    def _sums_there(self, statistic: Statistic) -> Ints:
        whole = statistic.whole
        if self._whole is None or self._whole[0] is not whole:
            self._whole = (whole, whole.to_coordinates(self.there.total(whole)))
        finished = self._whole[1]
        return finished if statistic is whole else statistic.own_part(finished)

    def _distances_there(self, statistic: Statistic, reference: Ints) -> Ints:
        apart = np.abs(self._sums_there(statistic) - reference)
        starts = statistic.block_starts()
        return apart if starts is None else np.add.reduceat(apart, starts[:-1])


def _selection_epsilon(price: Price) -> Fraction:
    """By formulas of its own: those of the door may be wrong."""
    if price.currency == "pure":
        return price.amount
    if price.currency == "zcdp":
        return Fraction(float(8 * price.amount) ** 0.5)
    below = NormalDist().cdf(-math.sqrt(float(price.amount) / 2))
    return Fraction(2 * math.log((1 - below) / below))


def _cost_of_choice(currency: Currency, here: Floats, there: Floats) -> float:
    if currency == "pure":
        return float(np.abs(np.log(here / there)).max())
    return renyi_price(here, there) if currency == "zcdp" else gaussian_price(here, there)


def _coin_price(epsilon: float) -> float:
    """mu^2 / 2 of the coin that is right with odds e^epsilon."""
    return float(2 * NormalDist().inv_cdf(1 / (1 + math.exp(-epsilon))) ** 2) if epsilon else 0.0


class TracedDoor(Traced, Door):
    """The real door, traced."""
