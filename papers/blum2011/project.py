"""SparseProject as published (Algorithm 2): its signs, and its noise in floating point. Not private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushtable.maths.keys.projection import Projection, independence_for, key_length

__all__ = ["Projected", "laplace_scale", "signs"]

# k and beta of Algorithm 2.
LISTS, FAILURE = 10_000, 0.05


def laplace_scale(epsilon: float, delta: float) -> float:
    """The published noise of one coordinate, for rows that are added or removed; replaced rows need twice as much."""
    return float(np.sqrt(8 * np.log(1 / delta)) / epsilon)


def signs(count: int, height: int, seed: int) -> NDArray[np.float64]:
    """The columns A_x of the projection: `height` entries of +-1/sqrt(height) for each of `count` values.

    Those of the mechanism sparse-project, of which any 2 log2(k T / (2 beta)) are independent.
    """
    independence = independence_for(LISTS, height, FAILURE)
    made = Projection(np.random.default_rng(seed).bytes(key_length(independence)), height)
    one = np.ones(1, dtype=np.int64)
    columns = [made.sums(np.array([x], dtype=np.uint64), one) for x in range(count)]
    return np.ascontiguousarray(np.array(columns, dtype=np.float64).T / np.sqrt(height))


@dataclass(frozen=True, eq=False)
class Projected:
    """What SparseProject publishes, with what is needed to read it."""

    columns: NDArray[np.float64]
    """A_x for every value that will be asked about."""
    published: NDArray[np.float64]
    """A D and noise."""

    @classmethod
    def of(cls, columns: NDArray[np.float64], counts: NDArray[np.int64], scale: float, seed: int) -> Projected:
        """Projects counts and adds Laplace noise."""
        noise = np.random.default_rng(seed).laplace(0, scale, len(columns))
        return cls(columns, columns @ counts + noise)

    def values(self) -> NDArray[np.float64]:
        """<A_x, published> for every value; a list's answer is the sum over its values."""
        return self.columns.T @ self.published
