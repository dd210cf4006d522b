"""Earthmover distance: how far the weight of one group must be carried to become that of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from .inputs import distribution
from .linear import attempt
from .metric import Floats, Metric, as_metric

__all__ = ["MOST_ROUTES", "carried", "earthmover"]

MOST_ROUTES = 1_000_000


def earthmover(metric: Metric | ArrayLike, s: ArrayLike, t: ArrayLike) -> float:
    """The least mean distance at which weights s can be carried to weights t   [Har11, Definition 8.3.5].

    Infinite when some weight would have to go infinitely far.
    """
    known = as_metric(metric)
    one, other = (distribution(group, known.size, "the members of a group") for group in (s, t))
    sources, targets = np.flatnonzero(one > other), np.flatnonzero(other > one)
    if not len(sources):
        return 0.0
    if len(sources) * len(targets) > MOST_ROUTES:
        raise BadPolicy(
            f"{len(sources):,} by {len(targets):,} types are too many for an earthmover distance; at most "
            f"{MOST_ROUTES:,} routes: use fair.worst_bias, or a net"
        )
    return carried(known.block(sources)[:, targets], (one - other)[sources], (other - one)[targets])


def carried(cost: Floats, supply: Floats, demand: Floats) -> float:
    """The least cost of carrying supplies to demands of the same sum. What is in both groups stays where it is."""
    from scipy.sparse import csr_array, vstack

    rows, columns = cost.shape
    reachable = np.isfinite(cost).ravel()
    if not reachable.any():
        return float("inf")
    line, column = np.divmod(np.arange(rows * columns)[reachable], columns)
    ones = np.ones(len(line))
    places = np.arange(len(line))
    leaving = csr_array((ones, (line, places)), shape=(rows, len(line)))
    arriving = csr_array((ones, (column, places)), shape=(columns, len(line)))
    total = float(supply.sum())
    equal = np.concatenate([supply, demand * (total / demand.sum())]) / total
    # One row follows from the others; leaving it out spares the solver a contradiction in the last digit.
    matrix = vstack([leaving, arriving]).tocsr()[:-1]
    result = attempt(cost.ravel()[reachable], A_eq=matrix, b_eq=equal[:-1], bounds=(0, None))
    if result.status != 0:
        return float("inf")
    return float(result.fun) * total
