"""Quotients: limits for the ratio of two noisy sums, such as an average, that hold for small groups too."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from ..questions.answer import interval_factor
from .build_answer import Estimates

__all__ = ["MIN_SIGMAS", "PLACES", "TOGETHER", "Averages", "Quotients", "not_ruled_out"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
# An average needs a group that is surely there: fewer released rows than this many standard errors is no group.
MIN_SIGMAS = 3.0
# Noise of top - m x below at five m tells it at every m: its variance is quadratic in m, its fourth cumulant quartic.
PLACES = np.linspace(0.0, 1.0, 5)
# Noises that are uncorrelated but come from the same few Laplace draws are large together; so much of their joint
# excess kurtosis counts as squared correlation. Simulated for 2 to 8 values of 1 to 16 draws: 95% is 95 to 99.5%.
TOGETHER = 0.2
# Points of the grids on which an end is found: 1 / 32 of the way, then eight times finer each time.
GRIDS = (33, *(9,) * 10)


@dataclass(frozen=True, eq=False)
class Quotients:
    """Noisy sums `top` and `below`, one of each a cell, of which top / below lies between 0 and 1 in truth.

    m is ruled out if u = (top - m below) / its standard error is too large for noise [Fie54]. A cell is only shown if
    `below` came out above MIN_SIGMAS of its own standard errors, and that favours noise in u of the same sign: r is
    their correlation. Given the part of `below` that is independent of u, the cell was shown because |u| is above
    |u| - d, d = (below / its standard error - MIN_SIGMAS) / r, whatever the true sums are [LeeSST16]. So m is ruled out
    if Q(|u|) / Q(|u| - d) < (1 - confidence) / 2, with Q the normal tail. Of the shown intervals of a group, however
    small, a share of `confidence` holds, or up to half of the rest more.
    """

    top: Floats
    below: Floats
    variance: Floats
    """Coefficients of its powers of m, from the constant on, one column a cell."""
    fourth: Floats

    @classmethod
    def from_noise(cls, value: Floats, variance: Floats, fourth: Floats) -> Quotients:
        """From estimates of top - m below, and the variance and fourth cumulant of their noise, at the five PLACES."""
        powers = np.linalg.inv(np.vander(PLACES, increasing=True))
        return cls(value[0], value[0] - value[-1], (powers @ variance)[:3], powers @ fourth)

    @property
    def known(self) -> Flags:
        """Whether the released number of rows is surely above 0."""
        return np.asarray(self.below > MIN_SIGMAS * np.sqrt(np.maximum(self.variance[2], 0.0)))

    @property
    def value(self) -> Floats:
        """top / below, moved to the nearest ratio that there can be."""
        with np.errstate(all="ignore"):
            return np.clip(self.top / self.below, 0.0, 1.0)

    def noise(self) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of the value (first-order, delta method)."""
        m = self.value
        return _at(self.variance, m) / self.below**2, _at(self.fourth, m) / self.below**4

    def low(self, confidence: float) -> Floats:
        """The smallest ratio that is not ruled out; 0 for cells that are not known."""
        return self._end(0.0, confidence)

    def high(self, confidence: float) -> Floats:
        """The largest ratio that is not ruled out; 1 for cells that are not known."""
        return self._end(1.0, confidence)

    def _end(self, stop: float, confidence: float) -> Floats:
        """From the value towards `stop`: the last m that is not ruled out, on finer and finer grids."""
        interval_factor(confidence)
        cells, inner, outer = np.arange(len(self.top)), self.value, np.full(len(self.top), stop)
        for points in GRIDS:
            grid = inner + (outer - inner) * np.linspace(0, 1, points)[:, None]
            kept = self._keeps(grid, confidence)
            kept[0] = True
            last = points - 1 - np.argmax(kept[::-1], axis=0)
            inner, outer = grid[last, cells], grid[np.minimum(last + 1, points - 1), cells]
        return np.where(self.known, outer, stop)

    def _keeps(self, m: Floats, confidence: float) -> Flags:
        """Whether m is not ruled out."""
        # A ratio beyond 0 and 1 is noise for sure, so it is moved there first: nearer to any m that may be true.
        top = np.clip(self.top, 0.0, np.maximum(self.below, 0.0))
        rows = self.variance[2]
        with np.errstate(all="ignore"):
            variance = np.maximum(_at(self.variance, m), 0.0)
            off = top - m * self.below
            u = np.where(off == 0, 0.0, np.abs(off) / np.sqrt(variance))
            correlation = np.sign(off) * (-self.variance[1] / 2 - m * rows) / np.sqrt(variance * rows)
            r = np.sqrt(np.clip(np.maximum(correlation, 0) ** 2 + TOGETHER * self._together(m, variance), 0.0, 1.0))
            d = np.where(r > 0, (self.below / np.sqrt(rows) - MIN_SIGMAS) / r, np.inf)
            kurtosis = np.nan_to_num(_at(self.fourth, m) / variance**2)
        return not_ruled_out(u, d, kurtosis, confidence)

    def _together(self, m: Floats, variance: Floats) -> Floats:
        """Joint excess kurtosis of top - m below and of below: both squared, over both variances."""
        third, fourth = -self.fourth[3] / 4, self.fourth[4]
        joint = self.fourth[2] / 6 - 2 * m * third + m**2 * fourth
        return np.asarray(np.maximum(np.nan_to_num(joint / (variance * self.variance[2])), 0.0))


@dataclass(frozen=True, eq=False)
class Averages:
    """The limits of averages: from the lower ends of all bins, from their upper ends, within what there can be."""

    value: Floats
    """What is shown; always inside."""
    lower: Quotients
    upper: Quotients
    least: Floats
    """Where ratio 0 is; an average of the cell is not below. nan for a cell whose rows have no values."""
    most: Floats

    @classmethod
    def of(cls, lower: Quotients, upper: Quotients, least: Floats, most: Floats) -> Averages:
        """With the middle of both ratios as value, nan where the cell is not known."""
        with np.errstate(all="ignore"):
            middle = np.clip((lower.top + upper.top) / 2 / lower.below, 0.0, 1.0)
        value = np.where(lower.known, least + (most - least) * middle, np.nan)
        return cls(value, lower, upper, least, most)

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of the intervals."""
        low, high = self.lower.low(confidence), self.upper.high(confidence)
        wide = self.most - self.least
        return np.fmin(self.least + wide * low, self.value), np.fmax(self.least + wide * high, self.value)

    def estimates(self) -> Estimates:
        """The values with their errors and limits."""
        stderr, bias, kurtosis = self.errors()
        return Estimates(value=self.value, stderr=stderr, bias=bias, kurtosis=kurtosis, limits=self)

    def errors(self) -> tuple[Floats, Floats, Floats]:
        """Standard error, bias bound and kurtosis of the values; nan where the cell is not known."""
        unknown = np.where(np.isnan(self.value), np.nan, 1.0)
        with np.errstate(all="ignore"):
            both = [end.noise() for end in (self.lower, self.upper)]
            # The noise is that of the worse end of the bound.
            worse = both[0][0] >= both[1][0]
            variance, fourth = (np.where(worse, a, b) for a, b in zip(*both, strict=True))
            kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(fourth), where=variance > 0)
        # Bins whose noisy counts are negative pull the ends across each other; a bound is never below 0.
        bias = np.maximum(self.upper.value - self.lower.value, 0.0) / 2
        wide = (self.most - self.least) * unknown
        return wide * np.sqrt(np.maximum(variance, 0.0)), wide * bias, kurtosis * unknown


def not_ruled_out(u: Floats, d: Floats, kurtosis: Floats, confidence: float) -> Flags:
    """Whether noise may be as large as u standard errors in one direction, given that it is above u - d."""
    from scipy.special import log_ndtr

    with np.errstate(all="ignore"):
        tail = log_ndtr(-_score(u, kurtosis)) - log_ndtr(-_score(u - d, kurtosis))
    return np.asarray(tail >= log((1 - confidence) / 2))


def _at(coefficients: Floats, m: Floats) -> Floats:
    """The polynomial of every cell at m."""
    out: Floats = coefficients[-1] * np.ones_like(m)
    for coefficient in coefficients[-2::-1]:
        out = out * m + coefficient
    return out


def _score(u: Floats, kurtosis: Floats) -> Floats:
    """The normal deviate that is as rare as u: the inverse of `reach`, whose correction begins at sqrt(3)."""
    bend = np.clip(kurtosis, 1e-9, 7.0) / 24
    slope = (1 - 3 * bend) / bend
    size = np.sqrt(slope / 3)
    # The only root of z^3 + slope z = u / bend.
    root = 2 * size * np.sinh(np.arcsinh(np.abs(u) / bend / (2 * size**3)) / 3)
    return np.where(np.isinf(u) | (np.abs(u) <= 3**0.5), u, np.sign(u) * root)
