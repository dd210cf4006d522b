"""Fair rules: the generator of sizes and times, random metrics, and what every rule must keep."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushtable.fair.rule import FairRule

Floats = NDArray[np.float64]


def scored(types: int, actions: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Points in four dimensions, and losses that grow with the distance between a score and the place of an action."""
    g = np.random.default_rng(seed)
    points = g.normal(size=(types, 4))
    score = points @ g.normal(size=4) / 2
    return points, np.abs(score[:, None] - np.linspace(-1, 1, actions)[None, :])


def random_metric(g: np.random.Generator, types: int) -> Floats:
    """Shortest paths of random lengths: any metric at all, not only one of points."""
    d = g.gamma(1.5, 0.4, size=(types, types))
    d = np.minimum(d, d.T)
    np.fill_diagonal(d, 0.0)
    for z in range(types):
        d = np.minimum(d, d[:, [z]] + d[[z], :])
    return d


def largest_excess(rule: FairRule) -> float:
    """D - d over all pairs, computed once more and plainly."""
    odds, d = rule.odds, rule.metric.matrix
    if rule.divergence == "tv":
        apart = np.abs(odds[:, None, :] - odds[None, :, :]).sum(axis=2) / 2
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.abs(np.log(odds)[:, None, :] - np.log(odds)[None, :, :])
        logs[(odds[:, None, :] == 0) & (odds[None, :, :] == 0)] = 0.0
        apart = logs.max(axis=2)
    over = np.where(np.isinf(d), -np.inf, apart - np.where(np.isinf(d), 0.0, d))
    return float(over.max())


def check(rule: FairRule, **more: Any) -> None:
    """Lines of odds, and every pair within 1e-9."""
    assert (rule.odds >= 0).all()
    assert np.abs(rule.odds.sum(axis=1) - 1).max() < 1e-12
    assert largest_excess(rule) <= 1e-9
    assert rule.solution.excess <= 1e-9
    assert rule.solution.bound <= rule.loss + 1e-9
    for name, value in more.items():
        assert getattr(rule, name) == value
