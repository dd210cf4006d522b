"""Column means: exact averages of the columns that a domain declares, from released sums of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Binned
from ..errors import BadSynopsis
from ..laws import Law
from ..maths.interactions.noisy_table import Moments
from ..questions.answer import Answer, CrossTab
from ..questions.parse import Question
from .averages import Spans, averages
from .build_answer import Estimates, Wording, build_answer, group_labels
from .reading import noise_scale, read_law

__all__ = ["ColumnMeans"]

Floats = NDArray[np.float64]
FINEST = 2**40
NOTE = "from the released sum of {}, not from its bins; values beyond {} and {} count as these"


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnMeans:
    """Noisy numbers of units at the lower and the upper end of columns, of all rows and in the cells of one column."""

    domain: Domain
    law: Law
    unit: int
    tables: tuple[tuple[str, str | None], ...]
    scales: tuple[Fraction, ...]
    sums: NDArray[np.int64]

    def answer(self, question: Question) -> Answer | CrossTab | None:
        """The average of a declared column over the rows that a condition on one other column keeps, or in its
        groups; None for any other question."""
        found = self._table(question)
        if found is None:
            return None
        attribute, numbers, inside = found
        low, high = float(attribute.low), float(attribute.high)
        ends = np.array([low, high])
        count = len(inside)
        spans = Spans(inside, ends, ends, np.full(count, low), np.full(count, high))
        means = averages(numbers, spans).estimates()
        rounding = (high - low) / (2 * self.unit)
        means = Estimates(
            value=means.value, stderr=means.stderr, bias=np.asarray(means.bias) + rounding, kurtosis=means.kurtosis,
            limits=_Rounded(means, rounding),
        )  # fmt: skip
        return self._built(question, means, attribute, unit="mean")

    def sum_answer(self, question: Question) -> Answer | CrossTab | None:
        """The sum of such a column; None for any other question."""
        found = self._table(question)
        if found is None:
            return None
        attribute, numbers, inside = found
        ends = np.array([float(attribute.low), float(attribute.high)])
        moments = [numbers.moments(numbers.coefficients(own * ends)) for own in inside]
        rows = [float(numbers.moments(numbers.coefficients(own)).value) for own in inside]
        value, variance, fourth = (
            np.array([float(getattr(m, name)) for m in moments]) for name in ("value", "variance", "fourth")
        )
        kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(fourth), where=variance > 0)
        bias = np.maximum(rows, 0.0) * (ends[1] - ends[0]) / (2 * self.unit)
        estimates = Estimates(value=value, stderr=np.sqrt(variance), bias=bias, kurtosis=kurtosis)
        return self._built(question, estimates, attribute, unit="sum")

    def _built(self, question: Question, estimates: Estimates, attribute: Binned, *, unit: Any) -> Answer | CrossTab:
        note = NOTE.format(attribute.name, attribute.text(attribute.low), attribute.text(attribute.high))
        wording = Wording(question=question.text, unit=unit, law=self.law, notes=(note,),
                          groups=group_labels(self.domain, question.groups))  # fmt: skip
        return build_answer(wording, estimates)

    def _table(self, question: Question) -> tuple[Binned, _TableSums, list[Floats]] | None:
        """The released table that tells an answer, and which of its cells each group keeps."""
        if question.average is None or question.measure.worth is not None:
            return None
        attribute = self.domain.closed[question.average]
        others = {*question.groups, *(question.where.positions if question.where else ())}
        if len(others) > 1 or question.average in others:
            return None
        by = next(iter(others), None)
        key = (attribute.name, None if by is None else self.domain.closed[by].name)
        if key not in self.tables or not isinstance(attribute, Binned):
            return None
        positions = [] if by is None else [by]
        sizes = [self.domain.sizes[p] for p in positions]
        kept = question.where.table(positions, sizes) if question.where else np.ones(sizes)
        cells = kept.reshape(-1, 1) * np.ones(2)
        if not question.groups:
            return attribute, self._numbers(key), [cells]
        return attribute, self._numbers(key), [cells * (np.arange(len(cells)) == i)[:, None] for i in range(len(cells))]

    def _numbers(self, key: tuple[str, str | None]) -> _TableSums:
        place = self.tables.index(key)
        first, last = self._starts[place], self._starts[place + 1]
        scale = float(self.scales[place]) / self.unit**self.law.power
        return _TableSums(self.sums[first:last].reshape(-1, 2) / self.unit, self.law.variance(scale),
                          self.law.fourth(scale))  # fmt: skip

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *np.cumsum(table_lengths(self.domain, self.tables)).tolist()]

    def parameters(self) -> dict[str, Any]:
        """What the manifest says of them."""
        return {
            "tables": [list(table) for table in self.tables],
            "unit": self.unit,
            "law": self.law,
            "scales": [str(scale) for scale in self.scales],
        }

    @classmethod
    def length(cls, domain: Domain, parameters: dict[str, Any]) -> int:
        """How many numbers there are; known before any of them is read."""
        return sum(table_lengths(domain, _read_tables(domain, parameters)))

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], sums: NDArray[np.int64]) -> ColumnMeans:
        """The inverse of `parameters`."""
        tables, law, unit = _read_tables(domain, parameters), read_law(parameters["law"]), parameters["unit"]
        if type(unit) is not int or not 1 <= unit <= FINEST:
            raise BadSynopsis("the synopsis has sums in a unit that makes no sense")
        scales = tuple(noise_scale(scale, law, unit=unit) for scale in parameters["scales"])
        if len(scales) != len(tables):
            raise BadSynopsis("the synopsis has not one noise for every table of sums")
        return cls(domain=domain, law=law, unit=unit, tables=tables, scales=scales, sums=sums)


def table_lengths(domain: Domain, tables: Sequence[tuple[str, str | None]]) -> list[int]:
    """How many numbers each table has."""
    return [2 * (1 if by is None else domain.closed[domain.position(by)].size) for _, by in tables]


def _read_tables(domain: Domain, parameters: dict[str, Any]) -> tuple[tuple[str, str | None], ...]:
    found = []
    for name, by in parameters["tables"]:
        if not isinstance(domain.closed[domain.position(name)], Binned) or not (by is None or isinstance(by, str)):
            raise BadSynopsis("the synopsis has sums of a column that has none")
        found.append((str(name), by))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _TableSums:
    """Released numbers of rows at both ends, cell by cell, with independent noise of one variance."""

    rows: Floats
    variance: float
    fourth: float

    def coefficients(self, function: Floats) -> Floats:
        return function

    def moments(self, coefficients: Floats) -> Moments:
        return Moments(
            np.array(float((coefficients * self.rows).sum())),
            np.array(float((coefficients**2).sum()) * self.variance),
            np.array(float((coefficients**4).sum()) * self.fourth),
        )


@dataclass(frozen=True, eq=False)
class _Rounded:
    """Limits that are wider by what rounding to units may move an average."""

    means: Estimates
    rounding: float

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        assert self.means.limits is not None
        low, high = self.means.limits(confidence)
        return low - self.rounding, high + self.rounding
