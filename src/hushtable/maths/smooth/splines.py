"""Splines: cubic B-splines on even knots, non-negative functions that sum to 1 and overlap four at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .basis import Basis

__all__ = ["DEGREE", "SplineBasis", "default_size", "spline_basis"]

Floats = NDArray[np.float64]
DEGREE = 3
LEAST_SIZE = DEGREE + 1
# Points between two knots on which functions are compared: with five, what lies between them is bounded by the
# fifth derivative, which for features as wide as two knots is far below the noise.
NODES = 5
# Points a certificate looks at between two knots, first and last.
DENSE = (8, 20)
MOST_DENSE = 20_000_000


def default_size(length_scale: float) -> int:
    """Functions a column so that a feature of this width (of a range of 2) is resolved: 28 at 0.1, 16 at 0.2."""
    return max(LEAST_SIZE, math.ceil(2 / (0.8 * length_scale)) + DEGREE)


@cache
def spline_basis(size: int, nodes: int = NODES) -> SplineBasis:
    """Kept, because the matrices take longer to make than a question to answer."""
    return SplineBasis(size, nodes)


class SplineBasis(Basis):
    """`size` cubic B-splines on [-1, 1]: `spans` pieces of equal length, knots at the ends repeated [Boo78]."""

    def __init__(self, size: int, nodes: int = NODES) -> None:
        self.size, self.spans, self.nodes = size, size - DEGREE, nodes
        local = _chebyshev_points(nodes)
        ends = np.linspace(-1, 1, self.spans + 1)
        self.step = 2 / self.spans
        self.points = (ends[:-1, None] + self.step * (local + 1) / 2).ravel()
        self.values = self.at(self.points)
        self.project = np.asarray(np.linalg.pinv(self.values), dtype=np.float64)
        self.constant, self.absent = np.ones(size), np.zeros(size)

    @cached_property
    def pieces(self) -> Floats:
        """Entry (span, function, power): the four functions that live on a span, in u = 0 to 1 along it."""
        knots = np.concatenate([np.zeros(DEGREE), np.arange(self.spans + 1), np.full(DEGREE, self.spans)])
        pieces = np.zeros((self.spans, 1, 1))
        pieces[:, 0, 0] = 1.0
        for degree in range(1, DEGREE + 1):
            higher = np.zeros((self.spans, degree + 1, degree + 1))
            for span, i in product(range(self.spans), range(degree)):
                # Function i of the lower degree starts at this knot [Boo78, the recurrence of B-splines].
                first = span + DEGREE - degree + 1 + i
                low, high = knots[first], knots[first + degree]
                up = np.append(pieces[span, i] * (span - low), 0) + np.append(0, pieces[span, i])
                higher[span, i + 1] += up / (high - low)
                higher[span, i] += (np.append(pieces[span, i], 0) * (high - low) - up) / (high - low)
            pieces = higher
        return pieces

    def at(self, x: Floats) -> Floats:
        """Matrix (points, size): every function at some points."""
        place = np.clip((x + 1) / self.step, 0, self.spans)
        span = np.minimum(place.astype(np.int64), self.spans - 1)
        powers = (place - span)[:, None] ** np.arange(DEGREE + 1)
        four = np.einsum("ijk,ik->ij", self.pieces[span], powers)
        out = np.zeros((len(x), self.size))
        np.put_along_axis(out, span[:, None] + np.arange(DEGREE + 1), four, axis=1)
        return out

    @property
    def order(self) -> int:
        return self.nodes

    def remainder(self, derivatives: Sequence[float]) -> float:
        """Between knots p is a cubic, so that interpolation at the nodes changes f - p only as it does f.

        |f - p| <= |I(f - p)| + |f - If|, with I the interpolation on one box between knots. The first is `between`;
        the second, axis by axis, is at most (step / 2)^k 2^(1-k) |d^k f / dx^k| / k!, times Lebesgue's constant for
        each axis already interpolated.
        """
        grow, reach = _lebesgue(self.nodes), (self.step / 2) ** self.nodes * 2.0 ** (1 - self.nodes)
        return sum(grow**i * reach * r for i, r in enumerate(sorted(derivatives, reverse=True)))

    def between(self, function: Floats, error: Floats, *, top: float, negligible: float = 0.0) -> float:
        """Polynomials through the nodes, box by box, bounded by their values on a denser grid [EhlZ64]."""
        bound = _lebesgue(self.nodes) ** error.ndim * top
        return bound if bound <= negligible else self._denser(error, top, negligible)

    def _denser(self, error: Floats, top: float, negligible: float) -> float:
        d = error.ndim
        shape = [part for _ in range(d) for part in (self.spans, self.nodes)]
        order = [*range(1, 2 * d, 2), *range(0, 2 * d, 2)]
        # Entry (node, ..., node, box): the boxes last, so that every step below is a product of matrices.
        boxes = error.reshape(shape).transpose(order).reshape(self.nodes**d, -1)
        reached, grow = np.abs(boxes).max(axis=0), _lebesgue(self.nodes)
        bound = grow**d * top
        for count in DENSE:
            # A box that cannot beat the largest value seen, whatever lies between its points, is not looked at again.
            boxes = boxes[:, reached * grow**d > top]
            if boxes.shape[1] * count**d > MOST_DENSE:
                break
            dense = boxes
            for axis in range(d):
                dense = _upsample(self.nodes, count) @ dense.reshape(count**axis, self.nodes, -1)
            reached = np.abs(dense).reshape(count**d, -1).max(axis=0, initial=0.0)
            most = float(reached.max(initial=0.0))
            top = max(top, most)
            grow = 1 / math.cos(math.pi * (self.nodes - 1) / (2 * count))
            bound = max(top, grow**d * most)
            if bound <= negligible:
                break
        return bound


def _chebyshev_points(count: int) -> Floats:
    """Ascending zeros of Chebyshev's polynomial."""
    return -np.cos((np.arange(count) + 0.5) * np.pi / count)


@cache
def _upsample(nodes: int, count: int) -> Floats:
    """Matrix (count, nodes): from values at the nodes to those of their polynomial on a denser grid."""
    vandermonde = np.polynomial.chebyshev.chebvander
    return np.asarray(
        vandermonde(_chebyshev_points(count), nodes - 1)
        @ np.linalg.inv(vandermonde(_chebyshev_points(nodes), nodes - 1))
    )


@cache
def _lebesgue(nodes: int) -> float:
    """How much larger than its values at the nodes an interpolating polynomial can be [Riv74]."""
    odd = (2 * np.arange(1, nodes + 1) - 1) * np.pi / (4 * nodes)
    return float(np.sum(1 / np.tan(odd)) / nodes)
