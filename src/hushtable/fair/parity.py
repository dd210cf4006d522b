"""Parity: the rows that hold groups together, and the slack that preferential treatment may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .metric import Floats, Numbers
from .pairs import Pairs, TypePairs
from .program import Extra

__all__ = ["Preference", "RelaxedPairs", "extra_columns", "near_target", "needed_slack"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Preference:
    """What is asked of groups beside fairness to pairs."""

    groups: tuple[Floats, ...] = ()
    parity: float | None = None
    """The largest total variation between what two groups get."""
    side: Numbers | None = None
    """1 for the protected group, 2 for the other, 0 for neither; None where every pair is kept."""
    cross: float | None = None
    """The largest mean slack of the protected group; infinite where its pairs with the other group are dropped."""
    penalty: float | None = None
    """Instead of a largest mean slack: what it costs, in units of loss."""

    @property
    def dropped(self) -> bool:
        """Whether pairs of a protected type with another one are not compared at all."""
        return self.cross == np.inf

    @property
    def has_slack(self) -> bool:
        """Whether such pairs may be further apart than their distance, at a price."""
        return self.side is not None and not self.dropped and (self.penalty is not None or bool(self.cross))


@dataclass(frozen=True, eq=False)
class RelaxedPairs:
    """Pairs where a protected type and another may differ by their distance and the slack of the protected one."""

    pairs: Pairs
    side: Numbers
    slack: Floats
    """One number a type; infinite where its pairs with the other group are dropped."""

    @property
    def types(self) -> int:
        """How many types there are."""
        return self.pairs.types

    def blocks(self) -> Iterator[TypePairs]:
        """The pairs with what each is allowed; those that are allowed everything are left out."""
        for block in self.pairs.blocks():
            yield self._relaxed(block)

    def nearest(self, count: int) -> TypePairs:
        """The nearest pairs, relaxed like all."""
        return self._relaxed(self.pairs.nearest(count))

    def _relaxed(self, block: TypePairs) -> TypePairs:
        crossing = self.side[block.first] * self.side[block.second] == 2
        protected = np.where(self.side[block.first] == 1, block.first, block.second)
        allowed = block.distance + np.where(crossing, self.slack[protected], 0.0)
        return TypePairs(block.first, block.second, allowed).take(np.flatnonzero(np.isfinite(allowed)))


def needed_slack(odds: Floats, pairs: Pairs, side: Numbers) -> Floats:
    """For each protected type the largest D - d to a type of the other group, in total variation; 0 for all others."""
    slack = np.zeros(len(odds))
    for block in pairs.blocks():
        crossing = np.flatnonzero(side[block.first] * side[block.second] == 2)
        some = block.take(crossing)
        over = np.abs(odds[some.first] - odds[some.second]).sum(axis=1) / 2 - some.distance
        np.maximum.at(slack, np.where(side[some.first] == 1, some.first, some.second), over)
    return slack


def extra_columns(preference: Preference, actions: int, *, unit: float) -> Extra:
    """Columns and rows of parity and slack; `unit` is what one unit of loss is in the objective."""
    from scipy.sparse import vstack

    types = len(preference.groups[0]) if preference.groups else 0
    cells = types * actions
    compared = list(combinations(preference.groups, 2)) if preference.parity is not None else []
    gaps = 0 if actions == 2 else actions * len(compared)
    protected = np.flatnonzero(preference.side == 1) if preference.has_slack else np.empty(0, dtype=np.intp)
    width = cells + gaps + len(protected)
    rows, bounds = [], []
    for number, (one, other) in enumerate(compared):
        at = None if actions == 2 else cells + number * actions
        made, limits = _parity_rows(one - other, actions, width, at, preference.parity or 0.0)
        rows += made
        bounds += limits
    cost, slack_of = np.zeros(gaps + len(protected)), None
    if len(protected):
        slack_of = np.full(types, -1, dtype=np.intp)
        slack_of[protected] = cells + gaps + np.arange(len(protected))
        share = preference.groups[0][protected]
        if preference.penalty is not None:
            cost[gaps:] = preference.penalty * unit * share
        else:
            rows.append(_row(slack_of[protected], share, width))
            bounds.append(float(preference.cross or 0.0))
    return Extra(
        columns=len(cost),
        cost=cost,
        rows=vstack(rows).tocsr() if rows else None,
        bounds=np.array(bounds),
        slack_of=slack_of,
        side=preference.side,
    )


def _row(columns: Numbers, values: Floats, width: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, (np.zeros(len(columns), dtype=np.intp), columns)), shape=(1, width))


def _parity_rows(
    change: Floats, actions: int, width: int, gap: int | None, parity: float
) -> tuple[list[Any], list[float]]:
    """Rows for D_tv of two groups: directly for two actions, by the absolute differences of each otherwise."""
    who = np.flatnonzero(change)
    if gap is None:
        columns = who * actions + 1
        return [_row(columns, sign * change[who], width) for sign in (1, -1)], [parity, parity]
    rows, bounds = [], []
    for action in range(actions):
        columns = np.append(who * actions + action, gap + action)
        for sign in (1, -1):
            rows.append(_row(columns, np.append(sign * change[who], -1.0), width))
            bounds.append(0.0)
    rows.append(_row(gap + np.arange(actions), np.ones(actions), width))
    return rows, [*bounds, 2 * parity]


def near_target(start: Floats, target: Floats, bound: float) -> Extra:
    """Rows for D_tv(sum_x start(x) mu_x, target) <= bound: where a group is to be sent."""
    from scipy.sparse import vstack

    types, actions = len(start), len(target)
    cells = types * actions
    rows, bounds = [], []
    for action in range(actions):
        columns = np.append(np.arange(types) * actions + action, cells + action)
        for sign in (1.0, -1.0):
            rows.append(_row(columns, np.append(sign * start, -1.0), cells + actions))
            bounds.append(sign * float(target[action]))
    rows.append(_row(cells + np.arange(actions), np.ones(actions), cells + actions))
    return Extra(
        columns=actions, cost=np.zeros(actions), rows=vstack(rows).tocsr(), bounds=np.array([*bounds, 2 * bound])
    )
