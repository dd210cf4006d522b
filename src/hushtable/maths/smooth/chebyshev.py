"""Chebyshev polynomials: the even cosine basis, its decaying weights, and how far apart two rows can be in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from .basis import Basis, along
from .sparse_grid import level_of

__all__ = [
    "WEIGHT_UNIT",
    "ChebyshevBasis",
    "chebyshev_basis",
    "decaying",
    "default_degrees",
    "jackson",
    "jackson_folds",
    "lowest",
    "spread_squared",
]

Floats = NDArray[np.float64]
# Which derivative a certificate uses: high enough that the grid resolves what a release resolves.
ORDER = 8
# Squared weights of sums are whole multiples of 1 / WEIGHT_UNIT.
WEIGHT_UNIT = 2**40


def default_degrees(length_scale: float) -> int:
    """Degrees 0, ..., t - 1 a column so that a feature of this width (of a range of 2) is resolved."""
    return max(2, math.ceil(4 / length_scale))


@cache
def chebyshev_basis(size: int, d: int, smoothness: int | None = None, level: int | None = None) -> ChebyshevBasis:
    """Kept, because the matrices take longer to make than a question to answer."""
    return ChebyshevBasis(size, d, smoothness, level)


class ChebyshevBasis(Basis):
    """T_m(x) = cos(m arccos x) for m < size, and the projection in the Chebyshev measure.

    With a `smoothness` K the projection is damped into the Jackson operator of the source, which has a larger bias
    for no less noise; it is kept for comparison [WanFZW13, Sec. 4]. With a `level` only the combinations of a sparse
    grid are there, and a function loses the others.
    """

    def __init__(self, size: int, d: int, smoothness: int | None = None, level: int | None = None) -> None:
        self.size, self.smoothness = size, smoothness
        self.lost = None if level is None or d < 2 else _beyond(size, d, level)
        self.count = max(4 * size, 96) if d <= 2 else max(3 * size, 40) if d == 3 else max(2 * size, 24)
        angles = (np.arange(self.count) + 0.5) * np.pi / self.count
        self.points = np.cos(angles)
        cosines = np.cos(np.outer(np.arange(size), angles))
        self.values = cosines.T
        self.project = cosines * np.where(np.arange(size) == 0, 1, 2)[:, None] / self.count
        if smoothness is not None:
            self.project = self.project * jackson(size, smoothness)[:, None]
        self.constant = (np.arange(size) == 0).astype(np.float64)
        # T_0 is 1 for missing rows too, so that it counts all rows; the other polynomials are 0 for them.
        self.absent = -self.constant

    def fit(self, function: Floats) -> Floats:
        fitted = super().fit(function)
        return fitted if self.lost is None else np.where(self.lost, 0.0, fitted)

    def at(self, x: Floats) -> Floats:
        """Matrix (points, size): every function at some points."""
        return np.cos(np.arccos(np.clip(x, -1, 1))[:, None] * np.arange(self.size))

    @property
    def order(self) -> int:
        return ORDER

    def remainder(self, derivatives: Sequence[float]) -> float:
        """f is compared with its interpolation f_N on the grid.

        |f - f_N| <= (1 + L) (pi/2)^k / C(N, k) |d^k f / dx^k| / k! along one axis, L Lebesgue's constant [Riv74].
        """
        lebesgue = self._lebesgue
        reach = (1 + lebesgue) * (math.pi / 2) ** ORDER / comb(self.count, ORDER)
        return sum(lebesgue**i * reach * r for i, r in enumerate(sorted(derivatives, reverse=True)))

    @property
    def _lebesgue(self) -> float:
        return 2 / math.pi * math.log(self.count) + 1

    def between(self, function: Floats, error: Floats, *, top: float, negligible: float = 0.0) -> float:
        """f_N - p has known cosine coefficients.

        What is left without the degrees >= N/3 is bounded by its values on the grid [EhlZ64], and those degrees by the
        sum of their coefficients.
        """
        d, bound = function.ndim, self._lebesgue**function.ndim * top
        if bound <= negligible:
            return bound
        cut = max(self.size, self.count // 3)
        spectrum = np.abs(_cosine_transform(function))
        high = float(spectrum.sum() - spectrum[(slice(cut),) * d].sum())
        return high + (top + high) / math.cos(math.pi * (cut - 1) / (2 * self.count)) ** d


def _beyond(size: int, d: int, level: int) -> NDArray[np.bool_]:
    """Which combinations of degrees a sparse grid of this level does not have."""
    return np.asarray(level_of(np.indices((size,) * d)).sum(axis=0) > level)


def _cosine_transform(values: Floats) -> Floats:
    """Coefficients in products of cosines of values on the tensor grid, by fast Fourier transforms."""
    out = values
    for axis in range(values.ndim):
        count = values.shape[axis]
        last = np.moveaxis(out, axis, -1)
        waves = np.fft.rfft(np.concatenate([last, last[..., ::-1]], axis=-1))[..., :count]
        turned = (waves * np.exp(-0.5j * np.pi * np.arange(count) / count)).real / count
        turned[..., 0] /= 2
        out = np.moveaxis(turned, -1, axis)
    return out


def decaying(size: int, d: int, tau: float) -> Floats:
    """Squared weights exp(-|m| / tau): smooth questions need little of the high degrees, which then get more noise."""
    squares = np.add.reduce(np.meshgrid(*[np.arange(size) ** 2] * d, indexing="ij"), axis=0)
    return np.asarray(np.exp(-np.sqrt(squares) / tau))


def spread_squared(weights: Floats, *, grid: int) -> float:
    """No two points of the cube are farther apart: sum of w_m^2 (phi_m(x) - phi_m(x'))^2 over m other than 0.

    The kernel of two points is the mean of G(a) = sum w_m^2 prod cos(m_i a_i) over 2^d angles, so that the
    squared distance is at most 2 (G(0) - min G); the minimum over a grid of angles is divided by cos(pi (t-1) / 2N)
    an axis for what lies between its points [EhlZ64].
    """
    return 2 * lowest(weights, grid=grid)


def lowest(weights: Floats, *, grid: int) -> float:
    """A bound on G(0) - min G, of G(a) = sum of w_m prod cos(m_i a_i), all axes of one size; see `spread_squared`."""
    d = weights.ndim
    if weights.size == 1:
        return 0.0
    size = weights.shape[0]
    cosines = np.cos(np.outer(np.arange(grid + 1), np.arange(size)) * np.pi / grid)
    values = along([cosines] * d, weights)
    gap = float(weights.sum() - values.min())
    return gap / math.cos(math.pi * (size - 1) / (2 * grid)) ** d


def jackson_folds(smoothness: int) -> int:
    """r of the operator of order K: with no more degrees than this it knows the constant alone."""
    return math.ceil((smoothness + 3) / 2)


def jackson(size: int, smoothness: int) -> Floats:
    """Multipliers of the generalised Jackson operator: convolution with an even kernel scales each cosine.

    mu_m = -sum over l = 1..K+1 of (-1)^l C(K+1, l) h_(l m), with h the normalised r-fold self-convolution of a
    triangle of width t' = floor((t-1)/r) + 1, r = ceil((K+3)/2): the published one has a degree too many.
    """
    folds = jackson_folds(smoothness)
    width = (size - 1) // folds + 1
    triangle = width - np.abs(np.arange(-width + 1, width, dtype=np.float64))
    kernel = np.ones(1)
    for _ in range(folds):
        kernel = np.convolve(kernel, triangle)
    half = kernel[len(kernel) // 2 :] / kernel[len(kernel) // 2]
    longest = (smoothness + 1) * size + 1
    h = np.zeros(longest)
    h[: len(half)] = half[:longest]
    degrees = np.arange(size)
    return np.asarray(sum(-((-1.0) ** j) * comb(smoothness + 1, j) * h[j * degrees] for j in range(1, smoothness + 2)))
