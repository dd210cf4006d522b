"""Linear workloads: classes of counts that are chosen from, each a public function of every row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from ...errors import BadPlan
from .base import Workload
from .marginals import Marginals

if TYPE_CHECKING:
    from ...domain import Domain
    from ...maths.linear import LinearClass

__all__ = ["MOST_QUERIES", "LinearWorkload", "linear_class_of"]

# More queries than this are refused before anything is built: each needs a number in memory for every step.
MOST_QUERIES = 1 << 22


class LinearWorkload(Workload, ABC):
    """A workload that is a list of linear queries, or stands for one."""

    @abstractmethod
    def linear_class(self, domain: Domain) -> LinearClass:
        """The queries, over the domain's closed attributes; BadPlan as `check` says."""


def linear_class_of(workload: Workload, domain: Domain) -> LinearClass:
    """The class of any workload that has one; of marginals, the whole tables of exactly `width` attributes."""
    if isinstance(workload, Marginals):
        from ...maths.linear import WholeTables

        workload.check(domain)
        return WholeTables.of_width(domain.sizes, workload.width)
    if isinstance(workload, LinearWorkload):
        return workload.linear_class(domain)
    raise BadPlan(f"{workload} is not a class of linear queries; marginals, parities, ranges and linear are")
