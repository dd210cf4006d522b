"""LinearModel: answers that are exact linear combinations of released numbers, so that error bars are exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import TooWide
from ...laws import Law
from ...maths.interactions.noisy_table import Moments, NoisyTable
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ..averages import IN_BINS, Spans, averages, mean_answer
from ..base import Model
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of
from .share_limits import share_limits

__all__ = ["LinearModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Needs only a NoisyTable for any set of attributes it covers; all answers follow from that."""

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
        groups = group_labels(self.domain, question.groups)
        wording = Wording(question=question.text, unit=unit_of(count=count), law=self.law, groups=groups)
        limits = share_limits(moments)
        estimates = Estimates(value=moments.value, stderr=moments.stderr, kurtosis=moments.kurtosis, limits=limits)
        return build_answer(wording, estimates)

    def sum_answer(self, question: Question) -> Answer | CrossTab | None:
        """The sum of an attribute in every group: a linear combination of released numbers, as a count is.

        None where the columns were not released together, so that a count and an average may still be had.
        """
        assert question.average is not None
        try:
            frame = self.frame(question.positions)
        except TooWide:
            return None
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        attribute = self.domain.closed[question.average]
        spans = Spans.of(attribute, question, where)
        ends = [
            [frame.moments(frame.coefficients(inside * values)) for inside in spans.inside]
            for values in (spans.low, (spans.low + spans.high) / 2, spans.high)
        ]
        low, value, high = (np.array([float(moment.value) for moment in end]) for end in ends)
        variance, fourth = (
            np.array([float(getattr(moment, name)) for moment in ends[1]]) for name in ("variance", "fourth")
        )
        kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(fourth), where=variance > 0)
        estimates = Estimates(
            value=value, stderr=np.sqrt(np.maximum(variance, 0)), bias=np.abs(high - low) / 2, kurtosis=kurtosis
        )
        notes = (IN_BINS.format(attribute.name),) if (spans.high > spans.low).any() else ()
        groups = group_labels(self.domain, question.groups)
        return build_answer(
            Wording(question=question.text, unit="sum", law=self.law, groups=groups, notes=notes), estimates
        )

    def _counts(self, frame: NoisyTable, axes: int, where: Floats, *, relative: bool) -> Moments:
        """Cells of the first axes; cells that share one condition on the other axes are computed together."""
        if axes == 0:
            return frame.table(0, where, relative=relative)
        shape = where.shape[:axes]
        flat = where.reshape(int(np.prod(shape)), -1)
        patterns, which = np.unique(flat, axis=0, return_inverse=True)
        out = Moments(*np.zeros((4, len(flat))))
        for number, pattern in enumerate(patterns):
            cells = which.ravel() == number
            part = frame.table(axes, pattern.reshape(where.shape[axes:]), relative=relative)
            for name in ("value", "variance", "fourth", "mixed"):
                getattr(out, name)[cells] = getattr(part, name).ravel()[cells]
        return replace(out, rows=part.rows)

    def _mean(self, question: Question, frame: NoisyTable, where: Floats) -> Answer | CrossTab:
        """Mean of an attribute: sum of its values over number of rows that have one."""
        assert question.average is not None
        attribute = self.domain.closed[question.average]
        released = averages(frame, Spans.of(attribute, question, where))
        return mean_answer(self.domain, question, released.estimates(), law=self.law)
