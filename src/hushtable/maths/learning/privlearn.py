"""PrivLearn: the published route from noisy answers to predictions, by a learner of every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .polynomial_predictor import PolynomialPredictor, whole_coefficients
from .products import QuestionBits, number_of_products, products_of
from .threshold_oracle import UNKNOWN, labels

__all__ = ["PENALTY", "PrivLearn", "separating_polynomial", "thresholds"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# What absolute coefficients weigh beside violated margins.
PENALTY = 1e-3


def thresholds(alpha: float) -> int:
    """K = floor(3 / alpha): thresholds i / K are at least alpha / 3 apart, more than twice the tolerance alpha / 7.

    The source has ceil(3 / alpha) of them at i / (k + 1), which are nearer than alpha / 3; "at most one threshold is
    too near" follows from that for alpha up to 1/4 alone.
    """
    return floor(3 / alpha)


@dataclass(frozen=True)
class PrivLearn:
    """Figure 7.2 as a learner that is given noisy answers, with its aggregation mended [Har11, Theorem 7.3.10].

    Each threshold is learned from the questions that have a label, as the sign of a polynomial. Where fewer than
    gamma / 2 of them have one, nearly all answers are near that threshold, which is then the prediction.
    """

    bits: QuestionBits
    degree: int
    alpha: float = 0.05
    gamma: float = 0.1

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> PolynomialPredictor:
        """A polynomial for every threshold."""
        cells, said = thresholds(self.alpha), products_of(self.bits.of(questions), self.degree)
        made = np.zeros((cells - 1, said.shape[1]))
        for number in range(1, cells):
            label = labels(answers, number / cells, self.alpha / 7)
            known = label != UNKNOWN
            if known.mean() < self.gamma / 2:
                return self._predictor(np.zeros((cells - 1, said.shape[1])), cells, number)
            made[number - 1] = separating_polynomial(said[known], label[known] == 1)
        return self._predictor(made, cells, None)

    def _predictor(self, coefficients: Floats, cells: int, stopped: int | None) -> PolynomialPredictor:
        whole = whole_coefficients(coefficients)
        return PolynomialPredictor(self.bits, self.degree, False, whole, cells=cells, stopped=stopped)

    def numbers(self, questions: Integers) -> int:
        """How many coefficients are learned."""
        return (thresholds(self.alpha) - 1) * number_of_products(self.bits.count(questions), self.degree)


def separating_polynomial(said: Floats, above: NDArray[np.bool_]) -> Floats:
    """Coefficients that are at least 0 where a label is 1 and below where it is 0, as far as they can be.

    min sum of xi + 0.001 |c|_1,  (2 l - 1) (c . products + c_0) >= 1 - xi, xi >= 0           [Har11, section 7.4.2]
    The constant is free; where all labels agree it is all there is.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    count, width = said.shape
    out = np.zeros(width)
    if above.all() or not above.any():
        out[0] = 1.0 if above.all() else -1.0
        return out
    rows = csr_array(said * np.where(above, 1.0, -1.0)[:, None])
    # Coefficients as differences of two that are not negative, then the violations.
    cost = np.concatenate([np.full(2 * width, PENALTY), np.ones(count)])
    cost[[0, width]] = 0.0
    limits: Any = hstack([-rows, rows, -eye_array(count)])
    found = linprog(cost, A_ub=limits, b_ub=-np.ones(count), method="highs")
    if not found.success:  # pragma: no cover - the program always has a solution: c = 0 and xi = 1
        raise ArithmeticError(f"the linear program of a threshold has no solution: {found.message}")
    solution: Floats = np.asarray(found.x)
    return solution[:width] - solution[width : 2 * width]
