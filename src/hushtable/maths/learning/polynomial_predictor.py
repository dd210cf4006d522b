"""PolynomialPredictor: predictions by polynomials in the zeros and ones of a question, as plain whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .products import QuestionBits, products_of

__all__ = ["COEFFICIENT_UNIT", "PolynomialPredictor", "counted_thresholds", "whole_coefficients"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Coefficients are whole multiples of one over this, before and after they were in a file.
COEFFICIENT_UNIT = 1 << 32


def counted_thresholds(passed: NDArray[np.bool_], cells: int) -> Floats:
    """From how many of the thresholds 1/K, ..., (K-1)/K each question passes to the middle of its cell.

    A threshold that is wrong moves an answer by one cell [Har11, Figure 7.2], whose text has 0 and 1 exchanged, and
    takes the first crossing, which one wrong threshold can put anywhere.
    """
    return np.asarray((passed.sum(axis=1) + 0.5) / cells)


@dataclass(frozen=True, eq=False)
class PolynomialPredictor:
    """One polynomial is the prediction; several are of thresholds, of which those at least 0 are counted.

    cells    into how many cells thresholds divide answers; None where the one polynomial is the prediction
    stopped  the threshold that nearly all answers are so near to that it is the prediction, if there is one
    """

    bits: QuestionBits
    degree: int
    signs: bool
    coefficients: Integers
    """A line a polynomial, in units of 2^-32."""
    cells: int | None = None
    stopped: int | None = None

    @property
    def told(self) -> str:
        """What it is, in words."""
        if self.stopped is not None:
            return f"the threshold {self.stopped} / {self.cells}, which nearly all bought answers are near to"
        if self.cells is None:
            return f"one polynomial of degree {self.degree}, as published"
        return f"{len(self.coefficients)} thresholds, each a polynomial of degree {self.degree}, as published"

    def predict(self, questions: Integers) -> Floats:
        """A share for each question."""
        if self.stopped is not None and self.cells is not None:
            return np.full(len(questions), self.stopped / self.cells)
        said = products_of(self.bits.of(questions), self.degree, signs=self.signs)
        values = said @ (self.coefficients.T / COEFFICIENT_UNIT)
        return values[:, 0] if self.cells is None else counted_thresholds(values >= 0, self.cells)


def whole_coefficients(coefficients: Floats) -> Integers:
    """In units of 2^-32, as far as they can be."""
    most = float(1 << 62)
    return np.rint(np.clip(coefficients * COEFFICIENT_UNIT, -most, most)).astype(np.int64)
