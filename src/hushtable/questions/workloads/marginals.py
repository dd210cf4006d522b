"""Marginals: every question about at most `width` attributes at a time, cross-tabs included."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...budget import Budget
from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...words import counted
from .base import Other, Workload, uncoded

__all__ = ["Marginals"]


@dataclass(frozen=True)
class Marginals(Workload):
    """All k-way tables for k up to `width`, and any WHERE clause over that many attributes."""

    width: int
    name = "marginals"
    finds_cells = True

    def __post_init__(self) -> None:
        check_whole(self.width, "width", BadPlan)

    def check(self, domain: Domain) -> None:
        """At least one attribute with codes, and no wider than there are attributes."""
        have = len(domain.closed)
        if have == 0:
            raise BadPlan(
                f"the domain has no attribute with listed values; marginals need at least one{uncoded(domain)}"
            )
        if self.width > have:
            text = f"width {self.width} is more than the domain's {counted(have, 'attribute')}"
            raise BadPlan(f"{text} with listed values; use width={have} or less{uncoded(domain)}")

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterator[Other]:
        """What narrower and wider tables would give for the same budget."""
        if self.width > 1:
            yield Other(workload=Marginals(width=self.width - 1), remark="answers less")
        if self.width < len(domain.closed):
            yield Other(workload=Marginals(width=self.width + 1), remark="larger error, answers more")
