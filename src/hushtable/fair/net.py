"""Nets: a rule for very many types, solved on a few that are near to all and extended to the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadPolicy
from .extension import between
from .linear import gathered
from .metric import Floats, MatrixMetric, Metric, Numbers
from .pairs import FARTHEST, Divergence, TypePairs
from .repair import largest_excess, repaired
from .rule import FairRule

if TYPE_CHECKING:
    from .case import Case

__all__ = ["farthest_points", "on_net"]

MOST_NET = 2000
BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class MetricPairs:
    """All pairs of a metric whose matrix need not fit into memory."""

    metric: Metric
    divergence: Divergence

    @property
    def types(self) -> int:
        """How many types there are."""
        return self.metric.size

    def blocks(self) -> Iterator[TypePairs]:
        """Every constrained pair once."""
        reach = 1.0 if self.divergence == "tv" else np.inf
        step = max(1, BLOCK // self.types)
        for start in range(0, self.types, step):
            rows = np.arange(start, min(start + step, self.types))
            away = self.metric.block(rows)
            first, second = np.nonzero((away < reach) & (np.arange(self.types)[None, :] > rows[:, None]))
            yield TypePairs(first + start, second, np.minimum(away[first, second], FARTHEST))


def farthest_points(metric: Metric, *, radius: float = 0.0, most: int) -> tuple[Numbers, Numbers, float]:
    """Types chosen one by one, each farthest from those before; for every type the nearest chosen one; what is left.

    Stops when all are within `radius`, or when there are `most`.
    """
    chosen = [0]
    away = metric.block([0])[0].copy()
    nearest = np.zeros(metric.size, dtype=np.intp)
    while len(chosen) < most and float(away.max()) > radius:
        new = int(np.argmax(away))
        seen = metric.block([new])[0]
        closer = seen < away
        nearest[closer], away[closer] = len(chosen), seen[closer]
        chosen.append(new)
    return np.array(chosen, dtype=np.intp), nearest, float(away.max())


def on_net(case: Case, radius: float) -> FairRule:
    """The rule of a net, extended so that all pairs hold.

    `tv`: the odds of the first action, of the first two, ... are extended each by itself (McShane and Whitney), which
    keeps their order, so that they are odds again; for two actions that is exactly fair, for more everybody is then
    moved towards the average as far as the worst pair needs. `inf`: the net is solved for half the distances, and
    mu(a) ~ max_y mu_y(a) e^(-d/2) has, with its normaliser, at most twice the half.
    """
    from .solving import finished, solve_case

    if case.parity is not None or case.method != "lp":
        raise BadPolicy("a net is for fairness to pairs alone; leave out parity and preference, or the net")
    if not np.isfinite(radius) or radius <= 0:
        raise BadPolicy(f"the radius of a net must be a number above 0, not {radius}")
    chosen, nearest, left = farthest_points(case.metric, radius=radius, most=MOST_NET)
    if left > radius:
        raise BadPolicy(f"a net of radius {radius:g} needs more than {MOST_NET:,} types; take at least {left:.2g}")
    small = solve_case(_restricted(case, chosen, nearest))
    extended = _extended(case, small, chosen)
    pairs = MetricPairs(case.metric, case.divergence)
    odds, share = repaired(extended, case.weights, pairs, case.divergence)
    note = f"solved on {len(chosen):,} of {case.metric.size:,} types, all others within {left:.3g}, and extended"
    return replace(
        finished(case, odds, bound=case.free_loss, found=None, share=share, notes=(note,), more={"net": radius},
                 excess=max(largest_excess(odds, pairs, case.divergence), 0.0)),
    )  # fmt: skip


def _restricted(case: Case, chosen: Numbers, nearest: Numbers) -> Case:
    """The case of the net: each of its types stands for those that it is nearest to."""
    weights = gathered(nearest, case.weights, len(chosen))
    loss = np.column_stack([gathered(nearest, case.weights * c, len(chosen)) for c in case.loss.T])
    distances = case.metric.block(chosen)[:, chosen]
    half = 0.5 if case.divergence == "inf" else 1.0
    metric = MatrixMetric(distances=half * (distances + distances.T) / 2, scale=case.metric.scale)
    return replace(case, loss=loss / weights[:, None], weights=weights, metric=metric, groups={}, protected=None)


def _extended(case: Case, small: FairRule, chosen: Numbers) -> Floats:
    """Odds for all types from those of the net, a block of types at a time."""
    step = max(1, BLOCK // len(chosen))
    parts = []
    for start in range(0, case.metric.size, step):
        rows = np.arange(start, min(start + step, case.metric.size))
        away = case.metric.block(rows)[:, chosen]
        if case.divergence == "inf":
            pulled = np.stack([(column[None, :] * np.exp(-away / 2)).max(axis=1) for column in small.odds.T], axis=1)
            parts.append(pulled / pulled.sum(axis=1, keepdims=True))
        else:
            below = np.cumsum(small.odds, axis=1)[:, :-1]
            steps = [between(column, away, "middle") for column in below.T]
            edges = np.column_stack([np.zeros(len(rows)), *steps, np.ones(len(rows))])
            parts.append(np.diff(edges, axis=1))
    return np.concatenate(parts)
