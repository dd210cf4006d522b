"""BoundedMeansModel: the noisy means of columns of numbers, whose noises share a radius in groups of columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadPlan, BadQuestion, BadSynopsis
from ...laws import Law
from ...maths.geometry.shared_table import SharedTable
from ...maths.geometry.shared_tables import SharedTables
from ...maths.smooth.axes import Axis, axis_of
from ...maths.smooth.expressions import LinearForm
from ...questions.answer import Answer, CrossTab
from ...questions.smooth import SmoothQuestion, parse_smooth
from ...questions.workloads.means import MOST_COLUMNS
from ...words import listed
from ..build_answer import Estimates, Wording, build_smooth_answer
from ..smooth.ratios import SURELY_SHOWN, NoisyNumber, Ratio
from .grouped_cells import GroupedCells
from .joint_limits import DRAWS, end_of

if TYPE_CHECKING:
    from ..sections import Section

__all__ = ["BoundedMeansModel"]

Floats = NDArray[np.float64]
MOST_UNIT = 2**50
# An end of an interval is where its own noise reaches it; found from the value in so many steps.
STEPS = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedMeansModel(GroupedCells):
    """Answers avg(column), of the rows that have a value, and of whatever is a multiple of it and a constant.

    A table a column: what all rows have of the upper end of its range, of the lower, and what is missing, in units.
    """

    kind = "bounded-means"
    domain: Domain
    columns: tuple[str, ...]
    unit: int

    @property
    def form(self) -> int:
        """It came with version 6."""
        return 6

    @cached_property
    def _axes(self) -> list[Axis]:
        return [axis_of(self.domain, name) for name in self.columns]

    @cached_property
    def _tables(self) -> SharedTables:
        total = None if self.rows is None else self.rows * self.unit
        sizes = [2 + axis.optional for axis in self._axes]
        return SharedTables(sizes, self.groups, self.scales, self.cells, total, DRAWS)

    def row_count(self) -> tuple[float, float]:
        total, variance = self._tables.pooled()
        return total / self.unit, variance**0.5 / self.unit

    def parse(self, text: str) -> SmoothQuestion:
        return parse_smooth(text, self.domain, list(self.columns), lambda _, __: 1.0)

    def answer(self, question: SmoothQuestion, *, count: bool = False) -> Answer | CrossTab:
        (asked,) = question.parts.values() if len(question.parts) == 1 else (None,)
        if not isinstance(asked, LinearForm) or question.where or question.groups or question.quantile:
            raise BadQuestion(
                "this synopsis answers only the means it was released for: "
                f"{listed([f'avg({name})' for name in self.columns])}; release smooth() or marginals() for others"
            )
        mean = _Mean.of(self._tables.table(self.columns.index(asked.name)))
        if not mean.ratio.sure:
            raise BadQuestion("the released number of such rows cannot be told from 0, so they have no mean")
        axis = self._axes[self.columns.index(asked.name)]
        start, slope = asked.slope * axis.low + asked.shift, asked.slope * (axis.high - axis.low)
        # Every value was rounded to a multiple of a unit.
        bias = abs(slope) / (2 * self.unit)

        def ends(confidence: float) -> tuple[float, float]:
            reached = (start + slope * np.clip(end, 0.0, 1.0) for end in mean.ends(confidence))
            low, high = sorted(reached)
            return max(low - bias, min(start, start + slope)), min(high + bias, max(start, start + slope))

        wording = Wording(question=question.text, unit="mean", law=Law.LAPLACE, notes=question.notes)
        stderr, kurtosis = abs(slope) * mean.ratio.stderr, mean.ratio.kurtosis
        value = start + slope * mean.ratio.value
        estimates = Estimates(value=value, stderr=stderr, bias=bias, kurtosis=kurtosis)
        return build_smooth_answer(wording, estimates, ends=[ends])

    def sections(self) -> tuple[Section, ...]:
        from ..smooth.smooth_sections import column_sections

        return (*column_sections(self, self.columns), *self._drawn())

    def _drawn(self) -> tuple[Section, ...]:
        """All means on one axis: where each lies between the ends of its column's declared range."""
        from ..sections import Bars, Section, quoted

        labels, shares = list[str](), list[tuple[float, float, float]]()
        for name, axis in zip(self.columns, self._axes, strict=True):
            try:
                answer = self.answer(self.parse(f"avg({quoted(name)})"))
            except BadQuestion:  # too few rows have a value
                continue
            assert isinstance(answer, Answer)
            numbers = np.array([answer.value, *answer.interval(0.95)])
            labels.append(name)
            shares.append(tuple((numbers - axis.low) / (axis.high - axis.low)))
        if not labels:
            return ()
        value, low, high = np.array(shares).T
        bars = Bars(caption="means, from the lower (0%) to the upper end (100%) of each column's declared range",
                    labels=labels, value=value, low=low, high=high)  # fmt: skip
        return (Section(heading="Means on one axis", parts=((bars,),)),)

    def parameters(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "unit": self.unit} | super().parameters()

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        columns = parameters["columns"]
        if not isinstance(columns, list) or not 1 <= len(columns) <= MOST_COLUMNS:
            raise BadSynopsis("the synopsis has a number of columns that makes no sense")
        try:
            return {"cells": sum(2 + axis_of(domain, str(name)).optional for name in columns)}
        except BadPlan as error:
            raise BadSynopsis(f"the synopsis has a column that does not fit its domain: {error}") from None

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> BoundedMeansModel:
        columns, unit = tuple(map(str, parameters["columns"])), parameters["unit"]
        if type(unit) is not int or not 1 <= unit <= MOST_UNIT:
            raise BadSynopsis("the synopsis has a unit that makes no sense")
        sizes = [2 + axis_of(domain, name).optional for name in columns]
        return cls(domain=domain, columns=columns, unit=unit, **cls.read(parameters, numbers, sizes, unit=unit))


@dataclass(frozen=True, eq=False)
class _Mean:
    """The share of the upper end of a range among rows that have a value, with its noise."""

    table: SharedTable
    ratio: Ratio

    @classmethod
    def of(cls, table: SharedTable) -> _Mean:
        """From the cells; of the number of rows nothing is noisy where it is public and nothing can be missing."""
        top, below = (float(line @ table.numbers) for line in (_line(table, 1.0, 0.0), _line(table, 1.0, 1.0)))
        value = top / below if below > 0 else 0.0
        rest, rows = _line(table, 1 - value, -value), _line(table, 1.0, 1.0)
        both = float(table.joint(2, rest + rows) - table.joint(2, rest) - table.joint(2, rows)) / 2
        return cls(table, Ratio(value, _noisy(table, rows, below), _noisy(table, rest, 0.0), both))

    def ends(self, confidence: float) -> tuple[float, float]:
        """Every m that top - m below does not rule out, by draws of its noise; where the rows may be few, `Ratio`."""
        rows = self.ratio.bottom
        if rows.variance and rows.value < SURELY_SHOWN * rows.variance**0.5:
            return self.ratio.ends(confidence)
        return self._end(-1, confidence), self._end(1, confidence)

    def _end(self, side: int, confidence: float) -> float:
        """How far noise reaches depends on m, but by less than m moves: so m is repeated until it agrees [Fie54]."""
        m = self.ratio.value
        for _ in range(STEPS if self.ratio.bottom.variance else 1):
            noise = np.sort(np.abs(self.table.noise(_line(self.table, 1 - m, -m))))
            m = self.ratio.value + side * float(end_of(noise, confidence)) / self.ratio.bottom.value
        return m


def _line(table: SharedTable, upper: float, lower: float) -> Floats:
    """Weights of the cells; what is missing has none."""
    return np.array([upper, lower, 0.0])[: table.numbers.size]


def _noisy(table: SharedTable, line: Floats, value: float) -> NoisyNumber:
    variance = float(table.joint(2, line))
    return NoisyNumber(value, variance, float(table.joint(4, line)) if variance else 0.0)
