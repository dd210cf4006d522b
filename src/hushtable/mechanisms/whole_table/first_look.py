"""First look at a whole table: single columns, how dependent pairs are, and in what order values go.

Everything after the first tables is a function of released numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows import resolution
from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from ...maths.weighted_rows.repair import PairDistances
from ...maths.weighted_rows.resolution import (
    Groupings,
    level_order,
    likeness_order,
    nested_of,
    ordered,
    profile_sets,
    ranges_of,
    unordered,
)
from ...maths.weighted_rows.shares import ColumnTotals
from .budget_shares import CRUDE, ONE_WAYS_AGAIN, PROFILES, ROWS, SCORES
from .budgeted_door import BudgetedDoor
from .forecast import FOUND_CELLS, one_way_plan, one_way_share

__all__ = ["MIN_SIGMAS", "FirstLook", "Scores"]

Floats = NDArray[np.float64]
# Standard errors above 0 from which on the number of rows counts as known.
MIN_SIGMAS = 3.0
# How much more the error of a column matters than by the tables that it is in.
ALONE = 2.0


@dataclass(frozen=True, eq=False)
class Scores:
    """How dependent every two columns are, and the released distances that say so."""

    pairs: list[tuple[int, ...]]
    dependence: Floats
    distances: NDArray[np.int64]
    scale: Fraction
    away: PairDistances
    """The same distances in rows, with what chance would show."""

    @property
    def by_pair(self) -> dict[tuple[int, ...], float]:
        """Dependence by pair."""
        return dict(zip(self.pairs, self.dependence.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class FirstLook:
    """Tables of single columns, and what follows from them."""

    raw: list[RawTable]
    totals: ColumnTotals
    shares: list[Floats]
    groupings: list[Groupings]
    """Groupings of each column from coarse to fine, in an order that `put_in_order` improves."""
    profiles: tuple[RawTable, ...] = ()
    """What `put_in_order` measured for that."""

    @property
    def tables(self) -> list[RawTable]:
        """All that was measured."""
        return [*self.raw, *self.profiles]

    @classmethod
    def measured(cls, survey: BudgetedDoor, first: list[RawTable]) -> FirstLook:
        """Every column, beside what was seen of it at first."""
        raw = first + _alone(survey)
        totals = ColumnTotals(len(survey.domain.sizes), raw, survey.rows, ordered(survey.domain), survey.found)
        shares, loose = totals.shares(), unordered(survey.domain)
        declared = [level_order(survey.domain, j) for j in range(len(shares))]
        by_size = [(np.argsort(-p, kind="stable"), None) if j in loose else declared[j] for j, p in enumerate(shares)]
        even = set(nested_of(survey.domain))
        ladders = [
            Groupings(p, *order, even=j in even) for j, (p, order) in enumerate(zip(shares, by_size, strict=True))
        ]
        return cls(raw, totals, shares, ladders)

    @property
    def rows(self) -> float:
        """About how many rows there are."""
        return max(self.totals.rows, 1.0)

    def scored(self, survey: BudgetedDoor) -> Scores:
        """How dependent all pairs are."""
        sets = resolution.score_sets(self.groupings)
        distances, scale = survey.distances(sets, self._independent, self.rows, survey.share(SCORES))
        deviation = survey.law.stderr(scale) / CALIBRATION_UNIT
        far = distances / CALIBRATION_UNIT
        chance = resolution.chance_distances(sets, self.shares, self.totals.variances, self.rows)
        scores = resolution.dependence(far, deviation, chance, self.rows)
        if self.totals.rows < MIN_SIGMAS * math.sqrt(self.totals.rows_variance):
            scores[:] = 0.0  # a table that cannot be told from an empty one has no pairs
        pairs = [pair.members for pair in sets]
        seen, by_chance = (dict(zip(pairs, each.tolist(), strict=True)) for each in (far, chance))
        maps = [grouping.steps[resolution.SCORE_LEVEL] for grouping in self.groupings]
        away = PairDistances(seen, by_chance, deviation, maps)
        return Scores(pairs, scores, distances, scale, away)

    def _independent(self, pair: GroupedSet) -> Floats:
        return pair.expected(self.shares)

    def put_in_order(self, survey: BudgetedDoor, scores: Scores) -> FirstLook:
        """With the values of unordered columns ordered by their profiles, which are measured for that."""
        columns = unordered(survey.domain)
        sets = profile_sets(columns, self.groupings, scores.pairs, scores.dependence)
        if not sets:
            return self
        profiles = survey.tables(sets, [1.0] * len(sets), survey.share(PROFILES))
        groupings = list(self.groupings)
        for j in columns:
            groupings[j] = Groupings(self.shares[j], likeness_order(j, profiles, self.shares, self.rows))
        return replace(self, groupings=groupings, profiles=tuple(profiles))

    def known(self) -> list[resolution.Column]:
        """How well each column is known, and how much better it is worth to be known."""
        columns = {table.set.members: table.set for table in self.raw if table.set.members and table.set.cells > 1}
        known = []
        for (j,), column in columns.items():
            told = sum(1 / table.variance for table in self.raw if table.set.members == (j,))
            deviation = (told + self.totals.before(j)) ** -0.5
            large = float((self.rows * self.shares[j] > deviation).sum())
            if self.groupings[j].even:
                large = min(large, float(FOUND_CELLS))
            # A column is in (d - 1) (d - 2) / 2 tables of three, a pair in d - 2; and it is asked about alone.
            known.append(resolution.Column(column, deviation, large, ALONE * (len(self.shares) - 1) / 2))
        return known


def _alone(survey: BudgetedDoor) -> list[RawTable]:
    """Every column, and once more if what is seen is noise for a good part: groups and scores are made by it."""
    sizes, private, found = survey.domain.sizes, survey.domain.unit.private_rows, ranges_of(survey.domain)
    sets, shape = one_way_plan(sizes, survey.law, private_rows=private, found=found)
    raw = survey.tables(sets, shape, survey.share(one_way_share(survey.domain, survey.law) + ROWS * private))
    totals = ColumnTotals(len(sizes), raw, survey.rows, found=survey.found)
    rows = max(totals.rows, 1.0)
    pricing = survey.pricing(survey.left)
    # Cells of a number are so many because they show its shape: their noise evens out in what they are grouped into.
    cells = {j: float(min(size, FOUND_CELLS) if j in found else size) for j, size in enumerate(sizes)}
    noise = [pricing.loss(table.set, cells[j]) * (1 / table.variance + totals.before(j)) ** -0.5 / rows
             for table in raw for j in table.set.members]  # fmt: skip
    if float(np.mean(noise)) <= CRUDE:
        return raw
    return raw + survey.tables(sets, shape, survey.share(ONE_WAYS_AGAIN))
