"""Bars of a whole table: the spread of an answer over replicates, calibrated by what the release has measured."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.error_ratios import KURTOSIS, NOT_MEASURED, ErrorRatio, deviations
from ...maths.weighted_rows.replicates import Replicates
from ...questions.answer import interval_factor
from ...questions.arithmetic import NOWHERE, Errors, Size
from ...questions.parse import Question
from ...words import counted
from ..at_once import AtOnce
from ..build_answer import Estimates
from .column_noise import mean_noise, moved_by_columns, one_column
from .known_pairs import KnownPairs
from .model_shares import shares as shares_of

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["ReplicateBars", "ShareBars", "errors_of"]

Floats = NDArray[np.float64]
Alone = dict[tuple[str, Hashable], Size]
# The fit is softened by noise, so that averages of a pair's groups err less than its noise alone would make them.
SHRUNK = 0.7
# Shares of more cells are not made for averages.
MOST_CELLS = 100_000
# Of questions about several columns, at most so many are about cells that noise has hidden.
HIDDEN = 0.02
ONE_COLUMN = "its bar is the noise of the released counts of this column, and how far the model's rows are from them"


@dataclass(frozen=True, eq=False)
class ReplicateBars:
    """The bars of the answers to one question."""

    model: WholeTableModel
    replicates: Replicates
    question: Question

    @cached_property
    def rows(self) -> float:
        """The number of rows, as released."""
        return self.model.total[0]

    @property
    def width(self) -> int:
        """How many columns the question is about."""
        return len(self.question.positions)

    @cached_property
    def ratio(self) -> ErrorRatio:
        """How many times their deviation answers about so many columns are off."""
        return (self.model.ratios or NOT_MEASURED).ratio(self.width)

    @property
    def exact(self) -> bool:
        """Whether the noise itself is the bar: of one column, where its counts were released."""
        return self.width == 1 and self.model.rare is None

    @cached_property
    def pairs(self) -> KnownPairs:
        """What is known of the pairs of its columns."""
        return KnownPairs(self.model, self.question.positions)

    def fractions(self, value: Floats) -> ShareBars:
        """How far shares of the rows may be off, one a group."""
        holds, key, cells = self._carriers()
        tables = self.replicates.tables(self.question.positions, holds, key, cells)
        (own,) = next(tables)
        apart = [each - own for (each,) in tables]
        spread = sum((each**2 for each in apart), np.zeros(cells)) / self.replicates.count
        bars = self._of_one_column(value) if self.exact else self.around(value, spread)
        return replace(bars, apart=self._calibrated(np.array(apart)))

    def _of_one_column(self, value: Floats) -> ShareBars:
        return ShareBars(*one_column(self.model, self.question, value))

    def _calibrated(self, apart: Floats) -> Floats:
        """Distances of replicates, as far as answers are off."""
        return apart if self.exact else self.ratio.ratio * apart

    def around(self, value: Floats, spread: Floats) -> ShareBars:
        """The bars of shares whose replicates have this mean squared distance from them."""
        squares = spread + self._misfit(value) ** 2 + self.pairs.left_out(value) ** 2
        squares = np.maximum(squares, self.pairs.compared(value) ** 2)
        if self.model.rare is None:
            squares = np.maximum(squares, moved_by_columns(self.model, self.replicates, self.question, value))
        stderr = self.ratio.ratio * self._deviations(value, np.sqrt(squares))
        reach = self.pairs.reach() if self.model.rare is None else 0.0
        return ShareBars(stderr, np.full_like(stderr, KURTOSIS), reach)

    def _deviations(self, share: Floats, spread: Floats) -> Floats:
        older = self.model.ratios is not None and self.model.ratios.all_chance
        return deviations(share, spread, self.width, self.rows, all_chance=older)

    def _misfit(self, value: Floats) -> Floats:
        """How far the rows are from the released shares of a single column. 0 for several columns."""
        if self.width != 1:
            return np.zeros_like(value)
        (position,) = self.question.positions
        share = self.model.cloud.shares[position]
        if self.question.where:
            share = share * self.question.where.table((position,), [len(share)])
        return value - (share if self.question.groups else share.sum())

    def averages(self, has: Floats, middle: Floats, reach: Floats) -> tuple[Floats, Floats, Floats]:
        """Standard errors of the shares of rows that have a value, and of the averages of their values; and how far
        each replicate is from these averages.

        `reach` is how far values of a group may be apart. A group that some replicate leaves empty has no bar.
        """
        assert self.question.average is not None
        holds, key, cells = self._carriers()
        codes = self.replicates.codes(self.question.positions)[self.question.average]
        holds = holds & (has[codes] > 0)
        tables = self.replicates.tables(self.question.positions, holds, key, cells, [middle[codes], middle[codes] ** 2])
        share, top, square = next(tables)
        spread, apart = np.zeros(cells), list[Floats]()
        with np.errstate(all="ignore"):
            mean = top / share
            for each, sums, _ in tables:
                spread += (each - share) ** 2
                apart.append(sums / each - mean)
            spread = np.sqrt(spread / self.replicates.count)
            inside = np.maximum(square / share - mean**2, 0.0)
            chance = inside / (self.rows * share) if self.width > 2 else 0.0
            unseen = self.pairs.unseen(self.question.average)
            moved = sum((each**2 for each in apart), np.zeros(cells)) / self.replicates.count
            squares = moved + chance + inside * unseen**2 + (reach / (self.rows * share)) ** 2
            stderr = np.maximum(self.ratio.ratio * np.sqrt(squares), self._by_cells(has, middle, mean, share))
            stderr = np.maximum(stderr, SHRUNK * mean_noise(self.model, self.question, middle * has, mean) / share)
        return self.ratio.ratio * self._deviations(share, spread), stderr, self.ratio.ratio * np.array(apart)

    def _by_cells(self, has: Floats, middle: Floats, mean: Floats, share: Floats) -> Floats:
        """Standard errors of averages by the bars of each value's share, as if these erred independently."""
        own, groups = self.question.average, self.question.groups
        cells = len(mean) * len(middle)
        if own in groups or cells > MOST_CELLS:
            return np.zeros_like(mean)
        assert own is not None
        shares = Question(text="", where=self.question.where, groups=(*groups, own))
        bars = ReplicateBars(self.model, self.replicates, shares)
        value = shares_of(self.model, shares.where, shares.groups)
        errors = (bars.fractions(value).stderr.reshape(len(mean), -1) * has) ** 2
        return np.asarray(np.sqrt((errors * (middle - mean[:, None]) ** 2).sum(axis=1)) / share)

    def _carriers(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
        """Which carriers the question keeps, the group of each, and how many groups there are."""
        question, sizes = self.question, self.model.domain.sizes
        codes = self.replicates.codes(question.positions)
        holds = question.where.on_rows(codes)[0] if question.where else np.ones(codes.shape[1], dtype=bool)
        key, cells = np.zeros(codes.shape[1], dtype=np.int64), 1
        for position in question.groups:
            key, cells = key * sizes[position] + codes[position], cells * sizes[position]
        return np.asarray(holds), key, cells

    def counts(self, value: Floats, bars: ShareBars) -> Estimates:
        """Numbers of rows from shares: the number of all rows has an error of its own."""
        rows, spread = self.model.total
        stderr = np.sqrt((rows * bars.stderr) ** 2 + value**2 * spread)
        moved = ShareBars(stderr, bars.kurtosis, rows * bars.reach, rows * bars.apart)
        alone: Alone = {(NOWHERE, "number of rows"): value * math.sqrt(spread)}
        errors = errors_of(self.question, rows * bars.stderr, moved.apart, alone)
        return moved.estimates(rows * value, np.inf, errors)

    def shares(self, value: Floats, bars: ShareBars) -> Estimates:
        """Shares between 0 and 1."""
        return bars.estimates(value, 1.0, errors_of(self.question, bars.stderr, bars.apart))

    def notes(self) -> tuple[str, ...]:
        """What the bars mean."""
        columns = counted(self.width, "column")
        if self.exact and self.question.kind == "count":
            return (f"model value: {ONE_COLUMN}", *self.model.remarks())
        text = {
            "measured": f"bars hold for 95% of questions about {columns}, as this release has measured of many",
            "usual": f"bars are made to hold for 95% of questions about {columns}, as on other tables: the calibration "
            "of this release is too small to tell",
            "extrapolated": f"bars for {columns} are extrapolated from those of fewer: no wider tables were compared",
        }[self.ratio.basis]
        if self.model.ratios is None and self.ratio.basis == "usual":
            text = f"bars are made to hold for 95% of questions about {columns}, as on other tables: no calibration"
        return (f"model value: {text}", *self.model.remarks())


def errors_of(question: Question, stderr: Floats, apart: Floats, alone: Alone | None = None) -> Errors:
    """What the errors of answers are made of: replicates, and what the bar of a question has beyond them."""
    variance, shown = stderr**2, np.mean(apart**2, axis=0)
    with np.errstate(all="ignore"):
        apart = np.where(shown > variance, apart * np.sqrt(variance / shown), apart)
    beside = np.sqrt(np.maximum(variance - shown, 0.0))
    own = (question.measure, question.where, question.groups)
    found = Errors(replicates={NOWHERE: apart}, single={(NOWHERE, own): beside, **(alone or {})})
    return found if question.groups else found.mapped(lambda each: each[..., 0])


@dataclass(frozen=True, eq=False)
class ShareBars:
    """Standard errors, the kurtosis of what they stand for, and how much noise may hide of a cell at most."""

    stderr: Floats
    kurtosis: Floats
    reach: float = 0.0
    apart: Floats = field(default_factory=lambda: np.zeros((0, 1)))
    """How far each replicate is from the answers: a line a replicate."""

    def estimates(self, value: Floats, most: float, errors: Errors) -> Estimates:
        """Values between 0 and `most` with these bars."""
        value = np.atleast_1d(value)
        limits = _Within(value, replace(self, apart=np.zeros((0, 1))), most)
        return Estimates(value=value, stderr=self.stderr, kurtosis=self.kurtosis, limits=limits, errors=errors,
                         at_once=AtOnce(limits, self.apart, self.stderr))  # fmt: skip

    def half(self, confidence: float) -> Floats:
        """Half of the width of intervals that hold for such a share of the questions.

        Few questions are about cells that noise has hidden whole, and of which replicates show nothing: at most HIDDEN
        of them. These few are known by the noise alone.
        """
        half = interval_factor(confidence, self.kurtosis) * self.stderr
        if 1 - confidence >= HIDDEN:
            return np.asarray(half)
        return np.asarray(np.maximum(half, self.reach * NormalDist().inv_cdf(1 - (1 - confidence) / (2 * HIDDEN))))


@dataclass(frozen=True, eq=False)
class _Within:
    """Intervals around values, cut where no share or count can be."""

    value: Floats
    bars: ShareBars
    most: float

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        half = self.bars.half(confidence)
        return np.maximum(self.value - half, 0.0), np.minimum(self.value + half, self.most)
