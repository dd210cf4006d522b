"""Worst bias: how unequally any rule that a metric allows could treat two groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .by_cuts import by_cuts
from .inputs import checked_choice, distribution
from .linear import gathered
from .metric import Floats, Metric, as_metric
from .pairs import compared, merged_types
from .parity import Preference, extra_columns
from .repair import repaired
from .transport import MOST_ROUTES, carried

__all__ = ["bias_by_program", "worst_bias"]


def worst_bias(metric: Metric | ArrayLike, s: ArrayLike, t: ArrayLike, divergence: str = "tv") -> float:
    """No fair rule, with any number of actions, can treat s and t further apart than this (in total variation).

    `tv`: exactly the earthmover distance of min(d, 1)           [Har11, Theorem 8.3.7, there for d <= 1 only].
    `inf`: the largest bias of a rule with two actions, which is exact too [Har11, Lemma 8.3.4].
    """
    known = as_metric(metric)
    checked_choice(divergence, ("tv", "inf"), "divergence")
    one, other = (distribution(group, known.size, "the members of a group") for group in (s, t))
    sources, targets = np.flatnonzero(one > other), np.flatnonzero(other > one)
    if not len(sources):
        return 0.0
    if divergence == "tv" and len(sources) * len(targets) <= MOST_ROUTES:
        capped = np.minimum(known.block(sources)[:, targets], 1.0)
        return min(carried(capped, (one - other)[sources], (other - one)[targets]), 1.0)
    return bias_by_program(known, one - other, divergence)


def bias_by_program(metric: Metric, change: Floats, divergence: str) -> float:
    """The largest S(yes) - T(yes) over fair rules with two actions, by the linear program, for `change` = S - T."""
    count, label = merged_types(metric, np.zeros(metric.size, dtype=np.intp))
    pairs = compared(metric, count, label, divergence)
    gain = gathered(label, change, count)
    unit = float(np.abs(gain).max())
    if unit == 0:
        return 0.0
    cost = np.column_stack([np.zeros(count), -gain / unit])
    extra = extra_columns(Preference(), 2, unit=1.0)
    found = by_cuts(cost, pairs, extra, divergence=divergence, tol=1e-7, seconds=600.0)
    if found.solved is None:
        return 1.0
    odds, _ = repaired(found.solved.odds, np.full(count, 1 / count), pairs, divergence)
    # Between what a fair rule does and what none can exceed; both agree to the tolerance of the solver.
    return min(max(float(gain @ odds[:, 1]), -found.bound * unit), 1.0)
