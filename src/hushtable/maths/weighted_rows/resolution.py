"""Resolution: which pairs are worth measuring, and how finely; decided from released numbers only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .grouped_sets import GroupedSet
from .levels import LEVELS, Groupings

__all__ = ["MOST_CELLS", "Column", "Pricing", "TablePlan", "dependence", "plan_pairs", "plan_tables", "score_sets"]

Floats = NDArray[np.float64]
# The level at which dependence is scored, the most cells of a pair, and how much of the dependence a pair's noise
# may cost; see docs/whole-table.md for what was tried.
SCORE_LEVEL, MOST_CELLS, WORTH = 12, 1024, 0.7
# Halvings of the search for the thrift that spends everything.
STEPS = 50


@dataclass(frozen=True)
class Pricing:
    """What noise costs: a table at standard deviation s (of every direction) costs price(table) (unit / s)^power of 1.

    unit      standard deviation at which a table of price 1 uses up everything
    replaced  whether rows are replaced; then a row that differs in one attribute of a table costs the most
    """

    law: Law
    unit: float
    replaced: bool = False

    @property
    def power(self) -> int:
        """2 for Gaussian noise (in rho), 1 for Laplace noise (in epsilon)."""
        return 2 if self.law == Law.GAUSSIAN else 1

    def price(self, one: GroupedSet) -> float:
        """Gaussian noise goes on interactions, which cost less than cells; Laplace noise on cells."""
        if self.law == Law.LAPLACE:
            return 1.0
        # Two rows are furthest apart when they differ in the member of fewest groups alone.
        return math.prod(1 - 1 / size for size in sorted(one.shape)[1:]) if self.replaced else one.length

    def loss(self, one: GroupedSet, cells: float | None = None) -> float:
        """Expected total variation, in rows, that noise of standard deviation 1 adds: half the mean absolute value.

        `cells` says how many cells are large enough to be changed by it, where not all are.
        """
        half_mean = 0.4 if self.law == Law.GAUSSIAN else 0.3536
        return half_mean * (one.cells if cells is None else cells) * math.sqrt(one.length)

    def deviation(self, price: float, loss: float, thrift: float) -> float:
        """The standard deviation at which one more unit of price would lower the loss by 1 / thrift."""
        return float((thrift * price / loss) ** (1 / (self.power + 1)))

    def cost(self, price: float, deviation: float) -> float:
        """Share of everything that is spent."""
        return price * (self.unit / deviation) ** self.power


def score_sets(ladders: Sequence[Groupings]) -> list[GroupedSet]:
    """All pairs at the level of the scores."""
    maps = [ladder.steps[SCORE_LEVEL] for ladder in ladders]
    return [GroupedSet((i, j), (maps[i], maps[j])) for i, j in combinations(range(len(maps)), 2)]


def dependence(
    distances: Floats,
    deviation: float,
    sets: Sequence[GroupedSet],
    shares: Sequence[Floats],
    variances: Sequence[float],
    rows: float,
) -> Floats:
    """Total variation of each pair from independence, without what sampling and noise alone would show.

    `distances` are the sums of |count - rows p_i p_j|, with noise of a standard deviation. A cell of expectation e
    has a mean absolute error of
    about 0.8 sqrt(e + p_i^2 v_j + p_j^2 v_i), v = noise variance of a group's one-way count.
    """
    scores, noise = np.empty(len(sets)), deviation / (2 * rows)
    for number, (one, distance) in enumerate(zip(sets, distances, strict=True)):
        sides = []
        for member, groups in zip(one.members, one.maps, strict=True):
            sides.append((np.bincount(groups, shares[member]), np.bincount(groups) * variances[member]))
        (p, v), (q, w) = sides
        spread = rows * np.outer(p, q) + np.outer(p**2, w) + np.outer(v, q**2)
        chance = 0.8 * np.sqrt(spread).sum() / (2 * rows)
        scores[number] = np.sqrt(max((max(distance, 0.0) / (2 * rows)) ** 2 - chance**2 - noise**2, 0.0))
    return scores


@dataclass(frozen=True, eq=False)
class TablePlan:
    """The tables to measure, and the standard deviation of each one's noise; single columns once more come last."""

    tables: list[GroupedSet]
    again: list[GroupedSet]
    deviations: list[float]


@dataclass(frozen=True)
class Column:
    """A column that was measured: its table, the standard deviation it has, and how much its error matters.

    cells   how many of its values have counts above the noise
    weight  how many tables it spoils for one that a pair spoils
    """

    set: GroupedSet
    deviation: float
    cells: float
    weight: float


def plan_pairs(
    ladders: Sequence[Groupings],
    pairs: Sequence[tuple[int, ...]],
    scores: Floats,
    rows: float,
    pricing: Pricing,
    columns: Sequence[Column] = (),
) -> TablePlan:
    """Every pair as finely as its dependence pays for the noise; see `plan_tables`."""
    return plan_tables([_steps(ladders[i], ladders[j], (i, j)) for i, j in pairs], scores, rows, pricing, columns)


def plan_tables(
    steps: Sequence[Sequence[GroupedSet]],
    scores: Floats,
    rows: float,
    pricing: Pricing,
    columns: Sequence[Column] = (),
) -> TablePlan:
    """The least summed error that the price allows. `steps` are a table's resolutions, finest first.

    The expected noise of a table, in total variation, may cost at most WORTH times the dependence it captures, so
    weak ones are measured coarsely or not at all. Columns get more where that lowers the sum faster than tables do.
    """
    worth = WORTH * np.asarray(scores) * rows

    def at(thrift: float) -> tuple[list[tuple[GroupedSet, float]], list[tuple[GroupedSet, float]], float]:
        chosen, again, spent = [], [], 0.0
        for number, finest in enumerate(steps):
            for one in finest:
                price, loss = pricing.price(one), pricing.loss(one)
                deviation = pricing.deviation(price, loss, thrift)
                if loss * deviation <= worth[number]:
                    chosen.append((one, deviation))
                    spent += pricing.cost(price, deviation)
                    break
        for column in columns:
            price, loss = pricing.price(column.set), pricing.loss(column.set, column.cells) * column.weight
            wanted = pricing.deviation(price, loss, thrift) if loss > 0 else math.inf
            if wanted < column.deviation:
                more = 1 / math.sqrt(1 / wanted**2 - 1 / column.deviation**2)
                again.append((column.set, more))
                spent += pricing.cost(price, more)
        return chosen, again, spent

    low, high = -60.0, 60.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(math.exp(middle))[2] > 1 else (low, middle)
    chosen, again, _ = at(math.exp(high))
    return TablePlan([one for one, _ in chosen], [one for one, _ in again], [s for _, s in (*chosen, *again)])


def _steps(first: Groupings, second: Groupings, members: tuple[int, int]) -> list[GroupedSet]:
    """The pair at every common level, finest first, with two groups on each side and not too many cells."""
    found: dict[tuple[int, ...], GroupedSet] = {}
    for level in reversed(LEVELS):
        one = GroupedSet(members, (first.steps[level], second.steps[level]))
        found.setdefault(one.shape, one)
    return [one for one in found.values() if min(one.shape) >= 2 and one.cells <= MOST_CELLS]
