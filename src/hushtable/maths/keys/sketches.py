"""Sketches: where a key stands in an array of buckets, and with which sign. Public: rows and questions share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .siphash import digests

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Places", "Sketch"]


@dataclass(frozen=True, eq=False)
class Places:
    """The bucket and the sign (+1 or -1) of some keys."""

    buckets: NDArray[np.int64]
    signs: NDArray[np.int64]


@dataclass(frozen=True)
class Sketch:
    """A hash of keys to `width` buckets, a power of two: the low bits say where, the top bit with which sign.

    Signed, the errors that other keys in a bucket make cancel on average [ChaCF04]; unsigned, they are all positive
    and their mean is subtracted.
    """

    key: bytes
    width: int
    signed: bool

    def __post_init__(self) -> None:
        if not 1 <= self.width <= 2**32 or self.width & (self.width - 1):
            raise ValueError(f"a sketch has a power of two of buckets, not {self.width}")

    def places(self, keys: pa.Array) -> Places:
        """Where the keys (a binary array without nulls) stand."""
        hashed = digests(self.key, keys)
        buckets = (hashed & np.uint64(self.width - 1)).view(np.int64)
        if not self.signed:
            return Places(buckets, np.ones(len(hashed), dtype=np.int64))
        # The top bit as the sign of a number: shifted down with its sign it is 0 or -1.
        return Places(buckets, 1 + 2 * (hashed.view(np.int64) >> 63))

    def sums(self, places: Places, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The signed sum in every bucket of the weights, or of 1 each."""
        out = np.zeros(self.width, dtype=np.int64)
        np.add.at(out, places.buckets, places.signs if weights is None else places.signs * weights)
        return out
