"""Sparse vector: the exact chances of a series of noisy comparisons with one noisy threshold, on two tables at once."""

from __future__ import annotations

import math

import numpy as np

from .exact_laws import Floats

__all__ = ["SparseVectorLaw"]

# Thresholds are summed over at most this many cells, out to this many noise scales.
CELLS, REACH = 4001, 45.0


class SparseVectorLaw:
    """Discrete Laplace noise of scale `first` on the threshold, of scale `second` on every comparison.

    Keeps, for both tables, how likely each threshold still is after the answers so far.
    """

    def __init__(self, threshold: int, first: float, second: float) -> None:
        self.second, self.loss = second, 0.0
        reach = math.ceil(REACH * first)
        step = max(1, math.ceil((2 * reach + 1) / CELLS))
        # Cells of equal width; within one the comparison hardly changes.
        starts = np.arange(-reach, reach + 1, step).astype(np.float64)
        # By symmetry the negative side is the positive one, where small chances keep their digits.
        right = _above(starts, first) - _above(starts + step, first)
        left = _above(1 - starts - step, first) - _above(1 - starts, first)
        mass = np.where(starts > 0, right, left)
        self._at = threshold + starts + (step - 1) / 2
        self._log = [np.log(np.maximum(mass, 1e-300))] * 2

    def answer(self, here: int, there: int, crossed: bool) -> float:
        """Takes one answer in and returns the chance that a yes had, on the table here."""
        chance, logs = 0.0, []
        for table, distance in enumerate((here, there)):
            least = np.ceil(self._at - distance)
            yes = _above(least, self.second)
            weight = np.exp(self._log[table] - _log_sum(self._log[table]))
            if table == 0:
                chance = float(weight @ yes)
            likely = yes if crossed else _above(1 - least, self.second)
            self._log[table] = self._log[table] + np.log(np.maximum(likely, 1e-300))
            logs.append(_log_sum(self._log[table]))
        self.loss = logs[0] - logs[1]
        return chance


def _above(least: Floats, scale: float) -> Floats:
    """P(noise >= least), for whole numbers."""
    r = math.exp(-1 / scale)
    up = np.exp(-np.maximum(least, 0) / scale) / (1 + r)
    down = 1 - np.exp(-np.maximum(1 - least, 0) / scale) / (1 + r)
    return np.asarray(np.where(least > 0, up, down))


def _log_sum(logs: Floats) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))
