"""Judgements: a metric from few pairs that experts have looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BadPolicy
from ..words import listed, suggestion
from .linear import minimise
from .metric import Floats, Numbers
from .point_metric import PointMetric, checked_points

__all__ = ["JudgedMetric", "metric_from_labels"]

WORDS = {"alike": 0.0, "different": 1.0}
PREFERENCE = 1e-3
"""How much a plain metric is preferred: it decides only what the judgements leave open."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedMetric:
    """A metric that agrees with judgements as far as one can, and where it does not."""

    metric: PointMetric
    weights: Floats
    """What a difference of 1 counts in each coordinate."""
    disagreement: float
    """Mean distance between a judgement and the metric."""
    contradicted: tuple[tuple[int, float, float], ...]
    """Judgements missed by more than 0.1: their number, what was judged, what the metric says; worst first."""

    def __repr__(self) -> str:
        return (
            f"<JudgedMetric of {self.metric.size:,} types: mean disagreement {self.disagreement:.3g}, "
            f"{len(self.contradicted)} judgements contradicted>"
        )


def metric_from_labels(points: ArrayLike, judgements: Sequence[tuple[int, int, str | float]]) -> JudgedMetric:
    """The metric sum_j w_j |x_j - y_j| with w >= 0 that is nearest to judgements (type, type, judgement).

    A judgement is `alike` (distance 0), `different` (1 or more), or a distance. One linear program minimises the sum of
    the misses, so that a few wrong judgements among many change little.     [after Har11, section 8.6.1]
    """
    given = checked_points(points)
    first, second, wanted, open_above = _read(judgements, len(given))
    apart = np.abs(given[first] - given[second])
    count, coordinates = apart.shape
    # Columns: the weights, then by how much each judgement is missed from below and from above.
    below = np.hstack([-apart, -np.eye(count), np.zeros((count, count))])
    above = np.hstack([apart, np.zeros((count, count)), -np.eye(count)])[~open_above]
    plain = PREFERENCE * np.abs(given - given.mean(axis=0)).mean(axis=0) / max(coordinates, 1)
    cost = np.concatenate([plain, np.ones(2 * count)])
    limits = np.concatenate([-wanted, wanted[~open_above]])
    result = minimise(cost, A_ub=np.vstack([below, above]), b_ub=limits, bounds=(0, None), method="highs")
    weights = np.maximum(np.asarray(result.x[:coordinates]), 0.0)
    if not weights.any():
        raise BadPolicy(
            "every judgement says alike, so the metric would ask for one rule for all; judge some different"
        )
    says = apart @ weights
    missed = np.where(open_above, np.maximum(wanted - says, 0.0), np.abs(says - wanted))
    order = [int(i) for i in np.argsort(-missed, kind="stable") if missed[i] > 0.1]
    metric = PointMetric(points=given * weights, norm="cityblock")
    return JudgedMetric(
        metric=metric, weights=weights, disagreement=float(missed.mean()),
        contradicted=tuple((i, float(wanted[i]), float(says[i])) for i in order),
    )  # fmt: skip


def _read(
    judgements: Sequence[tuple[int, int, str | float]], types: int
) -> tuple[Numbers, Numbers, Floats, NDArray[np.bool_]]:
    """The types, the distances, and which of them are `or more`."""
    if not judgements:
        raise BadPolicy("no judgements; give some (type, type, 'alike' | 'different' | distance)")
    wanted, more = [], []
    for number, (one, other, word) in enumerate(judgements):
        if not (0 <= one < types and 0 <= other < types) or one == other:
            raise BadPolicy(f"judgement {number} is about types {one} and {other}; give two of 0 to {types - 1}")
        if isinstance(word, str) and word not in WORDS:
            raise BadPolicy(
                f"no judgement '{word}'; there are {listed(list(WORDS))} and distances.{suggestion(word, list(WORDS))}"
            )
        value = WORDS[word] if isinstance(word, str) else float(word)
        if not np.isfinite(value) or value < 0:
            raise BadPolicy(f"judgement {number} is {word}; distances are numbers of at least 0")
        wanted.append(value)
        more.append(word == "different")
    pairs = np.array([(one, other) for one, other, _ in judgements], dtype=np.intp)
    return pairs[:, 0], pairs[:, 1], np.array(wanted), np.array(more)
