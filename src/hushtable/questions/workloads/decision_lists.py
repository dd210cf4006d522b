"""DecisionLists: for any input, which share of the rows' decision lists decides 1."""

from __future__ import annotations

from dataclasses import dataclass

from ...domain import Domain
from ...domain.decision_list import DecisionList
from ...errors import BadPlan, check_whole
from ...words import listed, suggestion
from .base import Workload

__all__ = ["LONGEST_EXACT", "DecisionLists"]

# Up to so many rules every pattern of decisions has a polynomial of its own: there are 2^length of them.
LONGEST_EXACT = 8


@dataclass(frozen=True)
class DecisionLists(Workload):
    """All 2^m inputs of one column of decision lists.

    attribute  which column; may be left out when there is one
    order      degree of the polynomials that stand for the lists: exact at the length of the lists, with a
               certified bias and less noise below; chosen for the narrowest intervals when it is left out
    """

    attribute: str | None = None
    order: int | None = None
    name = "decision_lists"

    def counted_ranges(self, domain: Domain) -> tuple[str, ...]:
        """None: only the column of lists is read."""
        return ()

    def __post_init__(self) -> None:
        if self.order is not None:
            check_whole(self.order, "order", BadPlan)

    def column(self, domain: Domain) -> DecisionList:
        """The column of lists it is about."""
        columns = {a.name: a for a in domain.attributes if isinstance(a, DecisionList)}
        names = list(columns)
        if not columns:
            raise BadPlan("the domain has no attribute of kind decision_list; decision_lists() needs one")
        if self.attribute is None and len(columns) > 1:
            raise BadPlan(
                f"the domain has {len(columns)} columns of decision lists; say attribute={names[0]} or another"
            )
        chosen = names[0] if self.attribute is None else str(self.attribute)
        if chosen not in columns:
            raise BadPlan(f"no decision lists in '{chosen}'; they are in {listed(names)}.{suggestion(chosen, names)}")
        return columns[chosen]

    def check(self, domain: Domain) -> None:
        """A column of lists, and no higher order than its lists have rules."""
        most = self.column(domain).most_rules
        if self.order is not None and self.order > most:
            advice = f"use order={most}, which is exact" if most <= LONGEST_EXACT else "leave it out for the best one"
            raise BadPlan(f"order {self.order} is more than the lists' {most} rules; {advice}")
