"""Door: the only way from private sums to numbers. Charge first, then noise; prices come from the statistic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...budget import UNIT_NAME, Currency, Price, Unit
from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadData, BadPlan, OverBudget
from ...laws import Law
from ...maths.geometry.bodies import Body
from ...maths.interactions.layout import CoordinateNoise
from ...maths.keys.siphash import KEY_BYTES
from ..key_counts import Counts, KeyCounts, KeyTexts, Texts
from ..statistics.base import Statistic, Sums, Totals, read_as
from ..statistics.joint import JointStatistic
from .joint_samplers import joint_noise
from .kept import Account, Forgetful, Journal, Seen
from .noise import JointNoise, Noise, joint_price, price_of
from .randomness import Randomness
from .reveal import Revealed, in_order, keep_frequent, reveal_price
from .samplers import exponential, laplace, permute_and_flip, sample
from .sparse_vector import SparseVector, sparse_vector_shares

__all__ = [
    "Account",
    "Door",
    "JointMeasurement",
    "JointNoise",
    "Journal",
    "Measurement",
    "Noise",
    "Seen",
    "SparseVector",
    "joint_price",
    "price_of",
    "sparse_vector_shares",
]


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy integers, safe to publish, with the law of their noise."""

    values: Sums
    noise: Noise
    rows: int | None
    """The number of rows where that is public (replace, and no `person`), else None."""


@dataclass(frozen=True, eq=False)
class JointMeasurement:
    """Noisy integers whose noise is of the gauge of a body, safe to publish."""

    values: Sums
    rows: int | None
    """The number of rows where that is public (replace, and no `person`), else None."""


class Door:
    """Measures, selects and compares on behalf of one release, whose whole price is already reserved.

    Order of work, for every step (`_step`): price and affordability are checked; the rows are read; the charge is
    written durably; only then is noise drawn (`measure_jointly`: added); and what comes of it is kept in the journal
    before it is handed out. The reservation was durable before any row was read, so a crash anywhere costs time, never
    privacy, and rows that do not fit the domain cost nothing because nothing was drawn.

    A step that the journal knows is paid for by the charge it was made for: nothing is read and nothing drawn.
    """

    def __init__(
        self,
        *,
        total: Totals,
        unit: Unit,
        price: Price,
        account: Account,
        randomness: Randomness,
        journal: Journal | None = None,
    ) -> None:
        self._journal = journal or Forgetful()
        self._total, self._unit, self._account, self._randomness = total, unit, account, randomness
        self._left, self._delta = price.amount, price.delta
        self._currency: Currency = price.currency
        self._prepaid: Price | None = None
        self._remembered: tuple[Statistic, Sums, Sums | None] | None = None

    def refine(self, domain: Domain) -> None:
        """From here on rows are coded by the cells of this domain, which were found from what this door has released.

        What a row's code is still depends on that row and on public numbers alone.
        """
        self._total, self._remembered = read_as(self._total, domain), None

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        """The statistic's sums with noise of the given law and scales."""

        def read() -> tuple[int, Callable[[], Seen]]:
            sums, rows = self._finished(statistic), self._public_rows(statistic)

            def draw() -> Seen:
                return {"values": sums + self._noise(statistic.scales(noise.law, noise.per_group)), "rows": rows}

            return len(sums), draw

        seen = self._step(f"measure {statistic.name}", (noise,), price_of(statistic, noise, self._unit), read)
        return Measurement(values=seen["values"], noise=noise, rows=seen["rows"])

    def measure_jointly(self, statistic: JointStatistic, noise: JointNoise) -> JointMeasurement:
        """The statistic's sums with noise that is shaped, group by group, like the changes one row can make.

        Its vectors are found by trial where a body has no shorter way, so they are drawn before the charge: they know
        nothing of the rows, nobody has seen them until they are added, and a search that ends early costs nothing.
        """
        bodies = [statistic.body(group, self._unit.open_relation) for group in range(statistic.groups)]

        def read() -> tuple[int, Callable[[], Seen]]:
            sums, rows = self._finished(statistic), self._public_rows(statistic)
            pairs = zip(bodies, noise.per_group, strict=True)
            drawn = np.concatenate([self._joint_noise(body, scale) for body, scale in pairs])
            return len(sums), lambda: {"values": sums + drawn, "rows": rows}

        price = joint_price(statistic, noise, self._unit)
        seen = self._step(f"measure {statistic.name} jointly", (noise,), price if price.amount else None, read)
        return JointMeasurement(values=seen["values"], rows=seen["rows"])

    def _joint_noise(self, body: Body, scale: Fraction) -> Sums:
        if not body.dimension:
            return np.zeros(body.length, dtype=np.int64)
        return joint_noise(body, scale, self._randomness)

    def count_rows(self, statistic: Statistic, scale: Fraction, law: Law) -> int:
        """The number of rows: exact where it is public, else with noise of the given scale (rows change it by 1)."""
        public = not self._unit.private_rows
        amount = law.price(Fraction(self._unit.rows) ** law.power, scale)
        price = None if public else Price(currency=law.currency, amount=amount)

        def read() -> tuple[int, Callable[[], Seen]]:
            exact = self._public_rows(statistic) or 0 if public else statistic.rows(self._sums(statistic))
            noise = CoordinateNoise(law=law, table=(scale,), index=np.zeros(1, dtype=np.int32))
            return 1, lambda: {"rows": exact if public else exact + int(self._noise(noise)[0])}

        return int(self._step("measure the number of rows", (law, scale), price, read)["rows"])

    def select(
        self, statistic: Statistic, reference: Sums, price: Price, *, among: NDArray[np.intp] | None = None
    ) -> int:
        """The block (nearly) farthest from a public reference, of those in `among` or of all.

        score = sum over the block of |sum - reference|; one person changes it by at most D = rows x block change.
        pure: permute-and-flip with exp(-epsilon (max - score) / 2D), epsilon-DP           [McKS20, Thm. 1]
        else: the exponential mechanism with `selection_epsilon` of the price, range-bounded
        """
        change = self._unit.most(statistic.block_change) * self._unit.rows

        def read() -> tuple[int, Callable[[], Seen]]:
            scores = self._distances(statistic, reference)
            scores = scores if among is None else scores[among]

            def draw() -> Seen:
                choose = permute_and_flip if price.currency == "pure" else exponential
                block = choose(scores, price.selection_epsilon / (2 * change), self._randomness)
                return {"found": int(block if among is None else among[block])}

            return 1, draw

        facts = (price, reference, among)
        return int(self._step(f"select from {statistic.name}", facts, price, read)["found"])

    def distances(self, statistic: Statistic, reference: Sums, scale: Fraction, law: Law) -> Sums:
        """How far each block is from a public reference (sum of absolute differences), all with the same noise.

        One person changes each of the B distances by at most D = rows x block change: epsilon = B D / b for
        Laplace noise, rho = B D^2 / (2 sigma^2) for Gaussian noise.
        """
        change = self._unit.most(statistic.block_change) * self._unit.rows
        starts = statistic.block_starts()
        blocks = len(reference) if starts is None else len(starts) - 1
        amount = law.price(blocks * Fraction(change) ** law.power, scale)
        price = Price(currency=law.currency, amount=amount)
        same = CoordinateNoise(law=law, table=(scale,), index=np.zeros(blocks, dtype=np.int32))

        def read() -> tuple[int, Callable[[], Seen]]:
            exact = self._distances(statistic, reference)
            return blocks, lambda: {"values": exact + self._noise(same)}

        seen = self._step(f"distances of {statistic.name}", (law, scale, reference), price, read)
        values: Sums = seen["values"]
        return values

    def watch(
        self, *, change: int, threshold: int, price: Price, crossings: int = 1, paid: int | None = None
    ) -> SparseVector:
        """Opens a series of `exceeds` questions that ends after `crossings` yes-answers; charged now.

        The questions may be about any statistics whose coordinates one row changes by at most `change` = D.
        Sparse vector: threshold noise b = D / e1 drawn once, comparison noise b = 2 c D / e2 drawn for each
        question, e1 : e2 = 1 : (2c)^(2/3), in total (e1 + e2)-DP                     [LyuSL17, Alg. 7, Thm. 4]
        All no-answers together cost e1 and every yes-answer e2 / c (the proof there), so that with `paid` only so
        many yes-answers are paid for now, and each further one by `extend`, before it can come.
        """
        if price.currency != "pure":
            raise BadPlan("a watch is priced in epsilon; in another budget it costs what that does")
        now = crossings if paid is None else paid
        if not 1 <= now <= crossings or change < 1:
            raise BadPlan(f"crossings and change must be at least 1, not {crossings} and {change}")
        if now < crossings and self._currency != "pure":
            # epsilon^2 / 2 of the whole is more than the sum of the parts' squares: one threshold serves them all.
            raise BadPlan("but for a pure epsilon a watch is paid for as a whole; open one for each crossing")
        first, second = sparse_vector_shares(price.amount, crossings)
        each = Price(currency="pure", amount=second / crossings)
        moved, drawn = change * self._unit.rows, list[int]()

        def draw() -> Seen:
            drawn.append(int(laplace(moved / first, 1, self._randomness)[0]))
            return {}  # the threshold is never released, nor kept: a watch that is recalled has none

        facts = (change, threshold, price, crossings, now)
        self._step("watch", facts, Price(currency="pure", amount=first + each.amount * now), lambda: (0, draw))
        noisy = threshold + drawn[0] if drawn else None
        return SparseVector(
            change, noisy, Fraction(2 * crossings * moved) / second, left=now, unpaid=crossings - now, each=each
        )

    def extend(self, watch: SparseVector) -> None:
        """Pays for one more yes-answer of a watch, of those it was opened for."""
        if watch.unpaid < 1:
            raise BadPlan("this watch has used its crossings; open another one")
        self._pay(watch.each, "watch on")
        watch.unpaid -= 1
        watch.left += 1

    def exceeds(self, watch: SparseVector, statistic: Statistic, reference: int, *, coordinate: int = 0) -> bool:
        """Whether |sum - reference| is (noisily) at least the watch's threshold. Its noise is used for nothing else."""
        if watch.left < 1:
            raise BadPlan("this watch has used its crossings; open another one")
        if self._unit.most(statistic.largest_change) > watch.change:
            raise BadPlan(f"{statistic.name} changes by more than the {watch.change} a row this watch was opened for")

        def read() -> tuple[int, Callable[[], Seen]]:
            value = abs(int(self._finished(statistic)[coordinate]) - reference)
            return 1, lambda: {"crossed": int(value + watch.draw(self._randomness) >= watch.secret)}

        crossed = bool(self._step(f"compare {statistic.name}", (reference, coordinate), None, read)["crossed"])
        watch.left -= crossed
        return crossed

    def reveal(self, attributes: Sequence[Attribute], *, scale: Fraction, threshold: int) -> Revealed:
        """Keys that nobody listed, with noisy counts of at least the threshold; priced by `reveal_price`."""

        def read() -> tuple[int, Callable[[], Seen]]:
            source = KeyCounts(attributes, bytes(self._randomness.bytes(2 * KEY_BYTES)))
            exact = self._total(source)
            rows = None if self._unit.private_rows else exact.rows()
            if rows == 0:
                raise BadData("the table has no rows; nothing was spent")
            return 0, lambda: self._revealed(source, exact, rows, scale=scale, threshold=threshold)

        facts = (scale, threshold, tuple(attribute.name for attribute in attributes))
        seen = self._step(f"reveal {KeyCounts.name}", facts, reveal_price(scale, threshold, self._unit), read)
        return Revealed(seen["keys"], seen["counts"], seen["rows"])

    def _revealed(self, source: KeyCounts, exact: Counts, rows: int | None, *, scale: Fraction, threshold: int) -> Seen:
        digests, noisy = keep_frequent(exact, scale=scale, threshold=threshold, randomness=self._randomness)
        texts = self._total(KeyTexts(source, *digests)) if len(noisy) else Texts()
        try:
            keys = [texts[pair] for pair in zip(*(half.tolist() for half in digests), strict=True)]
        except KeyError:
            raise BadData("the rows changed while they were read; what was charged stays spent") from None
        revealed = in_order(keys, noisy, rows)
        return {"keys": revealed.keys, "counts": revealed.counts, "rows": rows}

    def key_bytes(self, count: int) -> bytes:
        """Random bytes that may be published, for the key of a hash or a public choice; never made into noise."""

        def read() -> tuple[int, Callable[[], Seen]]:
            return count, lambda: {"bytes": bytes(self._randomness.bytes(count))}

        return bytes(self._step("public bytes", (count,), None, read)["bytes"])

    @contextmanager
    def paid(self, price: Price, what: str) -> Iterator[None]:
        """Charges several steps as one line of the ledger, before the first; what they leave unspent is forfeited."""
        self._pay(price, what)
        self._prepaid = price.into(self._currency).on_grid(up=True)
        try:
            yield
        finally:
            self._prepaid = None

    def _step(
        self,
        step: str,
        facts: tuple[object, ...],
        price: Price | None,
        read: Callable[[], tuple[int, Callable[[], Seen]]],
    ) -> Seen:
        """One step of the order above. `read` says how many numbers will come, and how they are drawn."""
        if price is not None:
            self._affordable(price)
        seen = self._journal.recall(step, facts)
        if seen is not None:
            if price is not None:
                self._pay(price, step)
            return seen
        numbers, draw = read()
        self._journal.make_room(numbers)
        if price is not None:
            self._pay(price, step)
        seen = draw()
        self._journal.keep(step, facts, seen)
        return seen

    def _noise(self, scales: CoordinateNoise) -> Sums:
        return sample(scales, self._randomness)

    def _affordable(self, price: Price) -> Price:
        price = price.into(self._currency).on_grid(up=True)
        left, delta = (self._left, self._delta) if (paid := self._prepaid) is None else (paid.amount, paid.delta)
        if price.amount > left:
            raise OverBudget(asked=price.amount, left=left, unit=UNIT_NAME[self._currency])
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
            finished = whole.to_coordinates(sums)
            self._remembered = (whole, sums, finished)
        return finished if statistic is whole else statistic.own_part(finished)

    def _public_rows(self, statistic: Statistic) -> int | None:
        """The number of rows where it is public; an empty table is refused there."""
        if self._unit.private_rows:
            return None
        rows = statistic.rows(self._sums(statistic))
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        return rows
