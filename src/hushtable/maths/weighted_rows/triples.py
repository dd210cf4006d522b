"""Triples: which tables of three columns are worth measuring once a model of pairs is there; from released numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .grouped_sets import GroupedSet
from .resolution import LEVELS, Groupings, Pricing, TablePlan, plan_tables, weights_of

__all__ = ["TRIPLES", "TRIPLE_SCORES", "Steps", "plan_triples", "scored", "second_round_pays", "shortfall", "triples"]

Floats = NDArray[np.float64]
Steps = list[GroupedSet]
# Shares of the budget: for scores of all triples against the model, and for the triples that are measured.
TRIPLE_SCORES, TRIPLES = 0.02, 0.06
# Most groups of a column in a triple: when measured, when scored, and when the noise is forecast.
FINEST, SCORED, FORECAST = 6, 4, 3
MOST_CELLS = 512
# Triples that are measured for each column, because the time of the fit grows with them; and the most that are scored.
FOR_EACH_COLUMN, MOST_SCORED = 4, 2000
# The noise of a triple may be so much of its columns' dependence. What maximum entropy misses of three columns is
# about a tenth of that on real tables; see docs/whole-table.md.
MISSED = 0.1


def triples(groupings: Sequence[Groupings]) -> list[Steps]:
    """Every three columns at every common level, finest first; none where there are too many to be scored."""
    if math.comb(len(groupings), 3) > MOST_SCORED:
        return []
    candidates = []
    for members in combinations(range(len(groupings)), 3):
        steps: dict[tuple[int, ...], GroupedSet] = {}
        for level in reversed([level for level in LEVELS if level <= FINEST]):
            triple = GroupedSet(members, tuple(groupings[j].steps[level] for j in members))
            if min(triple.shape) >= 2 and triple.cells <= MOST_CELLS:
                steps.setdefault(triple.shape, triple)
        if steps:
            candidates.append(list(steps.values()))
    return candidates


def _within(steps: Steps, groups: int) -> GroupedSet:
    """The finest resolution with at most so many groups a column."""
    return next((triple for triple in steps if max(triple.shape) <= groups), steps[-1])


def second_round_pays(
    candidates: Sequence[Steps], scores: Mapping[tuple[int, ...], float], rows: float, pricing: Pricing
) -> bool:
    """Whether triples can be told from noise: if all were measured coarsely, their noise would be small against what
    is likely to be missed.

    Three columns have structure of their own only where two of their pairs are dependent: the second largest of the
    three pairs' dependences stands for it.
    """
    if not candidates or pricing.law.power != 2:
        return False  # the noise of cells, which Laplace noise is on, is several times that of interactions
    coarse = [_within(steps, FORECAST) for steps in candidates]
    prices, losses = [pricing.price(triple) for triple in coarse], [pricing.loss(triple) for triple in coarse]
    shape = [pricing.deviation(price, loss, 1.0) for price, loss in zip(prices, losses, strict=True)]
    spent = sum(pricing.cost(price, s) for price, s in zip(prices, shape, strict=True))
    noise = sum(loss * s for loss, s in zip(losses, shape, strict=True)) * math.sqrt(spent) / rows
    likely = sum(sorted(scores[pair] for pair in combinations(triple.members, 2))[1] for triple in coarse)
    return noise <= MISSED * likely


def scored(candidates: Sequence[Steps]) -> list[GroupedSet]:
    """The resolution at which each triple is compared with the model."""
    return [_within(steps, SCORED) for steps in candidates]


def shortfall(distances: Floats, deviation: float, shares: Sequence[Floats], rows: float, carriers: float) -> Floats:
    """Total variation of each triple from the model, without what sampling, noise and the model's rows would show.

    `distances` are the sums of |count - rows share|, with noise of a standard deviation. A cell of share q differs by
    chance with variance rows q (1 + rows / carriers), `carriers` being the number of rows that carry the model.
    """
    by_chance = [0.8 * np.sqrt(rows * (1 + rows / carriers) * np.maximum(q, 0.0)).sum() for q in shares]
    squares = np.maximum(distances, 0.0) ** 2 - np.array(by_chance) ** 2 - deviation**2
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2 * rows))


def plan_triples(
    candidates: Sequence[Steps],
    scores: Floats,
    rows: float,
    pricing: Pricing,
    columns: int,
    focus: Collection[int] = (),
    target: int | None = None,
) -> TablePlan:
    """The triples in which the model is most wrong, those of a target first, each as finely as that pays."""
    sets = [steps[0].members for steps in candidates]
    first = np.array([target is not None and target in members for members in sets], dtype=bool) & (scores > 0)
    matters = weights_of(sets, focus)
    worst = np.lexsort([-scores * matters, ~first])[: FOR_EACH_COLUMN * columns]
    return plan_tables([candidates[i] for i in worst], scores[worst], rows, pricing, weights=matters[worst])
