"""Columns: the first look at a whole table. Single columns, how dependent pairs are, and in what order values go.

Everything after the first tables is a function of released numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows import resolution
from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from ...maths.weighted_rows.resolution import Groupings, likeness_order, ordered, profile_sets, unordered
from ...maths.weighted_rows.shares import Totals
from .budgeted_door import BudgetedDoor
from .forecast import CRUDE, ONE_WAYS, ONE_WAYS_AGAIN, PROFILES, ROWS, SCORES, one_way_plan

__all__ = ["FirstLook"]

Floats = NDArray[np.float64]
# Standard errors above 0 from which on the number of rows counts as known.
SURELY = 3.0


@dataclass(frozen=True, eq=False)
class FirstLook:
    """Tables of single columns, and what follows from them."""

    raw: list[RawTable]
    totals: Totals
    shares: list[Floats]
    ladders: list[Groupings]
    """Groupings of each column from coarse to fine, in an order that `put_in_order` improves."""

    @classmethod
    def measured(cls, survey: BudgetedDoor, first: list[RawTable]) -> FirstLook:
        """Every column, beside what was seen of it at first."""
        raw = first + _alone(survey)
        totals = Totals(len(survey.domain.sizes), raw, survey.rows, ordered(survey.domain))
        shares, loose = totals.shares(), unordered(survey.domain)
        ladders = [Groupings(p, np.argsort(-p, kind="stable") if j in loose else None) for j, p in enumerate(shares)]
        return cls(raw, totals, shares, ladders)

    @property
    def rows(self) -> float:
        """About how many rows there are."""
        return max(self.totals.rows, 1.0)

    def scored(self, survey: BudgetedDoor) -> tuple[list[tuple[int, ...]], Floats, NDArray[np.int64], Fraction]:
        """All pairs, how dependent each is, and the released distances with their scale that say so."""
        sets = resolution.score_sets(self.ladders)
        distances, scale = survey.distances(sets, self._independent, self.rows, survey.share(SCORES))
        deviation = survey.deviation(scale) / CALIBRATION_UNIT
        scores = resolution.dependence(
            distances / CALIBRATION_UNIT, deviation, sets, self.shares, self.totals.variances, self.rows
        )
        if self.totals.rows < SURELY * math.sqrt(self.totals.rows_variance):
            scores[:] = 0.0  # a table that cannot be told from an empty one has no pairs
        return [one.members for one in sets], scores, distances, scale

    def _independent(self, one: GroupedSet) -> Floats:
        return one.expected(self.shares)

    def put_in_order(self, survey: BudgetedDoor, pairs: list[tuple[int, ...]], scores: Floats) -> list[RawTable]:
        """Measures profiles of the values of unordered columns, and orders their ladders by these."""
        columns = unordered(survey.domain)
        sets = profile_sets(columns, self.ladders, pairs, scores)
        if not sets:
            return []
        profiles = survey.tables(sets, [1.0] * len(sets), survey.share(PROFILES))
        for j in columns:
            self.ladders[j] = Groupings(self.shares[j], likeness_order(j, profiles, self.shares, self.rows))
        return profiles

    def known(self) -> list[resolution.Column]:
        """How well each column is known, and how much better it is worth to be known."""
        found = {table.set.members: table.set for table in self.raw if table.set.members and table.set.cells > 1}
        out = []
        for (j,), one in found.items():
            deviation = sum(1 / table.variance for table in self.raw if table.set.members == (j,)) ** -0.5
            large = float((self.rows * self.shares[j] > deviation).sum())
            # A column is in (d - 1) (d - 2) / 2 tables of three, a pair in d - 2.
            out.append(resolution.Column(one, deviation, large, (len(self.shares) - 1) / 2))
        return out


def _alone(survey: BudgetedDoor) -> list[RawTable]:
    """Every column, and once more if what is seen is noise for a good part: groups and scores are made by it."""
    sizes, private = survey.domain.sizes, survey.domain.unit.neighbours == "add-remove"
    sets, shape = one_way_plan(sizes, survey.law, private_rows=private)
    raw = survey.tables(sets, shape, survey.share(ONE_WAYS + ROWS * private))
    rows = max(Totals(len(sizes), raw, survey.rows).rows, 1.0)
    pricing = survey.pricing(survey.left)
    noise = [pricing.loss(one.set) * math.sqrt(one.variance) / rows for one in raw if one.set.members]
    if float(np.mean(noise)) <= CRUDE:
        return raw
    return raw + survey.tables(sets, shape, survey.share(ONE_WAYS_AGAIN))
