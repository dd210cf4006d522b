"""Joint limits: intervals from simulated noise of the law itself, for each number alone or for all at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...questions.answer import Answer, CrossTab

__all__ = ["DRAWS", "JointLimits", "end_of", "limits_of_noise"]

Floats = NDArray[np.float64]
# Noise vectors that intervals are taken from; the ends of 95% are then known to about 1%.
DRAWS = 20_000
# Beyond it the draws are too few. exp(-g/b) is log-concave, so what a symmetric convex set with the share s leaves out,
# its t-fold leaves out at most s ((1-s)/s)^((t+1)/2) of                                   [Borell 1975, Lemma 3.1].
SURE = 0.999


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Ends of intervals around values: noise is as likely on either side, so they lie evenly."""

    value: Floats
    noise: Floats
    """Draws of the noise of each number: its absolute value, one line a draw, largest last in every column."""
    together: Floats
    """For each draw the largest over all numbers of |noise| over its standard error, ascending."""
    stderr: Floats

    @classmethod
    def of(cls, answer: Answer | CrossTab, drawn: Floats) -> JointLimits:
        """The limits of an answer, from draws of the noise of its numbers, one column each."""
        noise, stderr = np.abs(drawn), np.atleast_1d(answer.stderr)
        scaled = np.divide(noise, stderr, out=np.zeros_like(noise), where=stderr > 0)
        return cls(np.atleast_1d(answer.value), np.sort(noise, axis=0), np.sort(scaled.max(axis=1)), stderr)

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        """Each number on its own."""
        half = end_of(self.noise, confidence)
        return self.value - half, self.value + half

    def at_once(self, confidence: float) -> tuple[Floats, Floats]:
        """All numbers at once: as many standard errors for each as the largest of them all needs."""
        half = float(end_of(self.together[:, None], confidence)[0]) * self.stderr
        return self.value - half, self.value + half


def limits_of_noise(answer: Answer | CrossTab, drawn: Floats) -> Answer | CrossTab:
    """The answer with intervals from draws of the noise of its numbers, one column each."""
    limits = JointLimits.of(answer, drawn)
    if isinstance(answer, CrossTab):
        return replace(answer, limits=limits, limits_at_once=limits.at_once)
    return replace(answer, limits=limits)


def end_of(ordered: Floats, confidence: float) -> Floats:
    """The end that a share of `confidence` of the draws, in ascending order, stays within."""
    if not 0 < confidence < 1:
        raise BadQuestion(f"confidence must be between 0 and 1 (say 0.95), not {confidence:g}")
    inside = min(confidence, SURE)
    at = ordered[min(int(np.ceil(inside * len(ordered))), len(ordered) - 1)]
    further = 2 * np.log(inside / (1 - confidence)) / np.log(inside / (1 - inside)) - 1 if confidence > SURE else 1.0
    return np.asarray(at * further)
