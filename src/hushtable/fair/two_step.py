"""Preferential treatment in two steps: protected types are sent to others, and then treated as those are.

First every protected type becomes a mixture of other types, the group as a whole becoming the other group, at the least
mean distance; then the others get the fair rule of least loss, where each counts for those who are sent to it.
[Har11, section 8.4.1; the loss of the second step carries the weights, which the source leaves out]
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadPolicy
from .by_cuts import by_cuts
from .linear import gathered
from .metric import Floats, MatrixMetric, Numbers
from .net import farthest_points
from .pairs import FARTHEST, all_pairs, compared, merged_types
from .parity import RelaxedPairs, near_target
from .repair import largest_excess, repaired
from .rule import FairRule

if TYPE_CHECKING:
    from .case import Case

__all__ = ["CLUSTERS", "two_step"]

CLUSTERS, LOOSE = 15, 2e-3
"""Others are gathered around so many of them: more are hardly better, and take minutes. The first step is solved up to
this share, which the repair takes care of."""


def two_step(case: Case) -> FairRule:
    """The rule of both steps: parity up to the bound, and fair inside the protected group and inside the other."""
    from .solving import finished, solve_case

    protected = case.groups[case.order[0]] > 0
    others = ~protected
    if not others.any():
        raise BadPolicy(f"everybody is in the protected group '{case.order[0]}'; there is nobody to be treated like")
    inside, outside = np.flatnonzero(protected), np.flatnonzero(others)
    start = case.groups[case.order[0]][inside]
    target = np.sum([case.groups[name][outside] for name in case.order[1:]], axis=0)
    if not target.any():
        raise BadPolicy("the other groups have no members outside the protected one")
    sent, carried, seconds = _sent(case, inside, outside, start, target / target.sum())
    second = solve_case(_second(case, inside, outside, sent))
    odds = np.empty_like(case.loss)
    odds[outside] = second.odds
    odds[inside] = sent @ second.odds
    side = np.where(protected, 1, 2).astype(np.intp)
    metric = all_pairs(case.metric)
    count, label = merged_types(metric, side)
    merged_side = np.zeros(count, dtype=np.intp)
    merged_side[label] = side
    pairs = RelaxedPairs(compared(metric, count, label, case.divergence), merged_side, np.full(count, np.inf))
    first = np.zeros(count, dtype=np.intp)
    first[label[::-1]] = np.arange(len(label))[::-1]
    mended, share = repaired(odds[first], gathered(label, case.weights, count), pairs, case.divergence)
    note = (f"each protected type is treated like others at a mean distance of {carried:.4g}; the mean excess over the "
            "distances between the groups is at most that")  # fmt: skip
    over = max(largest_excess(mended, pairs, case.divergence), 0.0)
    made = finished(case, mended[label], bound=case.free_loss, found=None, share=share, excess=over, notes=(note,),
                    more={"carried": carried})  # fmt: skip
    return replace(made, solution=replace(made.solution, seconds=seconds + second.solution.seconds))


def _distances(case: Case, rows: Numbers) -> Floats:
    """What no divergence can exceed is cut off."""
    return np.minimum(case.metric.block(rows), 1.0 if case.divergence == "tv" else FARTHEST)


def _sent(case: Case, inside: Numbers, outside: Numbers, start: Floats, target: Floats) -> tuple[Floats, float, float]:
    """To which others each protected type is sent, the mean distance, and seconds.    [Har11, (8.15)]"""
    away = _distances(case, inside)
    between = _distances(case, outside)[:, outside]
    chosen, nearest, _ = farthest_points(MatrixMetric(distances=between), most=min(CLUSTERS, len(outside)))
    mass = gathered(nearest, target, len(chosen))
    spread = np.zeros((len(chosen), len(outside)))
    spread[nearest, np.arange(len(outside))] = target
    # A cluster without weight is nobody's target; it keeps its first type, so that rows add up to 1.
    spread[mass == 0, chosen[mass == 0]] = 1.0
    spread /= spread.sum(axis=1, keepdims=True)
    if len(chosen) == 1:
        return np.tile(spread, (len(inside), 1)), float(start @ (away[:, outside] @ spread.T)[:, 0]), 0.0
    own = MatrixMetric(distances=away[:, inside] if case.divergence == "tv" else case.metric.block(inside)[:, inside])
    count, label = merged_types(own, np.zeros(len(inside), dtype=np.intp))
    pairs = compared(own, count, label, case.divergence)
    weight = gathered(label, start, count)
    travel = away[:, outside] @ spread.T
    cost = np.column_stack([gathered(label, start * column, count) for column in travel.T])
    extra = near_target(weight, mass, case.parity or 0.0)
    found = by_cuts(cost * count, pairs, extra, divergence=case.divergence, tol=max(case.tol, LOOSE),
                    seconds=case.seconds)  # fmt: skip
    if found.solved is None:
        raise BadPolicy(
            f"the first of two steps did not end in {case.seconds:g} s; raise the time limit or use method lp"
        )
    odds, _ = repaired(found.solved.odds, weight, pairs, case.divergence)
    return odds[label] @ spread, float(start @ (odds[label] * travel).sum(axis=1)), found.seconds


def _second(case: Case, inside: Numbers, outside: Numbers, sent: Floats) -> Case:
    """The others alone, each counting for itself and for those who are sent to it."""
    weights = case.weights[outside] + (case.weights[inside] @ sent if case.opinion else 0.0)
    total = case.weights[outside][:, None] * case.loss[outside]
    if case.opinion:
        total = total + (case.weights[inside][:, None] * sent).T @ case.loss[inside]
    distances = case.metric.block(outside)[:, outside]
    return replace(
        case, loss=total / weights[:, None], weights=weights, metric=MatrixMetric(distances=distances), groups={},
        parity=None, cross=None, penalty=None, protected=None, method="lp", released=None,
    )  # fmt: skip
