"""HashSketchModel: noisy buckets of a keyed hash, and a list of frequent values that was taken out of them."""

from __future__ import annotations

from dataclasses import dataclass
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
from .bucket_errors import BucketErrors
from .evaluation import Above, Evaluation
from .frequent import frequent_parameters, read_frequent
from .noisy_sums import NoisySums

__all__ = ["HashSketchModel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class HashSketchModel(NoisySums):
    """Answers lists of keys. With R = buckets - sketch of the frequent values F, a list Q of weights has

    answer = sum Q(x) F(x) + sum Q(x) sign(x) R[bucket(x)]

    The noise of F cancels: what the list takes out of the buckets it puts back. Unsigned, R is first centred, because
    every bucket holds 1/width of the remaining rows on average. All values are unbiased over the hash's key.
    """

    kind = "hash-sketch"
    sketch: Sketch
    """Each of the sums is one of its buckets."""

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

    @property
    def shape(self) -> dict[str, Any]:
        return {"key": self.sketch.key.hex(), "buckets": self.sketch.width, "signed": self.sketch.signed}

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | frequent_parameters(self.frequent)

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return super().numbers() | {"frequent": self.frequent.counts}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"sums": 1 + int(parameters["buckets"]), "frequent": len(parameters["frequent"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> HashSketchModel:
        key = bytes.fromhex(parameters["key"])
        if len(key) != KEY_BYTES:
            raise BadSynopsis("the synopsis has a key that makes no sense")
        shared = cls.read(domain, parameters, numbers)
        sketch = Sketch(key, int(parameters["buckets"]), bool(parameters["signed"]))
        frequent = read_frequent(parameters, numbers["frequent"], len(shared["columns"].attributes))
        return cls(sketch=sketch, frequent=frequent, **shared)


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
