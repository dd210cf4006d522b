"""Sparse curator: answers lists one after the other, and pays only for those its weights get wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..attributes import Attribute
from ..budget import GRID as MONEY_GRID
from ..budget import Price
from ..errors import BadPlan, BadQuestion
from ..models.lazy_weights import LazyWeights
from ..siphash import KEY_BYTES
from .door import Door, Noise, Watch, watch_split
from .statistics.list_count import KeyTotals, ListCount

__all__ = ["CuratedAnswer", "SparseCurator", "Terms"]

# Weights of lists are whole multiples of this.
GRID = 1 << 16
RECENT, PASSES = 40, 2
CELLS_PER_ROW = 20


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How a budget rho is spent: `updates` times a watch and, when it fires, one measurement.

    rho / updates = epsilon^2 / 2 for the watch [BunS16, Prop. 1.4] + 1 / (2 sigma^2) for the measurement, of which
    `answer_share` goes to the measurement. Changes are counted in rows: weights lie in [0, 1].
    """

    rho: Fraction
    updates: int = 200
    questions: int = 10_000
    """About how many lists will be asked; the threshold grows with its logarithm."""
    answer_share: Fraction = Fraction(3, 10)
    threshold_factor: float = 0.5

    @property
    def epsilon(self) -> Fraction:
        """Of one watch, rounded down."""
        return Fraction(math.isqrt(int(2 * self.rho / self.updates * (1 - self.answer_share) * 10**30)), 10**15)

    @property
    def variance(self) -> Fraction:
        """Of the noise of one measurement, in rows squared."""
        # Both charges are rounded up to the ledger's grid.
        return 1 / (2 * (self.rho / self.updates - self.epsilon**2 / 2 - Fraction(2, MONEY_GRID)))

    @property
    def threshold(self) -> float:
        """In rows: below it a list is answered from the weights."""
        _, second = watch_split(self.epsilon, 1)
        spare = max(1.0, self.updates / 10)
        return self.threshold_factor * 2 / float(second) * math.log(max(self.questions / (2 * spare), math.e))


@dataclass(frozen=True, kw_only=True)
class CuratedAnswer:
    """A number of rows; `measured` says whether it was paid for, with what standard error."""

    value: float
    measured: bool
    stderr: float


class SparseCurator:
    """Sparse multiplicative weights over an unbounded universe [BluR11, Sec. 3; HarR10].

    Needs a door that counts rho under `replace` with one row a person, and nothing else: whoever keeps its ledger and
    its state decides when it opens. After the last update it has no access to rows and answers from the weights alone.
    """

    def __init__(self, door: Door, attributes: Sequence[Attribute], *, rows: int, largest: int, terms: Terms) -> None:
        if largest < 1 or rows < 1 or terms.updates < 1:
            raise BadPlan("a curator needs at least one row, one value a list and one update")
        self._door, self.rows, self.largest, self.terms = door, rows, largest, terms
        self._totals = KeyTotals(attributes, door.key_bytes(2 * KEY_BYTES))
        # Few cells would make the first guess of every list large; many cost only their logarithm.
        self.weights = LazyWeights(max(largest * terms.updates + 1, CELLS_PER_ROW * rows))
        self._seen: list[tuple[dict[bytes, float], float]] = []
        self._watch: Watch | None = None

    @property
    def left(self) -> int:
        """How many updates are left."""
        return self.terms.updates - len(self._seen)

    def ask(self, question: Mapping[bytes, float]) -> CuratedAnswer:
        """How many rows have a key of the list, each with its weight. Too long a list costs nothing but an error."""
        if len(question) > self.largest:
            raise BadQuestion(f"the list has {len(question):,} values and this curator takes at most {self.largest:,}")
        if not all(0 <= q <= 1 for q in question.values()):
            raise BadQuestion("the weights of a list are numbers from 0 to 1")
        self.weights.check_room(question)
        guess = self.rows * self.weights.share(question)
        if not self.left:
            return CuratedAnswer(value=guess, measured=False, stderr=math.nan)
        exact = ListCount(self._totals, {key: round(q * GRID) for key, q in question.items()})
        if not self._door.exceeds(self._open_watch(), exact, round(guess * GRID)):
            return CuratedAnswer(value=guess, measured=False, stderr=0.0)
        noise = Noise(law="gaussian", per_group=(self.terms.variance * GRID**2,))
        value = float(self._door.measure(exact, noise).values[0]) / GRID
        self._watch = None
        self._correct(dict(question), value)
        return CuratedAnswer(value=value, measured=True, stderr=math.sqrt(float(self.terms.variance)))

    def _open_watch(self) -> Watch:
        """The watch that is open, or a new one, charged now."""
        if self._watch is None:
            price = Price(currency="pure", amount=self.terms.epsilon)
            self._watch = self._door.watch(change=GRID, threshold=round(self.terms.threshold * GRID), price=price)
        return self._watch

    def _correct(self, question: dict[bytes, float], value: float) -> None:
        """The new measurement, then the recent ones again: they stay true while the weights move on."""
        self._seen.append((question, min(max(value / self.rows, 0.0), 1.0)))
        for one, share in [self._seen[-1], *self._seen[-RECENT:] * PASSES]:
            self.weights.correct(one, 4 * (share - self.weights.share(one)))
