"""LinearModel: answers that are exact linear combinations of released numbers, so that error bars are exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attributes import Attribute, Binned
from ..domain import Domain
from ..errors import BadQuestion
from ..interactions import Law
from ..questions.answer import Answer, AnswerUnit, CrossTab
from ..questions.parse import Question
from .base import Model
from .frame import Frame, Moments

__all__ = ["LinearModel", "levels"]

Floats = NDArray[np.float64]
# A mean needs a group that is surely there: fewer released rows than this many standard errors is no group.
SURELY = 3.0


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Needs only a Frame for any set of attributes it covers; all answers follow from that."""

    domain: Domain
    law: Law

    @abstractmethod
    def frame(self, positions: Sequence[int]) -> Frame:
        """The released numbers about these attributes; TooWide when they were not released together."""

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        """See Model."""
        frame = self.frame(question.positions)
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        if question.kind == "mean":
            return self._mean(question, frame, where)
        moments = self._counts(frame, len(question.groups), where, relative=not count)
        unit: AnswerUnit = "count" if count else "fraction"
        zeros = np.zeros_like(moments.value)
        return self._wrapped(question, unit, moments, zeros, ())

    def _counts(self, frame: Frame, axes: int, where: Floats, *, relative: bool) -> Moments:
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

    def _mean(self, question: Question, frame: Frame, where: Floats) -> Answer | CrossTab:
        """Mean of an attribute: sum of its values over number of rows that have one."""
        assert question.average is not None
        attribute = self.domain.closed[question.average]
        shape = [1] * where.ndim
        shape[question.positions.index(question.average)] = attribute.size
        middle, half, has = (column.reshape(shape) for column in levels(attribute))
        axes = len(question.groups)
        cells = np.ndindex(*where.shape[:axes]) if axes else [()]
        parts = [self._mean_of(frame, _only(where, cell), middle, half, has) for cell in cells]
        if axes == 0 and np.isnan(parts[0][0]):
            raise BadQuestion("the released number of such rows cannot be told from 0, so they have no mean")
        value, variance, fourth, bias = (np.array(column) for column in zip(*parts, strict=True))
        notes = (
            (f"{attribute.name} was released in bins: the bias bound says how far the values inside may move it",)
            if half.any()
            else ()
        )
        if np.isnan(value).any():
            notes = (*notes, "a group too small to tell from 0 has no mean")
        moments = Moments(value, variance, fourth)
        if axes == 0:
            moments, bias = Moments(value[0], variance[0], fourth[0]), bias[0]
        return self._wrapped(question, "mean", moments, bias, notes)

    def _mean_of(
        self, frame: Frame, where: Floats, middle: Floats, half: Floats, has: Floats
    ) -> tuple[float, float, float, float]:
        """Value, variance, fourth cumulant and bias bound; the variance is that of the worse end of the bound."""
        rows = frame.coefficients(where * has)
        below = frame.moments(rows)
        if not float(below.value) > SURELY * float(below.stderr):
            return np.nan, np.nan, np.nan, np.nan
        ends = []
        for values in (middle, middle - half, middle + half):
            top = frame.coefficients(where * has * values)
            mean = float(frame.moments(top).value / below.value)
            noise = frame.moments((top - mean * rows) / float(below.value))
            ends.append((mean, float(noise.variance), float(noise.fourth)))
        _, variance, fourth = max(ends, key=lambda end: end[1])
        # Bins whose noisy counts are negative pull the ends across each other; a bound is never below 0.
        return ends[0][0], variance, fourth, max(0.0, (ends[2][0] - ends[1][0]) / 2)

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


def _only(where: Floats, cell: tuple[int, ...]) -> Floats:
    """The condition restricted to one cell of the first axes."""
    if not cell:
        return where
    kept = np.zeros_like(where)
    kept[cell] = where[cell]
    return kept


def levels(attribute: Attribute) -> tuple[Floats, Floats, Floats]:
    """Per code: middle of its values, half their range, and whether the row has a value at all."""
    if isinstance(attribute, Binned):
        reach: list[Any] = attribute.reach()
        middle = [float(low + high) / 2 for low, high in reach]
        half = [float(high - low) / 2 for low, high in reach]
    else:
        middle, half = [0.0, 1.0], [0.0, 0.0]
    extra = attribute.size - len(middle)
    return (
        np.array(middle + [0.0] * extra),
        np.array(half + [0.0] * extra),
        np.array([1.0] * len(middle) + [0.0] * extra),
    )
