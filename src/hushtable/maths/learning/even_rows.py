"""EvenRows: parities answered by the rows that are known, and as if all others were even."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["EvenRows", "best_kept"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EvenRows:
    """Half of a table without known rows is odd in any parity: one half, minus half of the known Fourier coefficients.

    The coefficients of the answers to parities are the frequencies of rows, so that the search for heavy ones
    [Har11, section 7.5.1] is a search for frequent rows: a histogram without its small cells.
    """

    rows: Integers
    """Zeros and ones, a line each."""
    weights: Floats
    """Their shares of the table."""

    def predict(self, questions: Integers) -> Floats:
        """The share of odd rows; a parity of no columns is true of none."""
        odd = (questions.astype(np.float32) @ self.rows.T.astype(np.float32)) % 2
        rest = 1.0 - float(self.weights.sum())
        return np.asarray(odd @ self.weights + rest / 2 * questions.any(axis=1))


def best_kept(shares: Floats, columns: int, least: Sequence[float], questions: Integers, answers: Floats) -> EvenRows:
    """The cells of a noisy histogram above that of some bounds which foretells some noisy answers best.

    An infinite bound keeps none: so nothing is foretold worse, on these answers, than by one half.
    """
    tried = [_kept(shares, columns, bound) for bound in least]
    return min(tried, key=lambda one: float(((one.predict(questions) - answers) ** 2).sum()))


def _kept(shares: Floats, columns: int, least: float) -> EvenRows:
    """Cells in C order: the last column changes first."""
    (places,) = np.nonzero(shares > least)
    rows = (places[:, None] >> np.arange(columns - 1, -1, -1)) & 1
    return EvenRows(rows.astype(np.int64), shares[places])
