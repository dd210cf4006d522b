"""Hash sketch: noise on the buckets of a keyed hash, after a list of frequent values has been taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from ..budget import Price, Unit
from ..domain import Domain
from ..domain.attributes import Attribute
from ..laws import Law
from ..maths.keys.keys import texts_of
from ..maths.keys.siphash import KEY_BYTES
from ..maths.keys.sketches import Sketch
from ..models.keyed.frequent import NONE, Frequent
from ..models.keyed.hash_sketch import HashSketchModel
from ..models.keyed.key_columns import KeyColumns
from ..questions.workloads.base import Workload
from ..questions.workloads.sparse import KeyWorkload
from ..vault.statistics.hash_sums import HashSums
from ..words import counted
from .allocation import round_up
from .base import Design, Forecast, Mechanism

if TYPE_CHECKING:
    from ..vault.door.door import Door, Noise
    from ..vault.door.reveal import Revealed

__all__ = ["HashSketch", "forecast_sizes", "frequent_of"]

# Of epsilon, for the list of frequent values: it needs little, and collisions with frequent values are the worst.
LIST_SHARE, LIST_SHARE_SMALL, SMALL = Fraction(1, 10), Fraction(1, 20), Fraction(1, 5)
# Of the sketch's budget, for the number of rows where it is private.
ROWS_SHARE = Fraction(1, 50)
NARROW, WIDE_WITH_LIST, WIDE_WITHOUT = 2**12, 2**20, 2**22
ANY_KEY = bytes(KEY_BYTES)
# Measured: hashing and adding one row, and counting its value, seconds on one core.
SECONDS_PER_ROW, SECONDS_PER_COUNT = 4e-7, 6e-7


@dataclass(frozen=True)
class Sizes:
    """What was decided: the sketch but for its key, the noise, and the list's noise and threshold if there is one."""

    attributes: tuple[Attribute, ...]
    free: int | None
    width: int
    signed: bool
    noise: Noise
    list_scale: Fraction
    threshold: int


class HashSketch(Mechanism):
    """A signed random hash of every key to one of W buckets [ChaCF04] replaces the published projection to T
    coordinates [BluR11, Alg. 2]: the same error, sqrt(m (noise + F2 / W)) for a list of m keys, at 1/T of the work
    and with a sensitivity that no hash can exceed. F2, the sum of squared counts, is made small by first taking out
    frequent values found with a threshold [KorKMN09].
    """

    name = "hash-sketch"
    source = "BluR11"

    def suits(self, workload: Workload) -> bool:
        """Lists of keys."""
        return isinstance(workload, KeyWorkload)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design:
        workload.check(domain)
        asked = cast(KeyWorkload, workload)
        unit = domain.unit
        law = Law.of(price)
        # Where signs would double the change of a bucket (Gaussian, replaced rows) the sketch goes without them.
        signed = law == Law.LAPLACE or unit.neighbours == "add-remove"
        on_list = _list_share(price) * price.amount
        spent = Price(currency=price.currency, amount=price.amount - on_list).on_grid(up=False)
        scale, threshold = _list_noise(on_list, price.delta, unit)
        noise = _bucket_noise(asked.attributes(domain), law, unit, spent, signed=signed)
        variance = float(noise.per_group[1]) if law == Law.GAUSSIAN else 2 * float(noise.per_group[1]) ** 2
        # No value left in the buckets is likely to be more frequent than this.
        most = None if rows is None else rows * (threshold + 5 * float(scale) if scale else rows)
        width = asked.buckets or _width(variance, most, asked.largest, listed=bool(scale))
        sizes = Sizes(asked.attributes(domain), getattr(asked, "free", None), width, signed, noise, scale, threshold)
        found = f"a list of values with at least {threshold:,} noisy rows, then " if scale else ""
        signs = "signed" if signed else "unsigned"
        return Design(
            mechanism=self.name,
            summary=f"{found}{counted(width, f'{signs} bucket')} of a keyed hash with discrete {law.title()} noise",
            price=price,
            numbers=width + 1,
            parameters=sizes,
            memory=150_000_000 + 48 * width + (0 if rows is None or not scale else 100 * rows),
            forecasts=forecast_sizes(asked.largest, variance, 0.0 if most is None else most / width),
            work=1e6 * (SECONDS_PER_ROW + (SECONDS_PER_COUNT if scale else 0)),
            words=("values", "lists", "noise alone", "and collisions"),
        )

    def release(self, door: Door, domain: Domain, design: Design) -> HashSketchModel:
        sizes: Sizes = design.parameters
        frequent = NONE
        if sizes.list_scale:
            seen = door.reveal(sizes.attributes, scale=sizes.list_scale, threshold=sizes.threshold)
            frequent = frequent_of(seen, sizes.list_scale, sizes.threshold)
        sketch = Sketch(door.key_bytes(KEY_BYTES), sizes.width, sizes.signed)
        sums = door.measure(HashSums(sizes.attributes, sketch), sizes.noise)
        return HashSketchModel(
            domain=domain,
            columns=KeyColumns(sizes.attributes, sizes.free),
            sketch=sketch,
            law=sizes.noise.law,
            group_scales=cast(tuple[Fraction, Fraction], sizes.noise.per_group),
            sums=sums.values,
            frequent=frequent,
        )


def frequent_of(seen: Revealed, scale: Fraction, threshold: int) -> Frequent:
    """What was revealed, as a model keeps it."""
    texts = tuple(tuple(texts_of(key)) for key in seen.keys)
    return Frequent(scale=scale, threshold=threshold, texts=texts, counts=seen.counts)


def forecast_sizes(largest: int, variance: float, collisions: float) -> tuple[Forecast, ...]:
    """Errors of lists of 1, 10, 100, ... values: by noise, and with collisions as bad as they are likely to be."""
    sizes = [10**i for i in range(8) if 10**i < largest] + [largest]
    return tuple(
        Forecast(width=m, tables=1, typical=math.sqrt(m * variance), worst=math.sqrt(m * (variance + collisions)))
        for m in sizes
    )


def _list_share(price: Price) -> Fraction:
    if price.currency != "pure" or price.delta == 0:
        return Fraction(0)  # a threshold needs a delta
    return LIST_SHARE if price.amount > SMALL else LIST_SHARE_SMALL


def _list_noise(epsilon: Fraction, delta: Fraction, unit: Unit) -> tuple[Fraction, int]:
    from ..vault.door.reveal import threshold_for

    if not epsilon:
        return Fraction(0), 0
    moved = unit.rows * (1 if unit.neighbours == "add-remove" else 2)
    scale = moved / Price(currency="pure", amount=epsilon).on_grid(up=False).amount
    return scale, threshold_for(scale, delta, unit)


def _bucket_noise(attributes: tuple[Attribute, ...], law: Law, unit: Unit, price: Price, *, signed: bool) -> Noise:
    """One scale for all buckets, and one for the number of rows where it is private."""
    from ..vault.door.door import Noise, price_of

    statistic = HashSums(attributes, Sketch(ANY_KEY, 2, signed))
    private = unit.neighbours == "add-remove"
    shares = (ROWS_SHARE, 1 - ROWS_SHARE) if private else (Fraction(0), Fraction(1))
    scales = []
    for group, share in enumerate(shares):
        alone = Noise(law=law, per_group=tuple(Fraction(int(g == group)) for g in range(2)))
        at_one = _price_alone(statistic, alone, unit) if share else Fraction(0)
        scales.append(round_up(at_one / (price.amount * share)) if share else Fraction(0))
    noise = Noise(law=law, per_group=tuple(scales))
    assert price_of(statistic, noise, unit).amount <= price.amount
    return noise


def _price_alone(statistic: HashSums, noise: Noise, unit: Unit) -> Fraction:
    """What noise of scale 1 on one group would cost if the other were free."""
    power = 2 if noise.law == Law.GAUSSIAN else 1
    weights = [scale / 2 if power == 2 else scale for scale in noise.per_group]
    return statistic.sensitivity(power=power, weights=weights, neighbours=unit.neighbours) * Fraction(unit.rows**power)


def _width(variance: float, most: float | None, largest: int, *, listed: bool) -> int:
    """So wide that collisions add at most a quarter to the noise, and a list takes at most 1/16 of the buckets.

    `most` bounds the sum of squared counts that can collide, without a look at the data.
    """
    wide = WIDE_WITH_LIST if listed else WIDE_WITHOUT
    wanted = wide if most is None else min(wide, max(NARROW, math.ceil(4 * most / variance)))
    wanted = max(wanted, min(16 * largest, WIDE_WITHOUT))
    return 1 << (int(np.ceil(wanted)) - 1).bit_length()
