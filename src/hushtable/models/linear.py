"""LinearModel: answers that are exact linear combinations of released numbers, so that error bars are exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..laws import Law
from ..maths.interactions.noisy_table import Moments, NoisyTable
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import AnswerUnit
from ..questions.parse import Question
from .averages import Spans, averages, mean_answer
from .base import Model

__all__ = ["LinearModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Needs only a Frame for any set of attributes it covers; all answers follow from that."""

    domain: Domain
    law: Law

    @abstractmethod
    def frame(self, positions: Sequence[int]) -> NoisyTable:
        """The released numbers about these attributes; TooWide when they were not released together."""

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        frame = self.frame(question.positions)
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        if question.kind == "mean":
            return self._mean(question, frame, where)
        moments = self._counts(frame, len(question.groups), where, relative=not count)
        unit: AnswerUnit = "count" if count else "fraction"
        zeros = np.zeros_like(moments.value)
        return self._wrapped(question, unit, moments, zeros, ())

    def _counts(self, frame: NoisyTable, axes: int, where: Floats, *, relative: bool) -> Moments:
        """Cells of the first axes; cells that share one condition on the other axes are computed together."""
        if axes == 0:
            return frame.table(0, where, relative=relative)
        shape = where.shape[:axes]
        flat = where.reshape(int(np.prod(shape)), -1)
        patterns, which = np.unique(flat, axis=0, return_inverse=True)
        out = Moments(np.zeros(len(flat)), np.zeros(len(flat)), np.zeros(len(flat)))
        for number, pattern in enumerate(patterns):
            cells = which.ravel() == number
            part = frame.table(axes, pattern.reshape(where.shape[axes:]), relative=relative)
            for mine, theirs in ((out.value, part.value), (out.variance, part.variance), (out.fourth, part.fourth)):
                mine[cells] = theirs.ravel()[cells]
        return out

    def _mean(self, question: Question, frame: NoisyTable, where: Floats) -> Answer | CrossTab:
        """Mean of an attribute: sum of its values over number of rows that have one."""
        assert question.average is not None
        attribute = self.domain.closed[question.average]
        found = averages(frame, Spans.of(attribute, question, where))
        return mean_answer(self.domain, question, found.value, *found.errors(), law=self.law, limits=found)

    def _wrapped(
        self, question: Question, unit: AnswerUnit, moments: Moments, bias: Floats, notes: tuple[str, ...]
    ) -> Answer | CrossTab:
        if not question.groups:
            return Answer(
                question=question.text,
                unit=unit,
                value=float(moments.value),
                stderr=float(moments.stderr),
                bias=float(bias),
                kurtosis=float(moments.kurtosis),
                notes=notes,
            )
        attributes = [self.domain.closed[p] for p in question.groups]
        grid = np.indices([a.size for a in attributes]).reshape(len(attributes), -1)
        labels = {a.name: tuple(a.labels[c] for c in codes) for a, codes in zip(attributes, grid, strict=True)}
        return CrossTab(
            question=question.text,
            unit=unit,
            groups=labels,
            value=moments.value,
            stderr=moments.stderr,
            bias=bias,
            kurtosis=moments.kurtosis,
            law=self.law,
            notes=notes,
        )
