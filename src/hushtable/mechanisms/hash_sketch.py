"""Hash sketch: noise on the buckets of a keyed hash, after a list of frequent values has been taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

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
from ..vault.door.noise import Noise
from ..vault.statistics.hash_sums import HashSums
from ..words import counted
from .base import Design, Forecast, Mechanism, of_kind

if TYPE_CHECKING:
    from ..vault.door.door import Door
    from ..vault.door.reveal import Revealed

__all__ = ["HashSketch", "forecast_sizes", "frequent_of", "rows_and_rest"]

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


class HashSketch(Mechanism[Sizes]):
    """A signed random hash of every key to one of W buckets [ChaCF04] replaces the published projection to T
    coordinates [BluR11, Alg. 2]: the same error, sqrt(m (noise + F2 / W)) for a list of m keys, at 1/T of the work
    and with a sensitivity that no hash can exceed. F2, the sum of squared counts, is made small by first taking out
    frequent values found with a threshold [KorKMN09].
    """

    name = "hash-sketch"
    source = "BluR11"
    answers = (KeyWorkload,)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[Sizes]:
        workload.check(domain)
        asked = of_kind(workload, KeyWorkload)  # type: ignore[type-abstract]
        unit = domain.unit
        law = Law.of(price)
        # Where signs would double the change of a bucket (Gaussian, replaced rows) the sketch goes without them.
        signed = law == Law.LAPLACE or unit.private_rows
        on_list = _list_share(price) * price.amount
        spent = Price(currency=price.currency, amount=price.amount - on_list).on_grid(up=False)
        scale, threshold = _list_noise(on_list, price.delta, unit)
        statistic = HashSums(asked.attributes(domain), Sketch(ANY_KEY, 2, signed))
        noise = Noise.sharing(spent, statistic, unit, rows_and_rest(unit))
        variance = law.variance(noise.per_group[1])
        # No value left in the buckets is likely to be more frequent than this.
        most = None if rows is None else rows * (threshold + 5 * float(scale) if scale else rows)
        width = asked.buckets or _width(variance, most, asked.largest, listed=bool(scale))
        sizes = Sizes(asked.attributes(domain), getattr(asked, "free", None), width, signed, noise, scale, threshold)
        first = f"a list of values with at least {threshold:,} noisy rows, then " if scale else ""
        signs = "signed" if signed else "unsigned"
        return Design(
            by=self,
            summary=f"{first}{counted(width, f'{signs} bucket')} of a keyed hash with {law.noise}",
            price=price,
            numbers=width + 1,
            parameters=sizes,
            memory=150_000_000 + 48 * width + (0 if rows is None or not scale else 100 * rows),
            forecasts=forecast_sizes(asked.largest, variance, 0.0 if most is None else most / width),
            work=1e6 * (SECONDS_PER_ROW + (SECONDS_PER_COUNT if scale else 0)),
            words=("values", "lists", "noise alone", "and collisions"),
        )

    def release(self, door: Door, domain: Domain, design: Design[Sizes]) -> HashSketchModel:
        sizes = design.parameters
        rows_scale, bucket_scale = sizes.noise.per_group
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
            group_scales=(rows_scale, bucket_scale),
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
    scale = unit.moved / Price(currency="pure", amount=epsilon).on_grid(up=False).amount
    return scale, threshold_for(scale, delta, unit)


def rows_and_rest(unit: Unit) -> tuple[Fraction, Fraction]:
    """Shares of a budget: the number of rows where it is private, and all else."""
    return (ROWS_SHARE, 1 - ROWS_SHARE) if unit.private_rows else (Fraction(0), Fraction(1))


def _width(variance: float, most: float | None, largest: int, *, listed: bool) -> int:
    """So wide that collisions add at most a quarter to the noise, and a list takes at most 1/16 of the buckets.

    `most` bounds the sum of squared counts that can collide, without a look at the data.
    """
    wide = WIDE_WITH_LIST if listed else WIDE_WITHOUT
    wanted = wide if most is None else min(wide, max(NARROW, math.ceil(4 * most / variance)))
    wanted = max(wanted, min(16 * largest, WIDE_WITHOUT))
    return 1 << (int(np.ceil(wanted)) - 1).bit_length()
