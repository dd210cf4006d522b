"""HashSketchModel: noisy buckets of a keyed hash, and a list of frequent values that was taken out of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ...maths.keys.siphash import KEY_BYTES
from ...maths.keys.sketches import Sketch
from ...questions.lists import KeyBatch
from ..reading import noise_scale, read_law
from .bucket_errors import BucketErrors
from .evaluation import Above, Evaluation
from .frequent import NONE, Frequent, frequent_parameters, read_frequent
from .key_columns import KeyColumns
from .keyed import KeyedModel

__all__ = ["HashSketchModel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class HashSketchModel(KeyedModel):
    """Answers lists of keys. With R = buckets - sketch of the frequent values F, a list Q of weights has

    answer = sum Q(x) F(x) + sum Q(x) sign(x) R[bucket(x)]

    The noise of F cancels: what the list takes out of the buckets it puts back. Unsigned, R is first centred, because
    every bucket holds 1/width of the remaining rows on average. All values are unbiased over the hash's key.
    """

    kind = "hash-sketch"
    domain: Domain
    columns: KeyColumns
    sketch: Sketch
    law: Law
    group_scales: tuple[Fraction, Fraction]
    """Noise of the number of rows (0 where it is public), then of each bucket."""
    sums: NDArray[np.int64]
    """The number of rows, then the buckets."""
    frequent: Frequent = NONE

    @property
    def rows(self) -> float:
        """The number of rows; a noisy one below 1 carries no information, and dividing by 1 keeps answers finite."""
        return max(float(self.sums[0]), 1.0)

    @property
    def rows_noise(self) -> Fraction:
        return self.group_scales[0]

    @cached_property
    def residual(self) -> NDArray[np.float64]:
        """What the buckets hold without the frequent values, centred where signs do not do that."""
        places = self.sketch.places(self.frequent.keys)
        left = self.sums[1:] - self.sketch.sums(places, self.frequent.counts)
        if self.sketch.signed:
            return left.astype(np.float64)
        width, rest = self.sketch.width, float(self.sums[0] - self.frequent.counts.sum())
        return (left.astype(np.float64) - rest / width) * (width / max(width - 1, 1))

    @cached_property
    def squares(self) -> float:
        """Estimate of the sum of squares of the counts that remain in the buckets: what collisions are made of."""
        width = self.sketch.width
        noise = width * self.law.discrete_variance(self.group_scales[1])
        # Centring takes the share 1/width of every square away.
        share = 1.0 if self.sketch.signed else 1 - 1 / width
        return max(0.0, float((self.residual**2).sum()) * share**2 - noise) / max(share, 0.5)

    @cached_property
    def bucket_errors(self) -> BucketErrors:
        """The law of the error of a sum of buckets."""
        return BucketErrors(self.residual, signed=self.sketch.signed)

    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        """Value and errors of each list, in rows."""
        places = self.sketch.places(flat.keys)
        sharing = flat.sharing(places.buckets, self.sketch.width)
        kept = self._kept(flat, places.buckets)
        weights = flat.weights * (kept >= 0) if rare_is_zero else flat.weights
        known = np.append(self.frequent.counts, 0)[kept]
        each = weights * (known + places.signs * self.residual[places.buckets])
        squared = weights * weights
        lengths = {2: flat.add_up(squared), 4: flat.add_up(squared * squared)}
        signed = weights[sharing] * places.signs[sharing]
        codes = (flat.numbers[sharing], places.buckets[sharing])
        spread = {power: lengths[power] + _together(codes, signed, power, len(flat)) for power in (2, 4)}
        variance = self.law.discrete_variance(self.group_scales[1])
        fourth = self.law.fourth(self.group_scales[1])
        noise = variance * spread[2]
        lost = self.lost(flat, kept if rare_is_zero else np.zeros_like(kept))
        listed = Law.LAPLACE.discrete_variance(self.frequent.scale)
        return Evaluation(
            value=flat.add_up(each),
            noise=np.sqrt(noise),
            collision=np.sqrt(self.squares / self.sketch.width * lengths[2]),
            bias=lost.bias,
            fourth=fourth * spread[4],
            values=None if rare_is_zero else lengths[2] ** 2 / np.maximum(lengths[4], 1e-300),
            above=Above(
                variance=noise + lost.limited * len(self.frequent.counts) * listed + lost.variance,
                fourth=fourth * spread[4]
                + lost.limited * len(self.frequent.counts) * Law.LAPLACE.discrete_fourth(self.frequent.scale)
                + lost.fourth,
                lean=lost.limited,
            ),
        )

    def _kept(self, flat: KeyBatch, buckets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each key stands among the frequent ones, -1 where it does not; few need a look."""
        import pyarrow as pa

        kept = np.full(len(buckets), -1, dtype=np.int64)
        taken = np.zeros(self.sketch.width, dtype=bool)
        taken[self.sketch.places(self.frequent.keys).buckets] = True
        near = np.flatnonzero(taken[buckets])
        kept[near] = self.frequent.find(flat.keys.take(pa.array(near)))
        return kept

    def too_long(self, flat: KeyBatch) -> bool:
        """Whether some list fills so many buckets that its own values often share one."""
        return bool((np.diff(flat.starts) > self.sketch.width / 10).any())

    def parameters(self) -> dict[str, Any]:
        return {
            **self.columns.parameters(),
            "key": self.sketch.key.hex(),
            "buckets": self.sketch.width,
            "signed": self.sketch.signed,
            "law": self.law,
            "group_scales": [str(s) for s in self.group_scales],
            **frequent_parameters(self.frequent),
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"sums": self.sums, "frequent": self.frequent.counts}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"sums": 1 + int(parameters["buckets"]), "frequent": len(parameters["frequent"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> HashSketchModel:
        law = read_law(parameters["law"])
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        key = bytes.fromhex(parameters["key"])
        if len(scales) != 2 or min(scales) < 0 or len(key) != KEY_BYTES:
            raise BadSynopsis("the synopsis has noise or a key that makes no sense")
        columns = KeyColumns.read(domain, parameters)
        return cls(
            domain=domain,
            columns=columns,
            sketch=Sketch(key, int(parameters["buckets"]), bool(parameters["signed"])),
            law=law,
            group_scales=(scales[0], scales[1]),
            sums=numbers["sums"],
            frequent=read_frequent(parameters, numbers["frequent"], len(columns.attributes)),
        )


def _together(
    codes: tuple[NDArray[np.int64], NDArray[np.int64]], signed: NDArray[np.float64], power: int, lists: int
) -> NDArray[np.float64]:
    """What keys that share a bucket add to a list's sum of (weight in a bucket)^power beyond their own powers."""
    more = np.zeros(lists)
    if not signed.size:
        return more
    order = np.lexsort(codes[::-1])
    number, bucket, weight = codes[0][order], codes[1][order], signed[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(number) != 0) | (np.diff(bucket) != 0)])
    joint = np.add.reduceat(weight, starts) ** power - np.add.reduceat(np.abs(weight) ** power, starts)
    np.add.at(more, number[starts], joint)
    return more
