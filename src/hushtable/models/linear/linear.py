"""LinearModel: answers that are exact linear combinations of released numbers, so that error bars are exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import TooWide
from ...laws import Law
from ...maths.interactions.noisy_table import Independent, Moments, NoisyTable
from ...questions.answer import Answer, CrossTab
from ...questions.arithmetic import NOWHERE, Errors, Later
from ...questions.noises import Noises
from ...questions.parse import Question
from ..averages import IN_BINS, Spans, averages, mean_answer
from ..base import Model
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of
from .share_limits import share_limits

__all__ = ["LinearModel", "of_independent"]

Floats = NDArray[np.float64]
# Tables of answers with more weights than this, over all cells, are not computed with by what they share.
MOST_WEIGHTS = 4_000_000


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Needs only a NoisyTable for any set of attributes it covers; all answers follow from that."""

    domain: Domain
    law: Law

    @abstractmethod
    def frame(self, positions: Sequence[int]) -> NoisyTable:
        """The released numbers about these attributes; TooWide when they were not released together."""

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """The noises of a frame as independent ones, shared with all other frames; None where that is too much.

        weights  what the noise of each number of the frame is multiplied by, one axis more in front: a cell each
        """
        return None

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        frame = self.frame(question.positions)
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        if question.kind == "mean":
            return self._mean(question, frame, where)
        moments = self._counts(frame, len(question.groups), where, relative=not count)
        groups = group_labels(self.domain, question.groups)
        wording = Wording(question=question.text, unit=unit_of(count=count), law=self.law, groups=groups)
        estimates = Estimates(
            value=moments.value, stderr=moments.stderr, kurtosis=moments.kurtosis, limits=share_limits(moments),
            errors=Later(partial(self._counted_errors, question, frame, where, relative=not count)),
        )  # fmt: skip
        return build_answer(wording, estimates)

    def _counted_errors(self, question: Question, frame: NoisyTable, where: Floats, *, relative: bool) -> Errors | None:
        return self._errors(question, frame, _by_cell(question, where), relative=relative)

    def _errors(
        self, question: Question, frame: NoisyTable, functions: Iterable[Floats], *, relative: bool = False
    ) -> Errors | None:
        """What the errors of sums over rows are made of; `functions` of the codes are one a group."""
        cells = int(np.prod([self.domain.sizes[p] for p in question.groups], dtype=np.int64))
        if cells * frame.numbers.size > MOST_WEIGHTS:
            return None
        weights = [frame.noisy(frame.coefficients(function), relative=relative) for function in functions]
        found = self.noises(question.positions, np.array(weights).reshape(-1, *frame.numbers.shape))
        if found is None:
            return None
        return Errors(noises={NOWHERE: found if question.groups else found.mapped(lambda each: each[:, 0])})

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
        middle = [inside * (spans.low + spans.high) / 2 for inside in spans.inside]
        estimates = Estimates(
            value=value, stderr=np.sqrt(np.maximum(variance, 0)), bias=np.abs(high - low) / 2, kurtosis=kurtosis,
            errors=Later(partial(self._errors, question, frame, middle)),
        )  # fmt: skip
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
        spans = Spans.of(self.domain.closed[question.average], question, where)
        found = averages(frame, spans).estimates()
        errors = Later(partial(self._mean_errors, question, frame, spans, np.asarray(found.value)))
        return mean_answer(self.domain, question, replace(found, errors=errors), law=self.law)

    def _mean_errors(self, question: Question, frame: NoisyTable, spans: Spans, means: Floats) -> Errors | None:
        """To first order the noise of an average is that of the sum of (value - average), over the rows of its group.

        The noise of an average that is not known is of no use, and so it has none here.
        """
        middle, functions = (spans.low + spans.high) / 2, []
        for inside, mean in zip(spans.inside, means, strict=True):
            rows = float(frame.moments(frame.coefficients(inside)).value)
            known = np.isfinite(mean) and rows > 0
            functions.append(inside * (middle - mean) / rows if known else np.zeros_like(inside))
        return self._errors(question, frame, functions)


def _by_cell(question: Question, where: Floats) -> Iterable[Floats]:
    """The condition of the rows of each group."""
    for cell in np.ndindex(*where.shape[: len(question.groups)]):
        kept = np.zeros_like(where)
        kept[cell] = where[cell]
        yield kept


def of_independent(frame: Independent, numbers: NDArray[np.int64], weights: Floats) -> Noises:
    """The noises of a frame whose numbers have independent ones; `numbers` says which each has."""
    sizes, squares = np.sqrt(frame.variances), frame.variances**2
    kurtosis = np.divide(frame.fourths, squares, out=np.zeros_like(squares), where=squares > 0)
    each = (weights * sizes).reshape(len(weights), -1).T
    return Noises.of(numbers.ravel(), each, float(kurtosis.max(initial=0.0)))
