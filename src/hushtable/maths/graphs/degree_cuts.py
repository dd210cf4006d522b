"""Degree cuts: how many edges leave a group of vertices, as far as the degrees of all vertices tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["CutEstimate", "DegreeCuts"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class CutEstimate:
    """A number of edges that leave a group, with the variances of what it is off by."""

    value: float
    noise: float
    """Of the noise in the degrees."""
    fourth: float
    """Fourth cumulant of the same."""
    unseen: float
    """Of what degrees cannot see, over groups that were chosen without regard to who is joined to whom."""
    most: float
    """No group of these degrees is left by more edges than it has ends of edges."""
    most_noise: float
    """Variance of the noise in that."""

    @property
    def variance(self) -> float:
        """Both together."""
        return self.noise + self.unseen


@dataclass(frozen=True, eq=False, kw_only=True)
class DegreeCuts:
    """Degrees and number of edges with independent noise, fitted to each other: degrees add up to twice the edges.

    Of two vertices u and v the expected number of edges between them is taken to be in proportion to d_u d_v. Then a
    group T with degrees d has 2 I ends inside, where I = E (vol(T)^2 - sum of d^2 in T) / (4 E^2 - sum of all d^2), and
    vol(T) - 2 I edges leave it. Products of different degrees have independent noise, so that I is hardly biased by
    it; a single vertex is left by all its edges. T is the smaller side: as many edges leave the other one.
    """

    measured: Floats
    """The noisy number of edges, then the noisy degrees."""
    edge_variance: float
    edge_fourth: float
    degree_variance: float
    degree_fourth: float
    repeats: int = 1
    """The most edges that a pair of vertices has, as far as is publicly known."""

    @cached_property
    def degrees(self) -> Floats:
        """The weighted least squares fit: all degrees move by the same amount."""
        raw = self.measured[1:]
        return np.asarray(raw + self._pull * (2 * float(self.measured[0]) - float(raw.sum())))

    @cached_property
    def _pull(self) -> float:
        """How much of the difference between twice the edges and the sum of all degrees is given to each degree."""
        return self.degree_variance / (4 * self.edge_variance + self.vertices * self.degree_variance)

    @property
    def vertices(self) -> int:
        """How many there are."""
        return len(self.measured) - 1

    @cached_property
    def _volume(self) -> float:
        return float(self.degrees.sum())

    @cached_property
    def edges(self) -> float:
        """Half the sum of the degrees; below 1 there is nothing to divide by."""
        return max(self._volume / 2, 1.0)

    @cached_property
    def _pairs(self) -> float:
        """4 E^2 - sum of d^2, noise taken out of the squares; at least 2 E^2, as it is in every graph without loops."""
        squares = float(self.degrees @ self.degrees) - self.vertices * self.degree_variance
        return max(4 * self.edges**2 - max(squares, 0.0), 2 * self.edges**2)

    def noise_of(self, weights: Floats, shift: float = 0.0) -> tuple[float, float]:
        """Variance and fourth cumulant of the noise in a sum of fitted degrees.

        `weights` are those of some degrees, and `shift` is added to the weight of every degree.
        """
        total = float(weights.sum()) + self.vertices * shift
        inside, rest = weights + (shift - self._pull * total), shift - self._pull * total
        edges, others = 2 * self._pull * total, self.vertices - len(weights)
        variance = self.degree_variance * (float(inside @ inside) + others * rest**2) + self.edge_variance * edges**2
        fourth = self.degree_fourth * (float((inside**4).sum()) + others * rest**4) + self.edge_fourth * edges**4
        return variance, fourth

    def edge_estimate(self) -> CutEstimate:
        """The number of edges."""
        noise, fourth = self.noise_of(np.zeros(0), 0.5)
        value = self._volume / 2
        return CutEstimate(value=value, noise=noise, fourth=fourth, unseen=0.0, most=value, most_noise=noise)

    def cut(self, group: Whole) -> CutEstimate:
        """The edges that leave these vertices, each of which is named once."""
        side = group if float(self.degrees[group].sum()) <= self.edges else self._others(group)
        own = self.degrees[side]
        volume, number = float(own.sum()), len(side)
        products = max(volume**2 - float(own @ own), 0.0) if number > 1 else 0.0
        slope, pairs, edges = 4 * self.edges / self._pairs, self._pairs, self.edges
        inside = min(edges * products / pairs, max(volume, 0.0) / 2)
        weights = 1 - slope * (volume - own)
        shift = products / pairs * (8 * edges**2 / pairs - 1)
        noise, fourth = self.noise_of(weights, shift)
        noise += slope**2 / 2 * self.degree_variance**2 * number * (number - 1)
        share = min(max(volume / (2 * edges), 0.0), 1.0)
        return CutEstimate(
            value=volume - 2 * inside,
            noise=noise,
            fourth=fourth,
            unseen=4 * self.repeats * inside * (1 - share) ** 2,
            most=min(max(volume, 0.0), float(self.repeats) * number * (self.vertices - number)),
            most_noise=self.noise_of(np.ones(number))[0],
        )

    def _others(self, group: Whole) -> Whole:
        outside = np.ones(self.vertices, dtype=bool)
        outside[group] = False
        return np.flatnonzero(outside)
