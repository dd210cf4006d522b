"""Tilted: the law of the number of ones that is nearest to independence and fits what was released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .krawtchouk import krawtchouk

__all__ = ["Tilt", "independent_law", "parity_means", "tilt"]

Floats = NDArray[np.float64]
# Weight of nearness to independence against fit, in units of the noise; small, so that signals pass.
CAUTION = 4.0
ROUNDS, ENOUGH = 60, 1e-10


@dataclass(frozen=True, eq=False)
class Tilt:
    """q(s) ~ base(s) exp(theta . features(s)) with the slope of any mean under q in the released numbers."""

    law: Floats
    slope: Floats
    """How the mean of each feature's multiplier answers: inverse of (covariance under q + noise)."""
    features: Floats

    def mean(self, values: Floats, noise: Floats) -> tuple[float, float]:
        """Mean of a function of s, and the standard error the noise of the released numbers gives it."""
        mean = float(values @ self.law)
        with_features = (self.features * self.law) @ (values - mean)
        weights = self.slope @ with_features
        return mean, float(np.sqrt(max(float(weights @ noise @ weights), 0.0)))


def independent_law(chances: Floats) -> Floats:
    """The law of the number of ones among independent bits."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


def parity_means(k: int, order: int) -> Floats:
    """Features 1..order: the mean of chi_S over the sets S of i bits, for a row with s ones; between -1 and 1."""
    basis = krawtchouk(k, order)
    return np.asarray(basis[1:] / basis[1:, :1], dtype=np.float64)


def tilt(base: Floats, features: Floats, targets: Floats, noise: Floats) -> Tilt:
    """Maximum entropy relative to `base`, its features near their targets as far as their noise covariance says.

    Maximises theta . targets - log sum base exp(theta . features) - CAUTION/2 theta' noise theta by Newton steps
    that are halved until they gain: the function is concave, so this always converges.
    """
    start = np.log(np.maximum(base, 1e-300))
    theta = np.zeros(len(features))

    def score(at: Floats) -> float:
        logs = start + at @ features
        top = logs.max()
        total = np.log(np.exp(logs - top).sum()) + top
        return float(at @ targets - total - CAUTION / 2 * at @ noise @ at)

    law, bend = base, np.eye(len(features))
    for _ in range(ROUNDS):
        logs = start + theta @ features
        law = np.exp(logs - logs.max())
        law /= law.sum()
        means = features @ law
        gradient = targets - means - CAUTION * noise @ theta
        bend = (features * law) @ features.T - np.outer(means, means) + CAUTION * noise
        bend[np.diag_indices(len(bend))] += 1e-12
        step = np.linalg.solve(bend, gradient)
        gain = float(gradient @ step)
        if gain < ENOUGH:
            break
        now, length = score(theta), 1.0
        while length > 1e-9 and score(theta + length * step) < now + 1e-4 * length * gain:
            length /= 2
        theta = theta + length * step
    return Tilt(law, np.asarray(np.linalg.inv(bend), dtype=np.float64), features)
