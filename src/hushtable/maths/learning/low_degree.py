"""LowDegree: the published learner for circuits, a regression of answers on all parities of few bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .polynomial_predictor import PolynomialPredictor, whole_coefficients
from .products import QuestionBits, products_of

__all__ = ["LowDegree"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
PENALTIES, FOLDS = np.logspace(-1, 5, 13), 5


@dataclass(frozen=True)
class LowDegree:
    """Low-degree Fourier learning [Har11, section 7.5.2], without thresholds: ridge regression of the answers.

    The mean over rows of polynomials of low degree is one, so a fit of the answers themselves takes the place of a
    fit of every threshold. The penalty is the one that foretells a fifth of the answers best from the others.
    """

    bits: QuestionBits
    degree: int

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> PolynomialPredictor:
        """One polynomial in signs, -1 where a bit is one."""
        said = products_of(self.bits.of(questions), self.degree, signs=True)
        folds = np.arange(len(answers)) % FOLDS
        every = np.ones(len(answers), dtype=bool)

        def missed(penalty: float) -> float:
            parts = [(folds == f, _ridge(said, answers, folds != f, penalty)) for f in range(FOLDS)]
            return sum(float(((said[kept] @ own - answers[kept]) ** 2).sum()) for kept, own in parts)

        best = min(PENALTIES, key=missed) if len(answers) > FOLDS else PENALTIES[-1]
        whole = whole_coefficients(_ridge(said, answers, every, float(best))[None])
        return PolynomialPredictor(self.bits, self.degree, True, whole)


def _ridge(said: Floats, answers: Floats, kept: NDArray[np.bool_], penalty: float) -> Floats:
    """Coefficients around the mean, which has no penalty."""
    own, mean = said[kept], float(answers[kept].mean())
    gram = own @ own.T + penalty * np.eye(len(own))
    found = own.T @ np.linalg.solve(gram, answers[kept] - mean)
    found[0] += mean
    return np.asarray(found)
