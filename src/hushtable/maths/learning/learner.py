"""Learner: whoever makes a predictor of answers from questions and noisy answers, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["AnswerLearner", "Predictor", "Regressor", "predicted"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Predictor(Protocol):
    """What was learned. May also have `sd(questions)`, how far it thinks each prediction is off."""

    def predict(self, questions: Integers) -> Floats:
        """A share for each question, a line each."""


@runtime_checkable
class AnswerLearner(Protocol):
    """Sees arrays alone: it may be trained again, by anybody, as often as they like, at no cost of privacy."""

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> Predictor:
        """From questions, a line each, to a predictor; the noise of every answer has this standard deviation."""


@dataclass(frozen=True)
class Regressor:
    """Any regressor with `fit(X, y)` and `predict(X)`, as scikit-learn's have; it is not told of the noise.

    model     a regressor that is not fitted yet; a copy of it is
    features  from questions, a line each, to X; the questions' own numbers unless it is given
    keep      whether files keep the fitted regressor, as a pickle that runs when `learn(trust=True)` asks for it
    """

    model: Any
    features: Callable[[Integers], Any] | None = None
    keep: bool = False

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> FittedRegressor:
        """A fitted copy."""
        from copy import deepcopy

        fresh = deepcopy(self.model)
        fresh.fit(self._x(questions), answers)
        return FittedRegressor(fresh, self)

    def _x(self, questions: Integers) -> Any:
        return questions.astype(np.float64) if self.features is None else self.features(questions.copy())


@dataclass(frozen=True)
class FittedRegressor:
    """A fitted regressor."""

    model: Any
    by: Regressor

    def predict(self, questions: Integers) -> Floats:
        """By its own `predict`."""
        return np.asarray(self.model.predict(self.by._x(questions)), dtype=np.float64)


def predicted(predictor: Predictor, questions: Integers) -> tuple[Floats, Floats | None]:
    """Predictions, and what a predictor says of their error, if anything."""
    both = getattr(predictor, "predict_with_sd", None)
    if both is not None:
        value, told = both(questions)
        return value, told
    sd = getattr(predictor, "sd", None)
    return predictor.predict(questions), None if sd is None else sd(questions)
