"""Cases: what is to be decided, by whom and for whom, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BadPolicy
from ..words import listed, suggestion
from .inputs import (
    checked_actions,
    checked_bound,
    checked_choice,
    checked_groups,
    checked_loss,
    checked_weights,
    refuse_private,
)
from .metric import Floats, Metric, as_metric
from .released import ReleasedTypes

__all__ = ["Case", "given_types"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """What is to be decided, one line a type."""

    loss: Floats
    weights: Floats
    metric: Metric
    divergence: str
    actions: tuple[str, ...]
    groups: dict[str, Floats]
    parity: float | None
    cross: float | None
    penalty: float | None
    protected: str | None
    method: str
    tol: float
    seconds: float
    every_pair: bool
    opinion: bool
    released: ReleasedTypes | None

    @property
    def free_loss(self) -> float:
        """The least loss of all."""
        return float(self.weights @ self.loss.min(axis=1))

    @property
    def constant_losses(self) -> Floats:
        """The loss of each action, given to everybody."""
        return np.asarray(self.weights @ self.loss)

    def expected(self, odds: Floats) -> float:
        """The expected loss of a rule."""
        return float(self.weights @ (odds * self.loss).sum(axis=1))

    @property
    def order(self) -> list[str]:
        """The groups, the protected one first."""
        names = list(self.groups)
        return names if self.protected is None else [self.protected, *(n for n in names if n != self.protected)]

    def parameters(self) -> dict[str, Any]:
        """What was asked, for the file of the rule."""
        return {
            "method": self.method,
            "parity": self.parity,
            "cross": "dropped" if self.cross == np.inf else self.cross,
            "penalty": self.penalty,
            "protected": self.protected,
            "tol": self.tol,
        }

    def check(self) -> None:
        """BadPolicy for a setting that is none, or that does not go with another."""
        checked_choice(self.divergence, ("tv", "inf"), "divergence")
        checked_choice(self.method, ("lp", "earthmover"), "method")
        for name, most in (("parity", 1.0), ("cross", np.inf), ("penalty", np.inf)):
            checked_bound(getattr(self, name), name, most=most)
        if not self.tol > 0 or not self.seconds > 0:
            raise BadPolicy(f"tol and time_limit must be above 0, not {self.tol} and {self.seconds}")
        self._check_groups()
        if self.cross or self.penalty is not None or self.method == "earthmover":
            self._check_preference()

    def _check_groups(self) -> None:
        """Parity and preference are about groups."""
        known = list(self.groups)
        if self.protected is not None and self.protected not in known:
            raise BadPolicy(
                f"no group '{self.protected}'; there are {listed(known) or 'none'}.{suggestion(self.protected, known)}"
            )
        asked = [name for name in ("parity", "cross", "penalty") if getattr(self, name) is not None]
        asked += ["method earthmover"] if self.method == "earthmover" else []
        if asked and not known:
            raise BadPolicy(f"{asked[0]} is about groups; give groups too")
        if self.cross is not None and self.penalty is not None:
            raise BadPolicy("cross limits the slack between groups and penalty prices it; give one of them")

    def _check_preference(self) -> None:
        """Preference is for the sake of parity, and for one group that nobody else is in."""
        if self.method == "lp" and self.parity is None:
            raise BadPolicy(
                "cross and penalty relax fairness between groups for the sake of parity; give a parity bound too"
            )
        if self.method == "lp" and self.divergence == "inf" and self.cross != np.inf:
            raise BadPolicy(
                "slack between groups is in total variation; use divergence tv, or cross = inf to drop those pairs"
            )
        first, *others = self.order
        for name in others:
            both = int(((self.groups[name] > 0) & (self.groups[first] > 0)).sum())
            if both:
                raise BadPolicy(
                    f"{both:,} types are in '{first}' and in '{name}'; preferential treatment needs a protected group "
                    "that nobody else is in"
                )


def given_types(loss: Any, metric: Any, weights: Any, groups: Any, actions: Any, *, public: bool) -> dict[str, Any]:
    """The types of a case with their losses, weights, metric and groups; BadPolicy for what may be private."""
    released = loss if isinstance(loss, ReleasedTypes) else None
    known = as_metric(metric)
    if not public:
        for what, given in (
            ("a loss", released is None),
            ("a metric", not known.declared),
            ("weights", weights is not None),
            ("groups", isinstance(groups, Mapping)),
        ):
            if given:
                raise refuse_private(what)
    table = checked_loss(loss if released is None else released.loss, known.size)
    shares = checked_weights(released.weights if released is not None and weights is None else weights, known.size)
    if isinstance(groups, str):
        if released is None:
            raise BadPolicy(f"groups by the column '{groups}' need released types; give each group's members instead")
        groups = released.groups(groups, shares)
    return {
        "loss": table,
        "weights": shares,
        "metric": known,
        "groups": checked_groups(groups, shares),
        "actions": checked_actions(actions, table.shape[1]) if released is None else released.actions,
        "released": released,
    }
