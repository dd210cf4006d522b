"""Answers of a learned model: predictions, what of them was measured, and bars from held-out answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...questions.intervals import interval_factor
from ..build_answer import Estimates

if TYPE_CHECKING:
    from .learned import LearnedModel

__all__ = ["OFF", "STRETCHED", "LearnedEstimates", "estimates"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
OFF = "off-distribution: no such question was drawn to learn from, so that nothing is known of the error"
STRETCHED = "extrapolated: farther from the questions learned from than any that was held out"


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedEstimates:
    """Shares or counts, and how wide their bars are."""

    value: Floats
    scale: Floats
    """What a factor of the group is multiplied by; not known (nan) where only the whole range is certain."""
    groups: Integers
    model: LearnedModel
    unit: float
    notes: tuple[str, ...]

    def limits(self, confidence: float) -> tuple[Floats, Floats]:
        """Ends of all intervals; no share is below 0 or above 1."""
        factors = {int(g): self.model.judged.held_out.factor(int(g), confidence) for g in np.unique(self.groups)}
        half = self.scale * np.array([factors[int(g)] for g in self.groups])
        half = np.where(np.isfinite(half), half, np.inf)
        return np.maximum(self.value - half, 0.0), np.minimum(self.value + half, self.unit)

    @property
    def stderr(self) -> Floats:
        """The 95% bar as that of normal noise has it."""
        low, high = self.limits(0.95)
        return (high - low) / 2 / float(interval_factor(0.95, 0.0))

    def single(self) -> Estimates:
        """The first alone."""
        return Estimates(value=float(self.value[0]), stderr=float(self.stderr[0]), limits=self.limits)

    def table(self) -> Estimates:
        """All."""
        return Estimates(value=self.value, stderr=self.stderr, limits=self.limits)


def estimates(model: LearnedModel, questions: Integers, *, count: bool) -> LearnedEstimates:
    """Predictions for some questions; one that was measured is weighed with its own noisy answer."""
    judged, unit = model.judged, model.total if count else 1.0
    value, scale = judged.predict(questions)
    groups = model.spoken.language.groups_of(questions)
    value = _with_measured(model, questions, groups, value)
    held = judged.held_out
    typical = np.array([model.spoken.language.is_typical(q) and held.known(int(g))
                        for q, g in zip(questions, groups, strict=True)], dtype=bool)  # fmt: skip
    beyond = typical & (scale > np.array([held.farthest(int(g)) for g in groups], dtype=np.float64))
    notes = [note for note, of in ((OFF, ~typical), (STRETCHED, beyond)) if of.any()]
    if len(questions) > 1:
        notes = [f"{note} ({int(of.sum())} of {len(questions)} questions)"
                 for note, of in ((OFF, ~typical), (STRETCHED, beyond)) if of.any()]  # fmt: skip
    scale = np.where(typical, scale * unit, np.nan)
    return LearnedEstimates(value=value * unit, scale=scale, groups=groups, model=model, unit=unit, notes=tuple(notes))


def _with_measured(model: LearnedModel, questions: Integers, groups: Integers, value: Floats) -> Floats:
    """By inverse variance: the error of predictions of that group, and the noise."""
    own, out = model.bought, value.copy()
    errors = {int(group): model.judged.held_out.error(int(group)) for group in np.unique(groups)}
    for number, question in enumerate(questions):
        place, error = model.places.get(question.tobytes()), errors[int(groups[number])]
        if place is not None and np.isfinite(error):
            weight = error**2 / max(error**2 + own.noise_sd**2, 1e-30)
            out[number] = np.clip(value[number] + weight * (own.answers[place] - value[number]), 0.0, 1.0)
    return out
