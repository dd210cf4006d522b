"""Calibrated bars of a weighted model: what noise and chance do to an answer, times how far answers usually are off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...maths.distribution.kind_ratios import KURTOSIS, Kind, deviations, kind_of
from ...maths.distribution.question_parts import MOST_CELLS, question_parts, whole
from ...maths.weighted_rows.error_ratios import ErrorRatio
from ...questions.parse import Question
from ...words import counted, listed
from ..build_answer import Estimates
from ..limits import WithinPossible
from .calibration import WeightedCalibration

if TYPE_CHECKING:
    from ...maths.distribution.carriers import Carriers
    from .weighted import WeightedModel

__all__ = ["CalibratedBars"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CalibratedBars:
    """The bars of the answers to one question that was not measured."""

    model: WeightedModel
    calibration: WeightedCalibration
    question: Question

    @property
    def rows(self) -> float:
        """The number of rows, as well as it is known."""
        return self.model.pooled.rows

    @property
    def width(self) -> int:
        """How many columns the question is about."""
        return len(self.question.positions)

    @property
    def unseen(self) -> tuple[int, ...]:
        """Its columns that the release never looked at."""
        return tuple(p for p in self.question.positions if p not in self.calibration.columns)

    @cached_property
    def kind(self) -> Kind:
        """Whether its columns lie together in the model."""
        return kind_of(self.model.distribution, self.question.positions, self.model.seen)

    @cached_property
    def ratio(self) -> ErrorRatio:
        """How many times their deviation answers of this kind are off; not where pairs were compared one by one."""
        positions = self.question.positions
        untold = sum(p not in self.model.told for p in positions) / max(len(positions), 1)
        return self.calibration.ratios.ratio(self.kind, self.width, self.rows, untold=untold)

    def fractions(self, value: Floats) -> Floats:
        """Standard errors of shares of the rows, one a group; unknown where a column was never looked at."""
        if self.unseen:
            return np.full_like(value, np.nan)
        if self.calibration.ratios.apart:
            return self._by_parts(None, value * (1 - value))
        spread: Floats | float = 0.0
        by_rows: Floats | float = 0.0
        if self.calibration.replicates:
            holds, key, cells = self._carriers()
            spread = self.model.carriers.spread(holds, key, cells)
            alone = self.model.carriers.of_rows()
            by_rows = 0.0 if alone is None else alone.spread(holds, key, cells)
        return np.hypot(self.ratio.ratio * deviations(value, spread, self.rows), by_rows)

    def estimates(self, value: Floats, *, count: bool) -> Estimates:
        """Shares between 0 and 1, or counts: the number of all rows has an error of its own."""
        stderr, scale, most = self.fractions(value), 1.0, 1.0
        if count:
            noise = self.model.pooled.rows_noise.variance
            stderr, scale, most = np.sqrt((self.rows * stderr) ** 2 + value**2 * noise), self.rows, np.inf
        limits = WithinPossible(scale * value, stderr, most)
        return Estimates(value=scale * value, stderr=stderr, kurtosis=np.full(value.shape, KURTOSIS), limits=limits)

    def averages(self, sums: Floats, squares: Floats, share: Floats, has: Floats, middle: Floats) -> Floats:
        """Standard errors of averages of groups, from the model's sums of values and of their squares.

        A sum over rows of (value - average) errs as a share does: by its standard deviation.
        """
        if self.unseen:
            return np.full_like(share, np.nan)
        with np.errstate(all="ignore"):
            mean = sums / share
            inside = np.maximum(squares / share - mean**2, 0.0)
            if self.calibration.ratios.apart:
                return self._by_parts(np.where(has > 0, middle, 0.0) - mean[:, None], inside * share) / share
            apart: Floats | float = 0.0
            by_rows: Floats | float = 0.0
            if self.calibration.replicates:
                apart = self._apart(self.model.carriers, mean, has, middle)
                alone = self.model.carriers.of_rows()
                by_rows = 0.0 if alone is None else self._apart(alone, mean, has, middle)
            return np.asarray(np.sqrt(self.ratio.ratio**2 * (apart + inside / (self.rows * share)) + by_rows))

    @property
    def _noise(self) -> float:
        """The variance of a count in a table of one column."""
        single = [item for item in self.model.measured if item.function is None and len(item.positions) == 1]
        return max((item.variance(self.model.law) for item in single), default=0.0)

    def _by_parts(self, values: Floats | None, variance: Floats) -> Floats:
        """Where dependence was compared apart: of the share of each group, or of its sum of values (groups, codes).

        `variance` is that of each group, for tables so large that nothing is told apart.
        """
        question, sizes = self.question, self.model.domain.sizes
        positions = question.positions
        shape = tuple(sizes[p] for p in positions)
        if len(variance) * math.prod(shape) > MOST_CELLS:
            return self.calibration.ratios.by_parts(whole(variance), self.rows, self._noise)
        where = question.where.table(positions, shape) if question.where else np.ones(shape)
        key = np.zeros(shape, dtype=np.int64)
        for position in question.groups:
            key = key * sizes[position] + _along(np.arange(sizes[position]), positions.index(position), len(shape))
        functions = where * (key == _along(np.arange(len(variance)), 0, len(shape) + 1))
        if values is not None:
            assert question.average is not None
            axis = positions.index(question.average)
            functions = functions * np.moveaxis(_along(values.T, axis, len(shape)), -1, 0)
        parts = question_parts(functions, positions, self.model.distribution.one_ways())
        return self.calibration.ratios.by_parts(parts, self.rows, self._noise)

    def _apart(self, carriers: Carriers, mean: Floats, has: Floats, middle: Floats) -> Floats:
        """Mean square distance of the replicates' averages from the model's."""
        assert self.question.average is not None
        holds, key, cells = self._carriers()
        codes = carriers.codes[self.question.average]
        holds = holds & (has[codes] > 0)
        values, key, total = middle[codes][holds], key[holds], np.zeros(cells)
        own = None
        for each in carriers.shares[:, holds]:
            average = np.bincount(key, each * values, minlength=cells) / np.bincount(key, each, minlength=cells)
            total += 0.0 if own is None else (average - own) ** 2
            own = average if own is None else own
        return np.where(np.isfinite(mean), total / (len(carriers.shares) - 1), np.nan)

    def _carriers(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
        """Which carriers the question keeps, the group of each, and how many groups there are."""
        question, sizes, codes = self.question, self.model.domain.sizes, self.model.carriers.codes
        holds = question.where.on_rows(codes)[0] if question.where else np.ones(codes.shape[1], dtype=bool)
        key, cells = np.zeros(codes.shape[1], dtype=np.int64), 1
        for position in question.groups:
            key, cells = key * sizes[position] + codes[position], cells * sizes[position]
        return np.asarray(holds), key, cells

    def notes(self) -> tuple[str, ...]:
        """What the bars mean, or why there are none."""
        if self.unseen:
            names = listed([self.model.domain.closed[p].name for p in self.unseen])
            return (f"unknown: the release never looked at {names}, so that nothing says how far this is off",)
        if self.calibration.ratios.by_pairs:
            return ("model value: bars hold for 95% of questions, as was measured of every pair of columns",)
        if self.calibration.ratios.apart:
            return ("model value: bars hold for 95% of questions, as was measured of many about two and three columns",)
        columns = counted(self.width, "column")
        many = f"questions about {columns} that were not measured"
        text = {
            "measured": f"bars hold for 95% of {many}, as this release has measured of many",
            "usual": f"bars are made to hold for 95% of {many}, as on other tables: rows and budget are too few for "
            "this release to tell",
            "extrapolated": f"bars for {columns} are extrapolated from those of fewer: no wider tables were compared",
        }[self.ratio.basis]
        return (f"model value: {text}",)


def _along(values: NDArray[Any], axis: int, axes: int) -> NDArray[Any]:
    """The first axis as this one of so many."""
    return values.reshape(*[1] * axis, len(values), *[1] * (axes - axis - 1), *values.shape[1:])
