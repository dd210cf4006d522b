"""Noisy table: the released numbers that decide the table of a few attributes, and what any linear question gets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["Independent", "Moments", "NoisyTable"]

Floats = NDArray[np.float64]
# What rounding leaves of weights that cancel.
DUST = 1e-12


@dataclass(frozen=True)
class Moments:
    """Estimates of linear questions with the variance and fourth cumulant of their noise."""

    value: Floats
    variance: Floats
    fourth: Floats
    mixed: Floats = field(default_factory=lambda: np.zeros(()))
    """Of shares: covariance with the number of rows, over its square."""
    rows: float = field(default=0.0, kw_only=True)
    """Of shares: variance of the number of rows over its square; infinite where none can be told."""

    @property
    def stderr(self) -> Floats:
        """Standard error."""
        return np.sqrt(np.maximum(self.variance, 0.0))

    @property
    def kurtosis(self) -> Floats:
        """Excess kurtosis; 0 where there is no noise."""
        squares = self.variance**2
        return np.divide(self.fourth, squares, out=np.zeros_like(self.fourth), where=squares > 0)


@dataclass(frozen=True, eq=False)
class NoisyTable(ABC):
    """Noisy numbers in one tensor, an axis an attribute; counts = `inverses` applied axis by axis.

    A number of rows that is public but not among the numbers moves them by least squares: the question of weights c
    becomes (c - s ones) + s rows, with s = cov(c, ones) / var(ones). That is unbiased, and never noisier.
    """

    numbers: Floats
    inverses: tuple[Floats | None, ...]
    """None where the numbers are the counts themselves."""
    rows: int | None
    """The number of rows where it is public and not among the numbers."""

    @property
    @abstractmethod
    def fitted(self) -> Floats:
        """The numbers, moved to the number of rows that is known to be right."""

    @abstractmethod
    def joint(self, order: int, coefficients: Floats, power: int = 0) -> Floats:
        """Joint cumulant (order 2 or 4) of a question, order - power times, and of the number of rows, power times."""

    @abstractmethod
    def joints(self, order: int, axes: int, rest: Floats) -> list[Floats]:
        """`joint` of every question of `table`, for power = 0, ..., order."""

    def moments(self, coefficients: Floats, *, relative: bool = False) -> Moments:
        """The question that weighs each number by a coefficient; `relative` as in `table`."""
        value = np.asarray((coefficients * self.fitted).sum())
        rest, rows = self._rest(value, coefficients, relative=relative)
        variance, mixed = self.joint(2, rest) / rows**2, self.joint(2, rest, 1) / rows**2
        spread = self._spread_of_rows(relative=relative)
        return Moments(value / rows, variance, self.joint(4, rest) / rows**4, mixed, rows=spread)

    def noisy(self, coefficients: Floats, *, relative: bool) -> Floats:
        """What the noise of each number is multiplied by in the question of `moments`."""
        rest, rows = self._rest(np.asarray((coefficients * self.fitted).sum()), coefficients, relative=relative)
        return rest / rows

    def _rest(self, value: Floats, coefficients: Floats, *, relative: bool) -> tuple[Floats, float]:
        """The coefficients without what the number of rows takes out of their noise, and what they are divided by."""
        lean, rows = self._lean(value, self.joint(2, coefficients, 1), relative=relative)
        rest = coefficients - lean * self.ones
        return np.where(np.abs(rest) > DUST * np.abs(coefficients).max(initial=0.0), rest, 0.0), rows

    def table(self, axes: int, rest: Floats, *, relative: bool) -> Moments:
        """The sums over rows of `rest`, one for every cell of the first `axes` attributes.

        `relative`: as shares of the noisy number of rows, whose noise partly cancels (first-order, delta method).
        """
        if not axes:
            return self.moments(self.coefficients(rest), relative=relative)
        value = self._spread(self.fitted, axes, rest, 1)
        variances, fourths = self.joints(2, axes, rest), self.joints(4, axes, rest)
        lean, rows = self._lean(value, variances[1], relative=relative)
        variance = _combined(variances, lean)
        fourth = np.where(variance > 0, _combined(fourths, lean), 0.0)
        mixed = (variances[1] - lean * variances[2]) / rows**2
        spread = self._spread_of_rows(relative=relative)
        return Moments(value / rows, variance / rows**2, fourth / rows**4, mixed, rows=spread)

    def coefficients(self, function: Floats) -> Floats:
        """Weights of the numbers in the sum over rows of a function of the codes (one axis an attribute)."""
        out = function
        for axis, inverse in enumerate(self.inverses):
            out = _along(out, None if inverse is None else inverse.T, axis)
        return out

    @cached_property
    def ones(self) -> Floats:
        """Coefficients of the number of rows."""
        return self.coefficients(np.ones(self.numbers.shape))

    def _lean(self, value: Floats, mixed: Floats, *, relative: bool) -> tuple[Floats, float]:
        """How much of the number of rows is taken out of each question's noise, and what the question is divided by."""
        if self.rows is not None:
            noise = float(self.joint(2, self.ones))
            return mixed / noise if noise else np.zeros_like(mixed), float(self.rows) if relative else 1.0
        if not relative:
            return np.zeros_like(value), 1.0
        # A noisy number of rows below 1 carries no information; dividing by 1 keeps the answer finite.
        rows = max(float((self.ones * self.numbers).sum()), 1.0)
        return value / rows, rows

    def _spread_of_rows(self, *, relative: bool) -> float:
        """Variance of the noisy number of rows that shares are divided by, over its square."""
        if self.rows is not None or not relative:
            return 0.0
        noise, rows = float(self.joint(2, self.ones)), float((self.ones * self.numbers).sum())
        if not noise:
            return 0.0
        return noise / rows**2 if rows >= 1.0 else inf

    def _spread(self, numbers: Floats, axes: int, rest: Floats, power: int) -> Floats:
        """Sum of the numbers times a power of their coefficients, one for every cell of the first attributes."""
        weights = rest
        for axis, inverse in enumerate(self.inverses[axes:]):
            weights = _along(weights, None if inverse is None else inverse.T, axis)
        out: Floats = (numbers * weights**power).sum(axis=tuple(range(axes, numbers.ndim)))
        for axis, inverse in enumerate(self.inverses[:axes]):
            if inverse is not None:
                out = _along(out, inverse**power, axis)
            elif not power:
                out = np.broadcast_to(out.sum(axis=axis, keepdims=True), out.shape)
        return out


@dataclass(frozen=True, eq=False)
class Independent(NoisyTable):
    """Numbers whose noises are independent of each other."""

    variances: Floats
    fourths: Floats
    """Fourth cumulants of the noise: next to 0 for Gaussian, 12 b^4 for Laplace."""

    @cached_property
    def fitted(self) -> Floats:
        noise = float(self.joint(2, self.ones))
        if self.rows is None or not noise:
            return self.numbers
        short = self.rows - float((self.ones * self.numbers).sum())
        return self.numbers + self.variances * self.ones * (short / noise)

    def joint(self, order: int, coefficients: Floats, power: int = 0) -> Floats:
        noise = self.variances if order == 2 else self.fourths
        return np.asarray((coefficients ** (order - power) * self.ones**power * noise).sum())

    def joints(self, order: int, axes: int, rest: Floats) -> list[Floats]:
        noise = self.variances if order == 2 else self.fourths
        return [self._spread(noise * self.ones**power, axes, rest, order - power) for power in range(order + 1)]


def _combined(joints: list[Floats], lean: Floats) -> Floats:
    """The cumulant of c - lean ones, from the joint ones of c and `ones`; what rounding leaves is no noise."""
    order, out = len(joints) - 1, np.zeros_like(lean)
    for power, joint in enumerate(joints):
        out = out + comb(order, power) * (-lean) ** power * joint
    return np.where(np.abs(out) > DUST * np.abs(joints[0]), out, 0.0)


def _along(tensor: Floats, matrix: Floats | None, axis: int) -> Floats:
    """The matrix applied to one axis."""
    if matrix is None:
        return tensor
    applied: Floats = np.tensordot(matrix, tensor, axes=(1, axis))
    return np.moveaxis(applied, 0, axis)
