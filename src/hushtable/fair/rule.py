"""The fair rule: the odds of every action for every type, what they cost, and how to decide with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadPolicy
from ..words import listed, suggestion
from .coins import Coins
from .metric import Floats, Metric

if TYPE_CHECKING:
    from .extension import Extended
    from .released import ReleasedTypes

__all__ = ["DrawnAction", "FairRule", "Solution"]


@dataclass(frozen=True, kw_only=True)
class Solution:
    """How a rule was found, and what it costs."""

    loss: float
    """Expected loss of the rule."""
    free_loss: float
    """... of the rule that minds nothing but loss."""
    constant_loss: float
    """... of the best rule that treats everybody alike."""
    bound: float
    """No rule with the same promises has less: a certificate by duality, whatever the solver's rounding."""
    excess: float
    """The largest D - d over the pairs that were to be kept; at most 0 but for rounding."""
    share: float
    """How far everybody was moved towards the average to make every pair hold exactly."""
    rounds: int
    rows: int
    seconds: float
    timed_out: bool
    binding: tuple[tuple[int, int, float], ...] = ()
    """Pairs that hold the rule back, dearest first: two types, and the loss that a little more distance would save."""

    @property
    def gap(self) -> float:
        """How much loss might still be saved."""
        return max(self.loss - self.bound, 0.0)


@dataclass(frozen=True, kw_only=True)
class DrawnAction:
    """One drawn action."""

    action: str
    odds: dict[str, float]
    rehearsal: bool = False
    """Whether it was drawn with a seed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FairRule:
    """Odds for every type, one line a type and one column an action; every line adds up to 1."""

    odds: Floats
    loss_table: Floats
    weights: Floats
    metric: Metric
    divergence: str
    actions: tuple[str, ...]
    groups: dict[str, Floats] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    """What was asked: method, parity, cross, penalty, protected, net."""
    solution: Solution
    notes: tuple[str, ...] = ()
    released: ReleasedTypes | None = None
    """The released numbers behind it, with their errors; None for numbers that are public anyway."""

    @property
    def loss(self) -> float:
        """Expected loss."""
        return self.solution.loss

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types: their labels, or their numbers."""
        if self.released is not None:
            return self.released.names
        return tuple(str(i) for i in range(len(self.odds)))

    @property
    def not_private(self) -> bool:
        """Whether the synopsis behind it was released with simulated randomness."""
        return self.released is not None and self.released.not_private

    @cached_property
    def group_odds(self) -> dict[str, Floats]:
        """What each group gets on average."""
        return {name: np.asarray(members @ self.odds) for name, members in self.groups.items()}

    def bias(self, one: str, other: str) -> float:
        """Total variation between what two groups get."""
        for name in (one, other):
            if name not in self.groups:
                known = list(self.groups)
                raise BadPolicy(f"no group '{name}'; there are {listed(known) or 'none'}.{suggestion(name, known)}")
        return float(np.abs(self.group_odds[one] - self.group_odds[other]).sum() / 2)

    def position(self, person: int | str | Mapping[str, Any]) -> int | None:
        """The type of a person: by number, by name, or by the values of its columns; None for a new type."""
        if isinstance(person, Mapping):
            if self.released is None:
                raise BadPolicy("this rule knows its types by number only; give a number")
            return self.released.find(person)
        if isinstance(person, str):
            if person not in self.types:
                raise BadPolicy(f"no type '{person}'; there are {listed(self.types)}.{suggestion(person, self.types)}")
            return self.types.index(person)
        if not 0 <= person < len(self.odds):
            raise BadPolicy(f"no type {person}; types are numbered from 0 to {len(self.odds) - 1}")
        return int(person)

    def decide(self, person: int | str | Mapping[str, Any], coins: Coins | None = None) -> DrawnAction:
        """One action for one person, drawn with the odds of their type and fresh coins.

        What a person gets depends on their own type and the coins alone. A type that the rule does not know gets the
        odds of `extend`.
        """
        at = self.position(person)
        odds = self.extend([person]).odds[0] if at is None else self.odds[at]
        coins = coins if coins is not None else Coins()
        drawn = int(np.searchsorted(np.cumsum(odds), coins.uniform(), side="right"))
        named = dict(zip(self.actions, odds.tolist(), strict=True))
        return DrawnAction(action=self.actions[min(drawn, len(odds) - 1)], odds=named, rehearsal=coins.rehearsal)

    def extend(self, people: Any, *, how: str = "middle") -> Extended:
        """Odds for people of types that the rule does not know, as fair to all types as can be."""
        from .extension import extend

        return extend(self, people, how=how)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain values: what `save` writes."""
        from .rule_file import rule_dict

        return rule_dict(self)

    def report(self) -> str:
        """What the rule costs, whom it treats how, and what it promises, to read."""
        from .summary import summary, summary_text

        return summary_text(summary(self))

    def save(self, path: str | Path) -> None:
        """Writes the rule as JSON; a file of that name is not overwritten."""
        from .rule_file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> FairRule:
        """Reads the file of a rule; BadPolicy in one line when it is none, or when its odds are no odds."""
        from .rule_file import load

        return load(path)

    def __repr__(self) -> str:
        return (
            f"<FairRule of {len(self.odds):,} types and {len(self.actions)} actions ({listed(self.actions, 5)}): "
            f"loss {self.loss:.4g}, {self.solution.free_loss:.4g} without fairness. See .report().>"
        )
