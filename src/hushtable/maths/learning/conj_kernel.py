"""ConjKernel: a learner for "all of these": RowFeatures with infinitely many rows whose columns hardly depend."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ConjKernel", "KernelPredictor"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
SHRINKS, SPREADS = (0.03, 0.1, 0.3, 0.6, 1.0), np.logspace(-3, 0.5, 15)
# Shares of single conditions are kept away from 0, where their ratios would be lost in noise.
LEAST_SHARE = 1e-4


@dataclass(frozen=True, eq=False)
class ConjKernel:
    """The mean is the product of single shares; two questions have the covariance

        spread p(q) p(q') (product over columns of 1 + c (p(both) / (p(q) p(q')) - 1)  -  1)

    with c and spread the likeliest. For c = 1 it is that of even weights on independent rows.

    singles  shares of the codes of every column
    opposite whether a question is "any of these", and so one minus all of the opposites
    """

    singles: tuple[Floats, ...]
    opposite: bool = False

    def fit(self, questions: Integers, answers: Floats, noise_sd: float) -> KernelPredictor:
        """The likeliest c and spread."""
        masks, floor = self._masks(questions), max(noise_sd**2, 1e-18)
        rest = self.rest(questions, answers)
        best: tuple[float, float, float] | None = None
        for shrink in SHRINKS:
            values, vectors = np.linalg.eigh(self._kernel(masks, masks, shrink))
            along, values = vectors.T @ rest, np.maximum(values, 0.0)
            for spread in SPREADS:
                variance = spread * values + floor
                score = float(-(along**2 / variance).sum() - np.log(variance).sum())
                if best is None or score > best[0]:
                    best = (score, shrink, float(spread))
        assert best is not None
        return KernelPredictor(self, questions, rest, best[1], best[2], noise_sd)

    def rest(self, questions: Integers, answers: Floats) -> Floats:
        """What answers are beyond the products of single shares; of the opposites for "any of"."""
        return (1 - answers if self.opposite else answers) - self._mean(self._masks(questions))

    def _masks(self, questions: Integers) -> list[Floats]:
        """Of every column which codes each question keeps, a line a question."""
        terms, width = int(questions[0, 0]), int(questions[0, 1])
        literals = questions[:, 2:].reshape(len(questions), terms * width, 2)
        out = [np.ones((len(questions), len(shares))) for shares in self.singles]
        for number, own in enumerate(literals.tolist()):
            for position, mask in own:
                if position >= 0:
                    held = (mask >> np.arange(len(self.singles[position]))) & 1
                    out[position][number] = 1 - held if self.opposite else held
        return out

    def _mean(self, masks: list[Floats]) -> Floats:
        return np.asarray(np.prod([self._shares(m, s) for m, s in zip(masks, self.singles, strict=True)], axis=0))

    @staticmethod
    def _shares(mask: Floats, shares: Floats) -> Floats:
        return np.asarray(np.maximum(mask @ shares, LEAST_SHARE))

    def _kernel(self, one: list[Floats], other: list[Floats], shrink: float) -> Floats:
        out = np.ones((len(one[0]), len(other[0])))
        for left, right, shares in zip(one, other, self.singles, strict=True):
            apart = np.outer(self._shares(left, shares), self._shares(right, shares))
            out *= 1 + shrink * ((left * shares) @ right.T / apart - 1)
        return np.outer(self._mean(one), self._mean(other)) * (out - 1)


@dataclass(frozen=True, eq=False)
class KernelPredictor:
    """A fitted kernel: plain arrays and two numbers."""

    by: ConjKernel
    questions: Integers
    rest: Floats
    """What their noisy answers are beyond the products of single shares."""
    shrink: float
    spread: float
    noise_sd: float

    @cached_property
    def _inverse(self) -> Floats:
        own = self.spread * self.by._kernel(self._own, self._own, self.shrink)
        noise = max(self.noise_sd**2, 1e-18) * np.eye(len(own))
        return np.asarray(np.linalg.pinv(own + noise, hermitian=True), dtype=np.float64)

    @cached_property
    def _own(self) -> list[Floats]:
        return self.by._masks(self.questions)

    def predict(self, questions: Integers) -> Floats:
        """The posterior mean."""
        masks = self.by._masks(questions)
        found = self.by._mean(masks) + self._with(masks) @ (self._inverse @ self.rest)
        return 1 - found if self.by.opposite else found

    def sd(self, questions: Integers) -> Floats:
        """The posterior standard deviation."""
        masks = self.by._masks(questions)
        across = self._with(masks)
        each = [self.by._kernel([m[i : i + 1] for m in masks], [m[i : i + 1] for m in masks], self.shrink)[0, 0]
                for i in range(len(questions))]  # fmt: skip
        left = self.spread * np.array(each) - ((across @ self._inverse) * across).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(left, 0.0)))

    def _with(self, masks: list[Floats]) -> Floats:
        return self.spread * self.by._kernel(masks, self._own, self.shrink)
