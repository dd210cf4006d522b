"""Projections: random signs for every key, any few of them independent. Public: rows and questions share them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .siphash import KEY_BYTES, digests

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST_HEIGHT", "PRIME", "Projection", "independence_for", "key_length", "published_height"]

PRIME = 2**61 - 1
# A point of the field is a coordinate, then this many bits of a key's digest.
DIGEST_BITS = 40
MOST_HEIGHT = 2**20
COEFFICIENT_BYTES = 8


def independence_for(lists: int, height: int, failure: float) -> int:
    """2 log2(k T / (2 beta)), even: how many signs must be independent [BluR11, Alg. 2]."""
    return 2 * max(1, math.ceil(math.log2(lists * height / (2 * failure))))


def published_height(rows: int, largest: int, lists: int, failure: float) -> float:
    """T as printed: 4 x 64^2 log(1 / tau) (m + n^2)^2 / (2 sqrt(m)), tau = beta / 4k [BluR11, Alg. 2]."""
    return 4 * 64**2 * math.log(4 * lists / failure) * (largest + rows**2) ** 2 / (2 * math.sqrt(largest))


def key_length(independence: int) -> int:
    """Bytes of a published key: that of the digest, then one coefficient for each independent sign."""
    return KEY_BYTES + COEFFICIENT_BYTES * independence


@dataclass(frozen=True)
class Projection:
    """The sign of (coordinate, key) is the lowest bit of a random polynomial over the integers modulo 2^61 - 1.

    A polynomial of degree r - 1 takes any r points to independent, even values [BluR11, Rem. 4.4]; a key stands there
    by 40 bits of a keyed digest, which two of a million keys share with a chance of about 1/3 and two of ten thousand
    with one of 1/22,000. An odd prime leaves a sign a bias of 2^-61.
    """

    key: bytes
    height: int

    def __post_init__(self) -> None:
        if (
            not 1 <= self.height <= MOST_HEIGHT
            or self.independence < 1
            or key_length(self.independence) != len(self.key)
        ):
            raise ValueError("a projection has a height and a key with a coefficient for each independent sign")

    @property
    def independence(self) -> int:
        """How many signs are independent."""
        return (len(self.key) - KEY_BYTES) // COEFFICIENT_BYTES

    @cached_property
    def coefficients(self) -> NDArray[np.uint64]:
        """Of the polynomial, the highest degree first."""
        given = np.frombuffer(self.key[KEY_BYTES:], dtype="<u8")
        return np.asarray((given & np.uint64(PRIME)) % np.uint64(PRIME), dtype=np.uint64)

    def digests(self, keys: pa.Array) -> NDArray[np.uint64]:
        """Where keys stand."""
        return digests(self.key[:KEY_BYTES], keys) >> np.uint64(64 - DIGEST_BITS)

    def sums(self, points: NDArray[np.uint64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum over keys of weight x sign in every coordinate."""
        from .projection_kernel import add_signs

        out = np.zeros(self.height, dtype=np.int64)
        add_signs(points, weights, self.coefficients, DIGEST_BITS, out)
        return out

    def lists(
        self, points: NDArray[np.uint64], weights: NDArray[np.float64], starts: NDArray[np.int64],
        numbers: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        """For every list q = sum of weight x signs: its product with some numbers, its sums of q^2 and of q^4."""
        from .projection_kernel import project_lists

        out = np.zeros((3, len(starts) - 1))
        project_lists(points, weights, starts, self.coefficients, DIGEST_BITS, numbers, out)
        return out
