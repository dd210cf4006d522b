"""Bars of a whole table: the spread of an answer over replicates, calibrated by what the release has measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.error_ratios import KURTOSIS, NOT_MEASURED, ErrorRatio, deviations
from ...maths.weighted_rows.replicates import Replicates
from ...maths.weighted_rows.resolution import SCORE_LEVEL
from ...questions.parse import Question
from ...words import counted
from ..build_answer import Estimates
from ..limits import WithinPossible

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["ReplicateBars"]

Floats = NDArray[np.float64]


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

    def fractions(self, value: Floats) -> Floats:
        """Standard errors of shares of the rows, one a group."""
        holds, key, cells = self._carriers()
        tables = self.replicates.tables(self.question.positions, holds, key, cells)
        (own,) = next(tables)
        spread = sum((np.asarray((each - own) ** 2) for (each,) in tables), np.zeros(cells))
        spread = np.sqrt(spread / self.replicates.count + self._misfit(value) ** 2 + self._left_out(value) ** 2)
        return np.asarray(self.ratio.ratio * deviations(value, spread, self.width, self.rows))

    def _misfit(self, value: Floats) -> Floats:
        """How far the rows are from the released shares of a single column: where columns nearly fix each other, the
        fit comes to them slowly. 0 for several columns."""
        if self.width != 1:
            return np.zeros_like(value)
        (position,) = self.question.positions
        share = self.model.cloud.shares[position]
        if self.question.where:
            share = share * self.question.where.table((position,), [len(share)])
        return value - (share if self.question.groups else share.sum())

    def _left_out(self, value: Floats) -> Floats:
        """What the dependence of pairs that were not measured may move: their released distances from independence.

        A table of N cells that is D rows away errs by about D / N in a cell, and by D sqrt(v (1 - v) / N) in a random
        union of cells with a share v of the rows. Of a question about k columns, two keep about the share^(2 / k) of
        all rows, and only what the others keep of these is moved.
        """
        if self.width < 2 or self.model.score_scale is None:
            return np.zeros_like(value)
        share = np.clip(value, 1 / self.rows, 1.0) ** (2 / self.width)
        squares = np.zeros_like(share)
        for pair in combinations(sorted(self.question.positions), 2):
            away, cells = self._away(pair)
            squares += (away / self.rows) ** 2 / cells * np.maximum(share * (1 - share), 1 / cells)
        return np.asarray(np.sqrt(squares) * share ** (self.width / 2 - 1))

    def _unseen(self) -> float:
        """How far, as a share of the rows, the averaged column may be from independence of those it was not seen with.

        That moves the mean of a group by about so many standard deviations of its values.
        """
        question = self.question
        if self.model.score_scale is None or question.average is None:
            return 0.0
        own = question.average
        pairs = [tuple(sorted((own, other))) for other in question.positions if other != own]
        return math.sqrt(sum((self._away(pair)[0] / self.rows) ** 2 for pair in pairs))

    def _away(self, pair: tuple[int, ...]) -> tuple[float, int]:
        """How far a pair is from independence, in rows, as released and half a standard error more; and its cells.

        Nothing where the pair was measured, so that the model knows it.
        """
        sizes = self.model.domain.sizes
        cells = math.prod(min(sizes[j], SCORE_LEVEL) for j in pair)
        if pair in self.model.measured_pairs:
            return 0.0, cells
        assert self.model.score_scale is not None
        seen = max(float(self.model.scores[_place(pair, len(sizes))]), 0.0)
        noise = self.model.law.stderr(self.model.score_scale)
        return min((seen + noise / 2) / CALIBRATION_UNIT, self.rows), cells

    def averages(self, has: Floats, middle: Floats, reach: Floats) -> tuple[Floats, Floats]:
        """Standard errors of the shares of rows that have a value, and of the averages of their values.

        `reach` is how far values of a group may be apart. A group that some replicate leaves empty has no bar.
        """
        assert self.question.average is not None
        holds, key, cells = self._carriers()
        codes = self.replicates.codes(self.question.positions)[self.question.average]
        holds = holds & (has[codes] > 0)
        tables = self.replicates.tables(self.question.positions, holds, key, cells, [middle[codes], middle[codes] ** 2])
        share, top, square = next(tables)
        spread, apart = np.zeros(cells), np.zeros(cells)
        with np.errstate(all="ignore"):
            mean = top / share
            for each, sums, _ in tables:
                spread += (each - share) ** 2
                apart += (sums / each - mean) ** 2
            spread, apart = np.sqrt(spread / self.replicates.count), apart / self.replicates.count
            inside = np.maximum(square / share - mean**2, 0.0)
            chance = inside / (self.rows * share) if self.width > 2 else 0.0
            stderr = np.sqrt(apart + chance + inside * self._unseen() ** 2 + (reach / (self.rows * share)) ** 2)
        return self.ratio.ratio * deviations(share, spread, self.width, self.rows), self.ratio.ratio * stderr

    def _carriers(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
        """Which carriers the question keeps, the group of each, and how many groups there are."""
        question, sizes = self.question, self.model.domain.sizes
        codes = self.replicates.codes(question.positions)
        holds = question.where.on_rows(codes)[0] if question.where else np.ones(codes.shape[1], dtype=bool)
        key, cells = np.zeros(codes.shape[1], dtype=np.int64), 1
        for position in question.groups:
            key, cells = key * sizes[position] + codes[position], cells * sizes[position]
        return np.asarray(holds), key, cells

    def counts(self, value: Floats, stderr: Floats) -> Estimates:
        """Numbers of rows from shares: the number of all rows has an error of its own."""
        rows, spread = self.model.total
        moved = np.sqrt((rows * stderr) ** 2 + value**2 * spread)
        return Estimates(
            value=rows * value, stderr=moved, kurtosis=KURTOSIS, limits=_within(rows * value, moved, np.inf)
        )

    def shares(self, value: Floats, stderr: Floats) -> Estimates:
        """Shares between 0 and 1."""
        return Estimates(value=value, stderr=stderr, kurtosis=KURTOSIS, limits=_within(value, stderr, 1.0))

    def notes(self) -> tuple[str, ...]:
        """What the bars mean."""
        columns = counted(self.width, "column")
        text = {
            "measured": f"bars hold for 95% of questions about {columns}, as this release has measured of many",
            "usual": f"bars are made to hold for 95% of questions about {columns}, as on other tables: the calibration "
            "of this release is too small to tell",
            "extrapolated": f"bars for {columns} are extrapolated from those of fewer: no wider tables were compared",
        }[self.ratio.basis]
        if self.model.ratios is None and self.ratio.basis == "usual":
            text = f"bars are made to hold for 95% of questions about {columns}, as on other tables: no calibration"
        return (f"model value: {text}", *self.model.remarks())


def _place(pair: tuple[int, ...], columns: int) -> int:
    """Where a pair stands among all pairs in order."""
    first, second = pair
    return first * columns - first * (first + 1) // 2 + second - first - 1


def _within(value: Floats, stderr: Floats, most: float) -> WithinPossible:
    return WithinPossible(np.atleast_1d(value), np.atleast_1d(stderr), most)
