"""RowFeatures: the built-in learner, which puts weights on public rows so that they answer as the table did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowFeatures", "RowPredictor"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Holds = Callable[[Integers, Integers], Floats]
# How far weights may stray from even ones, squared: the likeliest of these is taken.
SPREADS = np.logspace(-5, 1.5, 27)


@dataclass(frozen=True, eq=False)
class RowFeatures:
    """Every answer is a sum over rows, f(q) = sum of D(u) P(q, u): so weights on public rows u answer every question.

    The weights are 1/N plus independent normal ones of variance spread / N, given the noisy answers: ridge regression
    with a known noise, whose spread is the likeliest one. They add up to 1, so that a question and its opposite do.
    """

    holds: Holds
    rows: Integers

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> RowPredictor:
        """The predictor that the answers make likeliest; even weights where they all say nothing."""
        said = self.holds(questions, self.rows)
        even, centred = _centred(said)
        values, vectors = np.linalg.eigh(centred @ centred.T)
        values = np.maximum(values, 0.0)
        along, floor = vectors.T @ (answers - even), max(noise_sd**2, 1e-18)
        spread = max(SPREADS, key=lambda tau: _likelihood(along, tau * values + floor))
        pull = vectors @ (along / (spread * values + floor))
        weights = (1.0 + spread * (centred.T @ pull) * len(self.rows) ** 0.5) / len(self.rows)
        return RowPredictor(self.holds, self.rows, weights, float(spread), questions, noise_sd)


@dataclass(frozen=True, eq=False)
class RowPredictor:
    """Weighted public rows, and what is needed to say how far their answers may be off."""

    holds: Holds
    rows: Integers
    weights: Floats
    spread: float
    questions: Integers
    """Those it was fitted to."""
    noise_sd: float

    def predict(self, questions: Integers) -> Floats:
        """The weight of the rows that say yes."""
        return self.holds(questions, self.rows) @ self.weights

    def sd(self, questions: Integers) -> Floats:
        """The posterior standard deviation of each prediction; known before any answer is."""
        return self.predict_with_sd(questions)[1]

    def predict_with_sd(self, questions: Integers) -> tuple[Floats, Floats]:
        """Both, from one look at the rows."""
        said = self.holds(questions, self.rows)
        _, centred = _centred(said)
        known = centred @ self._known
        left = self.spread * (centred**2).sum(axis=1) - (known**2).sum(axis=1)
        return said @ self.weights, np.sqrt(np.maximum(left, 0.0))

    @cached_property
    def _known(self) -> Floats:
        _, centred = _centred(self.holds(self.questions, self.rows))
        values, vectors = np.linalg.eigh(centred @ centred.T)
        noise = np.sqrt(self.spread * np.maximum(values, 0.0) + max(self.noise_sd**2, 1e-18))
        return np.asarray(self.spread * (centred.T @ vectors) / noise)


def _centred(said: Floats) -> tuple[Floats, Floats]:
    """The answers of even weights, and what each row says beyond them, over the root of their number."""
    even = said.mean(axis=1)
    return even, (said - even[:, None]) / said.shape[1] ** 0.5


def _likelihood(along: Floats, variance: Floats) -> float:
    return float(-(along**2 / variance).sum() - np.log(variance).sum())
