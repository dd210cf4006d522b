"""What released distances of pairs say of a question: how far the model may be from pairs that it does not know well.

A table of N cells that is D rows away errs by about D / N in a cell, and by D sqrt(v (1 - v) / N) in a random union of
cells with a share v of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.resolution import SCORE_LEVEL

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["KnownPairs"]

Floats = NDArray[np.float64]
Pair = tuple[int, ...]
# A compared pair is believed to be away by what its distance has beyond so many standard errors of its noise.
SURELY = 2.0


@dataclass(frozen=True, eq=False)
class KnownPairs:
    """The pairs among the columns of a question."""

    model: WholeTableModel
    positions: tuple[int, ...]

    @cached_property
    def rows(self) -> float:
        """The number of rows, as released."""
        return self.model.total[0]

    @property
    def pairs(self) -> list[Pair]:
        """All of them, each in order."""
        return list(combinations(sorted(self.positions), 2))

    def left_out(self, value: Floats) -> Floats:
        """What the dependence of pairs that were not measured may move: their released distances from independence.

        Of a question about k columns, two keep about the share^(2 / k) of all rows, and only what the others keep of
        these is moved.
        """
        width = len(self.positions)
        if width < 2 or self.model.score_scale is None:
            return np.zeros_like(value)
        share = np.clip(value, 1 / self.rows, 1.0) ** (2 / width)
        squares = np.zeros_like(share)
        for pair in self.pairs:
            away, cells = self._from_independence(pair)
            squares += _in_union(away / self.rows, cells, share)
        return np.asarray(np.sqrt(squares) * share ** (width / 2 - 1))

    def compared(self, value: Floats) -> Floats:
        """How far answers about two columns are off by the distance between their table and the model's; 0 for others.

        Replicates do not see what a pair has inside the groups that it was measured in.
        """
        audit = self.model.audit
        pair = tuple(sorted(self.positions))
        if len(pair) != 2 or audit is None or (seen := audit.distance(pair)) is None:
            return np.zeros_like(value)
        away = max(seen - SURELY * 2 * audit.stderr, 0.0) / self.rows
        return np.asarray(np.sqrt(_in_union(away, math.prod(self.model.domain.sizes[j] for j in pair), value)))

    def unseen(self, own: int) -> float:
        """How far, as a share of the rows, a column may be from independence of those it was not measured with."""
        if self.model.score_scale is None:
            return 0.0
        pairs: Iterable[Pair] = (tuple(sorted((own, other))) for other in self.positions if other != own)
        return math.sqrt(sum((self._from_independence(pair)[0] / self.rows) ** 2 for pair in pairs))

    def reach(self) -> float:
        """The noise of these columns' tables, as a share of the rows: what noise may hide of one cell at most.

        Of the pair that is known least; where one was not measured, the noise of its two columns.
        """
        noises = [self.model.pair_noise.get(pair) or self._of_columns(pair) for pair in self.pairs]
        return max(noises, default=0.0) / self.rows

    def _of_columns(self, pair: Pair) -> float:
        return math.sqrt(sum(self.model.totals.variances[j] for j in pair))

    def _from_independence(self, pair: Pair) -> tuple[float, int]:
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


def _in_union(away: float, cells: int, share: Floats) -> Floats:
    """The squared error of a union of cells with this share; of one cell where it is as small."""
    return np.asarray(away**2 / cells * np.maximum(share * (1 - share), 1 / cells))


def _place(pair: Pair, columns: int) -> int:
    """Where a pair stands among all pairs in order."""
    first, second = pair
    return first * columns - first * (first + 1) // 2 + second - first - 1
