"""Held-out answers: bars for whatever learner, from noisy answers that it never saw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST", "HeldOut", "split"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# With fewer there is no bar at 95%.
LEAST = 20
# What a group should have, where it has enough questions.
WANTED = 25


def split(groups: Integers, share: float) -> NDArray[np.bool_]:
    """Which questions are held out: of each group the first ones, this share, at least 25 and at most half."""
    out = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        (own,) = np.nonzero(groups == group)
        out[own[: min(max(math.ceil(share * len(own)), WANTED), len(own) // 2)]] = True
    return out


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores |noisy answer - prediction| / scale of held-out questions, by group.

    A question drawn like those of its group has a score of at most the k-th smallest of m with chance k / (m + 1), so
    the interval prediction +- scale times it holds the noisy answer with that chance. The true answer is inside with
    chance 1 - 2s where the noisy one is with 1 - s: noise is symmetric, so that of the questions whose error is beyond
    the interval at least every second has its noisy answer outside too.
    """

    groups: Integers
    scores: Floats
    scales: Floats
    noise_sd: float

    @cached_property
    def _sorted(self) -> dict[int, Floats]:
        return {int(g): np.sort(self.scores[self.groups == g]) for g in np.unique(self.groups)}

    def known(self, group: int) -> bool:
        """Whether a group has bars."""
        return len(self._sorted.get(group, ())) >= LEAST

    def factor(self, group: int, confidence: float) -> float:
        """What a scale is multiplied by; infinite where the held-out questions are too few for this confidence."""
        own = self._sorted.get(group, np.zeros(0))
        place = math.ceil((len(own) + 1) * confidence)
        return float(own[place - 1]) if 1 <= place <= len(own) else math.inf

    def farthest(self, group: int) -> float:
        """The largest scale of a held-out question."""
        own = self.scales[self.groups == group]
        return float(own.max()) if len(own) else 0.0

    def error(self, group: int) -> float:
        """The root mean square error of predictions, with the noise of the answers taken away."""
        own = self.groups == group
        if not own.any():
            return math.inf
        return math.sqrt(max(0.0, float(np.mean((self.scores[own] * self.scales[own]) ** 2)) - self.noise_sd**2))
