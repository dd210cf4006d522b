"""Cuts: single inequalities of a fairness constraint, and which of them a rule breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .metric import Floats, Numbers
from .pairs import Divergence, TypePairs

__all__ = ["Cuts", "every_cut", "excess", "join", "single_outcomes", "worst"]

Outcomes = NDArray[np.bool_]
MOST_OUTCOMES = 12
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Cuts:
    """Rows of a linear program: mu_first(O) - factor mu_second(O) <= bound.

    `tv`: factor 1 and the distance as the bound, for a set O of outcomes. `inf`: e to the distance as the factor and
    bound 0, for a single outcome.
    """

    first: Numbers
    second: Numbers
    outcomes: Outcomes
    factor: Floats
    bound: Floats

    def __len__(self) -> int:
        return len(self.first)

    def take(self, kept: Numbers | NDArray[np.bool_]) -> Cuts:
        """Some of the rows."""
        return Cuts(self.first[kept], self.second[kept], self.outcomes[kept], self.factor[kept], self.bound[kept])


def join(parts: list[Cuts]) -> Cuts:
    """All rows of several."""
    columns = zip(*((c.first, c.second, c.outcomes, c.factor, c.bound) for c in parts), strict=True)
    return Cuts(*(np.concatenate(column) for column in columns))


def _rows(first: Numbers, second: Numbers, distance: Floats, outcomes: Outcomes, divergence: Divergence) -> Cuts:
    if divergence == "tv":
        return Cuts(first, second, outcomes, np.ones(len(first)), distance)
    return Cuts(first, second, outcomes, np.exp(distance), np.zeros(len(first)))


def single_outcomes(pairs: TypePairs, actions: int, divergence: Divergence) -> Cuts:
    """For both directions of each pair: every single outcome. That is all there is for `inf`, and for `tv` up to 3."""
    # With two actions one of them says everything about `tv`.
    singles = np.eye(actions, dtype=bool)[: 1 if actions == 2 and divergence == "tv" else actions]
    return _expanded(pairs, singles, divergence)


def every_cut(pairs: TypePairs, actions: int, divergence: Divergence) -> Cuts:
    """All rows of each pair: of `tv` one for every set of outcomes and its direction, up to complements."""
    if divergence == "inf" or actions <= 3:
        return single_outcomes(pairs, actions, divergence)
    if actions > MOST_OUTCOMES:
        raise ValueError(f"all sets of {actions} outcomes are too many")
    codes = np.arange(1, 2 ** (actions - 1))
    return _expanded(pairs, (codes[:, None] >> np.arange(actions)) & 1 == 1, divergence)


def _expanded(pairs: TypePairs, sets: Outcomes, divergence: Divergence) -> Cuts:
    count = len(sets)
    a, b, d = np.repeat(pairs.first, count), np.repeat(pairs.second, count), np.repeat(pairs.distance, count)
    outcomes = np.tile(sets, (len(pairs), 1))
    return join([_rows(a, b, d, outcomes, divergence), _rows(b, a, d, outcomes, divergence)])


def excess(odds: Floats, pairs: TypePairs, divergence: Divergence) -> Floats:
    """By how much each pair is further apart than its distance: D - d, below 0 where the pair is fair."""
    first, second = odds[pairs.first], odds[pairs.second]
    if divergence == "tv":
        return np.asarray(np.abs(first - second).sum(axis=1) / 2 - pairs.distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(np.log(first) - np.log(second))
    # Where neither type ever gets an outcome there is nothing to compare.
    apart[(first == 0) & (second == 0)] = 0.0
    return np.asarray(apart.max(axis=1) - pairs.distance)


def worst(
    odds: Floats, pairs: TypePairs, slack: Floats, centre: Floats, tol: float, divergence: Divergence
) -> tuple[Cuts, Floats]:
    """The broken cuts of these pairs and by how much each is broken.

    Broken means that the repair would have to move everybody by more than the share `tol` towards the centre.
    """
    if divergence == "tv":
        change = odds[pairs.first] - odds[pairs.second]
        over = np.abs(change).sum(axis=1) / 2 - pairs.distance - slack
        # Slack may be 0 at distance 0, where the solver is right to its own tolerance only.
        kept = np.flatnonzero(over > tol * (pairs.distance + slack) + ROUNDING)
        chosen = pairs.take(kept)
        return _rows(chosen.first, chosen.second, chosen.distance, change[kept] > 0, divergence), over[kept]
    found, amounts = [], []
    actions = odds.shape[1]
    factor = np.exp(pairs.distance)
    for a, b in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        over = odds[a] - factor[:, None] * odds[b]
        room = np.maximum(centre[None, :] * (factor - 1)[:, None], 1e-12)
        line, action = np.nonzero(over > tol * room)
        sets = np.eye(actions, dtype=bool)[action]
        found.append(_rows(a[line], b[line], pairs.distance[line], sets, divergence))
        amounts.append(over[line, action])
    return join(found), np.concatenate(amounts)
