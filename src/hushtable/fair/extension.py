"""Extension: odds for people of types that a rule does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from .inputs import checked_choice, checked_loss
from .linear import attempt, minimise
from .metric import Floats

if TYPE_CHECKING:
    from .rule import FairRule

__all__ = ["Extended", "between", "extend"]

HOWS = ("middle", "low", "high")


@dataclass(frozen=True, eq=False, kw_only=True)
class Extended:
    """Odds of new people, one line each, and by how much each is further from some type than its distance."""

    odds: Floats
    slack: Floats
    """0 where the new person is treated as fairly as everybody else."""


def extend(rule: FairRule, people: Any, *, how: str = "middle", loss: ArrayLike | None = None) -> Extended:
    """Odds for new people.

    With `tv` and two actions: between the largest lower and the smallest upper bound that the types leave (McShane and
    Whitney), the same place for all, which is exactly fair to all types and between all new people. Otherwise such odds
    need not exist: the least slack is taken, and among those odds the least loss (that of the nearest type, unless
    given).
    """
    checked_choice(how, HOWS, "way to extend")
    distances = _distances(rule, people)
    if rule.divergence == "tv" and rule.odds.shape[1] == 2:
        yes = between(rule.odds[:, 1], distances, how)
        return Extended(odds=np.column_stack([1 - yes, yes]), slack=np.zeros(len(yes)))
    nearest = rule.loss_table[np.argmin(distances, axis=1)]
    losses = nearest if loss is None else checked_loss(loss, len(distances))
    one = _by_ratio if rule.divergence == "inf" else _by_program
    made = [one(rule.odds, away, price) for away, price in zip(distances, losses, strict=True)]
    return Extended(odds=np.array([odds for odds, _ in made]), slack=np.array([slack for _, slack in made]))


def _distances(rule: FairRule, people: Any) -> Floats:
    """From each new person to all types."""
    named = isinstance(people, (list, tuple)) and any(isinstance(person, Mapping) for person in people)
    if not named:
        return rule.metric.from_new(people)
    if rule.released is None or rule.metric.kind != "columns":
        raise BadPolicy("a person by columns needs a metric over columns; give points or distances instead")
    return rule.metric.from_new([rule.released.codes(person) for person in people])


def between(values: Floats, distances: Floats, how: str) -> Floats:
    """An extension of a function with |f(x) - f(y)| <= d(x, y) and values from 0 to 1 that keeps both for new points.

    low = max_y f(y) - d, high = min_y f(y) + d, middle: their mean. Each is right as long as it is used for all.
    """
    low = np.clip((values[None, :] - distances).max(axis=1), 0.0, 1.0)
    high = np.clip((values[None, :] + distances).min(axis=1), 0.0, 1.0)
    return np.asarray({"low": low, "high": high, "middle": (low + high) / 2}[how])


def _by_ratio(odds: Floats, away: Floats, loss: Floats) -> tuple[Floats, float]:
    """`inf`: the least s with e^-(d+s) mu_y <= mu <= e^(d+s) mu_y for all y, in closed form, then the least loss."""
    known = np.isfinite(away)
    if not known.any():
        return np.eye(len(loss))[int(np.argmin(loss))], 0.0
    near, scale = odds[known], away[known, None]
    low = (near * np.exp(-scale)).max(axis=0)
    high = (near * np.exp(np.minimum(scale, 700.0))).min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.where(low > 0, np.log(low) - np.log(high), -np.inf)
        slack = max(0.0, np.log(low.sum()), -np.log(high.sum()), float(gaps.max()) / 2)
    least, most = low * np.exp(-slack), np.minimum(high * np.exp(slack), 1.0)
    made = least.copy()
    for action in np.argsort(loss, kind="stable"):
        made[action] += min(most[action] - least[action], max(1.0 - made.sum(), 0.0))
    return made / made.sum(), slack


def _by_program(odds: Floats, away: Floats, loss: Floats) -> tuple[Floats, float]:
    """`tv`: two small linear programs, first the least slack, then the least loss."""
    from scipy.sparse import coo_array

    near = np.flatnonzero(away < 1)
    actions = len(loss)
    if not len(near):
        return np.eye(actions)[int(np.argmin(loss))], 0.0
    # Columns: the odds, the absolute differences to every near type, the slack.
    count, width = len(near) * actions, actions + len(near) * actions + 1
    cell, action = np.arange(count), np.tile(np.arange(actions), len(near))
    own = odds[near].ravel()
    rows = np.concatenate([cell, cell, count + cell, count + cell, 2 * count + cell // actions,
                           2 * count + np.arange(len(near))])  # fmt: skip
    columns = np.concatenate([action, actions + cell, action, actions + cell, actions + cell,
                              np.full(len(near), width - 1)])  # fmt: skip
    one = np.ones(count)
    values = np.concatenate([one, -one, -one, -one, one, np.full(len(near), -2.0)])
    matrix = coo_array((values, (rows, columns)), shape=(2 * count + len(near), width)).tocsr()
    bounds = np.concatenate([own, -own, 2 * away[near]])
    sums = np.zeros((1, width))
    sums[0, :actions] = 1.0
    shared: dict[str, Any] = {"A_ub": matrix, "b_ub": bounds, "A_eq": sums, "b_eq": [1.0], "method": "highs"}
    least = minimise(np.eye(width)[-1], bounds=(0, None), **shared)
    slack = float(least.fun)
    limits = [(0, None)] * (width - 1) + [(0, slack + 1e-9)]
    best = attempt(np.concatenate([loss, np.zeros(width - actions)]), bounds=limits, **shared)
    found = np.clip((best if best.status == 0 else least).x[:actions], 0.0, 1.0)
    return found / found.sum(), slack if slack > 1e-9 else 0.0
