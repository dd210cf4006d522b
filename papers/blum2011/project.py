"""SparseProject as published (Algorithm 2), dense and in floating point. Not private: an oracle to compare with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Projection", "laplace_scale", "signs"]

PRIME = 2**31 - 1


def laplace_scale(epsilon: float, delta: float) -> float:
    """The published noise of one coordinate, for rows that are added or removed; replaced rows need twice as much."""
    return float(np.sqrt(8 * np.log(1 / delta)) / epsilon)


def signs(count: int, height: int, seed: int, independence: int = 4) -> NDArray[np.float64]:
    """The columns A_x of the projection: `height` entries of +-1/sqrt(height) for each of `count` values.

    The sign of (i, x) is the lowest bit of a random polynomial over the integers modulo 2^31 - 1, so any
    `independence` of them are (all but exactly) independent and fair.
    """
    coefficients = np.random.default_rng(seed).integers(1, PRIME, independence).astype(np.uint64)
    points = np.arange(count * height, dtype=np.uint64).reshape(count, height)
    total = np.zeros_like(points)
    for c in coefficients:
        total = (total * points + c) % np.uint64(PRIME)
    return np.ascontiguousarray((1 - 2 * (total % np.uint64(2)).astype(np.float64)).T / np.sqrt(height))


@dataclass(frozen=True, eq=False)
class Projection:
    """What SparseProject publishes, with what is needed to read it."""

    columns: NDArray[np.float64]
    """A_x for every value that will be asked about."""
    published: NDArray[np.float64]
    """A D and noise."""

    @classmethod
    def of(cls, columns: NDArray[np.float64], counts: NDArray[np.int64], scale: float, seed: int) -> Projection:
        """Projects counts and adds Laplace noise."""
        noise = np.random.default_rng(seed).laplace(0, scale, len(columns))
        return cls(columns, columns @ counts + noise)

    def values(self) -> NDArray[np.float64]:
        """<A_x, published> for every value; a list's answer is the sum over its values."""
        return self.columns.T @ self.published
