"""WholeTable: no question chosen; cross-tabs of any columns, any predicate and synthetic rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ...budget import Budget
from ...domain import Domain
from ...domain.attributes import Ordered, Uncoded
from ...errors import BadPlan
from ...words import counted
from .base import Other, Workload
from .marginals import Marginals

__all__ = ["WholeTable"]

# A column of more values would take most of the budget of single columns for itself.
MOST_VALUES = 4096
# Pairs grow with the square of the columns, and so do memory and time.
MOST_COLUMNS = 250


@dataclass(frozen=True)
class WholeTable(Workload):
    """Everything at once, from noisy pairs and a model.

    calibration  share of the budget that measures how wrong the model is, which its answers' error bars rest on; 0:
                 none, and they rest on what other tables showed
    focus        columns that matter most: tables with these weigh three times as much in the plan
    target       the column that others are to explain: like a focus, and the second round looks at triples with it
                 first
    """

    calibration: float = 0.03
    focus: tuple[str, ...] | None = None
    target: str | None = None
    name = "whole_table"
    finds_cells = True
    former = MappingProxyType({"audit": "calibration"})

    def __post_init__(self) -> None:
        share = self.calibration
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 0.5:
            raise BadPlan(f"calibration is a share of the budget from 0 (none) to 0.5, not {share!r}")
        given: Any = self.focus
        names = tuple(given) if isinstance(given, (list, tuple)) else ()
        if given is not None and (not names or not all(isinstance(name, str) for name in names)):
            raise BadPlan(f"focus is a list of columns, [region], not {given!r}")
        object.__setattr__(self, "focus", names or None)
        if not isinstance(self.target, str | None):
            raise BadPlan(f"target is one column, not {self.target!r}")

    def focused(self, domain: Domain) -> frozenset[int]:
        """Positions of the columns in focus, the target among them; of one that follows another, that one's."""
        return frozenset(_position(domain, name) for name in self.names_in_focus)

    def targeted(self, domain: Domain) -> int | None:
        """Position of the target."""
        return None if self.target is None else _position(domain, self.target)

    @property
    def names_in_focus(self) -> tuple[str, ...]:
        """Of the columns in focus, the target last."""
        return (*(self.focus or ()), *(() if self.target is None else (self.target,)))

    def check(self, domain: Domain) -> None:
        """At least two columns with codes; none open, none with too many values; and a focus that is there."""
        self.focused(domain)
        for attribute in domain.attributes:
            if isinstance(attribute, Uncoded):
                raise BadPlan(
                    f"{attribute.name} is of kind {attribute.kind}, and the whole table needs listed values or bins: "
                    "leave that column out of the domain, or release it by a workload made for it"
                )
            if attribute.size > MOST_VALUES:
                how = "use fewer bins" if isinstance(attribute, Ordered) else "list the frequent values, other: true"
                raise BadPlan(
                    f"{attribute.name} has {counted(attribute.size, 'value')}, and the whole table takes at most "
                    f"{MOST_VALUES:,} a column: {how}, or leave the column out"
                )
        if len(domain.closed) > MOST_COLUMNS:
            raise BadPlan(
                f"{len(domain.closed)} columns have too many pairs for the memory; the whole table takes at most "
                f"{MOST_COLUMNS}: leave columns out of the domain, or release marginals(width=1)"
            )
        telling = [attribute.name for attribute in domain.closed if attribute.size > 1]
        if len(telling) < 2:
            raise BadPlan(
                f"the whole table needs at least two columns with two values or more and this domain has "
                f"{len(telling)}; release one column by marginals(width=1)"
            )

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterator[Other]:
        """What it gives up: unbiased answers about few columns, each with an exact error bar."""
        remark = "unbiased, an exact error bar on every answer; two columns at most, no rows"
        yield Other(workload=Marginals(width=2), remark=remark, any_mechanism=True)


def _position(domain: Domain, name: str) -> int:
    follower = domain.follower(name)
    return domain.position(name) if follower is None else follower.root
