"""Taught: a learner is given questions and noisy answers, and what it makes of them is judged by those held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...words import shortened
from .held_out import HeldOut
from .learner import AnswerLearner, Predictor, predicted

__all__ = ["Bought", "Judged", "judge", "teach"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bought:
    """Questions, a line each, with noisy answers as shares of the rows. Public: anybody may learn from them."""

    questions: Integers
    answers: Floats
    groups: Integers
    held_out: NDArray[np.bool_]
    """Which of them no learner is shown, because error bars are made of them."""
    noise_sd: float
    """The standard deviation of the noise in every answer."""

    def __repr__(self) -> str:
        return (
            f"<Bought: {len(self.questions)} noisy answers, {int(self.held_out.sum())} of them held out, each "
            f"± {self.noise_sd:.2g} (one standard deviation)>"
        )


@dataclass(frozen=True, eq=False)
class Judged:
    """A predictor and how far it was off on questions that it never saw."""

    predictor: Predictor
    held_out: HeldOut

    def predict(self, questions: Integers) -> tuple[Floats, Floats]:
        """Shares, and the scales that bars are multiples of."""
        return _scaled(self.predictor, questions, self.held_out.noise_sd)


def teach(learner: AnswerLearner, bought: Bought) -> tuple[Predictor | None, str]:
    """A predictor of shares, or None and why there is none: a learner may do anything, and nothing is paid again."""
    shown = ~bought.held_out
    try:
        predictor = learner.fit(bought.questions[shown].copy(), bought.answers[shown].copy(), bought.noise_sd)
        said = np.asarray(predictor.predict(bought.questions.copy()), dtype=np.float64)
    except Exception as error:
        return None, f"the learner ended in {type(error).__name__}: {shortened(' '.join(str(error).split()), 120)}"
    if said.shape != (len(bought.questions),):
        return None, f"the learner predicts shape {said.shape} for {len(bought.questions)} questions"
    if not np.isfinite(said).all():
        return None, "the learner predicts what is no number"
    return predictor, ""


def judge(predictor: Predictor, bought: Bought) -> Judged:
    """How far a predictor is off, by the answers that were held out."""
    own = bought.held_out
    value, scale = _scaled(predictor, bought.questions[own], bought.noise_sd)
    off = np.abs(bought.answers[own] - value)
    return Judged(predictor, HeldOut(bought.groups[own], off / scale, scale, bought.noise_sd))


def _scaled(predictor: Predictor, questions: Integers, noise_sd: float) -> tuple[Floats, Floats]:
    """Predictions, and what a score is divided by: how far predictor and noise together may be off; else 1.

    A learner's own word for its error is never a bar by itself: held-out answers say what multiple of it is one.
    """
    said, told = predicted(predictor, questions)
    value = np.clip(np.nan_to_num(np.asarray(said, dtype=np.float64)), 0.0, 1.0)
    if told is None or np.shape(told) != (len(questions),) or not np.isfinite(told).all():
        return value, np.ones(len(questions))
    return value, np.hypot(np.maximum(np.asarray(told, dtype=np.float64), 0.0), max(noise_sd, 1e-12))
