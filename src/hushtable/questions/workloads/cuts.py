"""Cuts: how many edges leave a group of vertices, for any group; degrees, and the number of edges."""

from __future__ import annotations

from dataclasses import dataclass

from ...budget import Budget, Currency, Price
from ...domain import Domain
from ...domain.vertex import Vertex
from ...errors import BadPlan, check_whole
from ...words import listed
from .base import Workload

__all__ = ["GraphCuts"]

MOST_REPEATS = 1_000_000


@dataclass(frozen=True)
class GraphCuts(Workload):
    """All groups of vertices of one graph, whose edges are the rows.

    repeats  how many edges a pair of vertices has at most, as far as is publicly known: every row is counted as it is,
             and error bars of cuts are made for so many
    """

    repeats: int = 1
    name = "cuts"

    def __post_init__(self) -> None:
        check_whole(self.repeats, "repeats", BadPlan, most=MOST_REPEATS)

    def ends(self, domain: Domain) -> tuple[Vertex, Vertex]:
        """The two columns of an edge."""
        found = [a for a in domain.attributes if isinstance(a, Vertex)]
        if len(found) != 2:
            have = listed([a.name for a in found]) or "none"
            raise BadPlan(f"an edge has two columns of kind vertex, and this domain has {have}; cuts() needs both ends")
        if not found[0].same_as(found[1]):
            raise BadPlan(
                f"{found[0].name} and {found[1].name} have different vertices; say `{found[1].name}: {{kind: vertex, "
                f"like: {found[0].name}}}`"
            )
        return found[0], found[1]

    def price(self, budget: Budget, currency: Currency) -> Price:
        """A budget with delta is spent in epsilon: an edge changes few numbers, so Laplace noise is smaller."""
        if budget.epsilon is None:
            return budget.price_in(currency)
        return Price(currency="pure", amount=budget.epsilon)

    def check(self, domain: Domain) -> None:
        self.ends(domain)

    def __str__(self) -> str:
        return self.name + ("()" if self.repeats == 1 else f"(repeats={self.repeats})")
