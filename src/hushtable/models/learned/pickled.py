"""Pickled learners: bytes in a file, which are code. The only place that runs them, when the reader asks for it."""

from __future__ import annotations

import pickle

from ...errors import BadQuestion
from ...maths.learning.learner import AnswerLearner, Predictor

__all__ = ["kept", "run_pickled"]


def kept(learner: AnswerLearner, predictor: Predictor) -> bytes | None:
    """A predictor as bytes, where its learner says that a file should keep it."""
    if not getattr(learner, "keep", False):
        return None
    try:
        return pickle.dumps(predictor)
    except Exception as error:
        raise BadQuestion(f"the learner cannot be kept in a file ({type(error).__name__}: {error})") from None


def run_pickled(given: bytes | None) -> Predictor:
    """The predictor that a file keeps. Executes whatever its maker put there: never called but on request."""
    if given is None:
        raise BadQuestion("this synopsis holds no pickled learner; train one: synopsis.learn(learner)")
    try:
        predictor = pickle.loads(given)
    except Exception as error:
        raise BadQuestion(f"the pickled learner does not load here ({type(error).__name__}: {error})") from None
    if not callable(getattr(predictor, "predict", None)):
        raise BadQuestion("what this synopsis holds as a pickled learner does not predict")
    return predictor  # type: ignore[no-any-return]
