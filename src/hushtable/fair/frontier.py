"""The frontier: what parity between groups costs, for every bound on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .rule import FairRule

__all__ = ["Frontier", "frontier", "plain_fair"]

POINTS = 6
MOST_TYPES = 400


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """Loss by bound on parity; once with every pair kept, once with pairs between the groups not compared."""

    parity: tuple[float, ...]
    kept: tuple[float, ...]
    dropped: tuple[float, ...]
    """Empty where groups overlap, so that there is no protected one."""


def frontier(rule: FairRule) -> Frontier | None:
    """The frontier of the rule's case; None without groups, or with more types than are solved again in seconds."""
    if len(rule.groups) < 2 or len(rule.odds) > MOST_TYPES:
        return None
    plain = plain_fair(rule)
    names = list(rule.groups)
    most = max(plain.bias(a, b) for a in names for b in names)
    # Denser near 0, where the curve bends.
    bounds = tuple(float(most * (i / (POINTS - 1)) ** 1.5) for i in range(POINTS))
    apart = int(np.sum([members > 0 for members in rule.groups.values()], axis=0).max()) <= 1
    kept = tuple(_again(rule, parity=bound).loss for bound in bounds)
    dropped = tuple(_again(rule, parity=bound, cross=float("inf")).loss for bound in bounds) if apart else ()
    return Frontier(parity=bounds, kept=kept, dropped=dropped)


def plain_fair(rule: FairRule) -> FairRule:
    """The rule of the same case that is fair to pairs and to nothing else."""
    if all(rule.parameters.get(name) is None for name in ("parity", "cross", "penalty")):
        return rule
    return _again(rule)


def _again(rule: FairRule, *, parity: float | None = None, cross: float | None = None) -> FairRule:
    from .solving import solve

    # Public: every number here is one of a rule that may be published.
    return solve(rule.loss_table, rule.metric, rule.weights, rule.divergence, rule.groups, parity, cross,
                 protected=rule.parameters.get("protected"), time_limit=20.0, public=True)  # fmt: skip
