"""K-norm: noise shaped like the changes one row can make; the best use of a pure epsilon on few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...models.linear.one_way import OneWayModel
from ...questions.workloads.base import Workload
from ...questions.workloads.marginals import Marginals
from ..base import Design, Mechanism, options_text
from .one_way import OneWayDesign, one_way_design, release_one_way

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["KNorm"]

Levels = Literal["planned", "one"]


@dataclass(frozen=True)
class KNorm(Mechanism[OneWayDesign]):
    """Noise of density exp(-epsilon |v|_K), K the hull of all changes, drawn exactly on whole numbers [HarT10].

    One radius for many numbers: where Laplace noise pays for every number, this pays once for all. The changes of
    replaced rows are a much smaller body than twice those of added ones, and it is that body which is used.
    """

    name = "k-norm"
    source = "HarT10"
    answers = (Marginals,)
    pure_only = True

    levels: Levels = "planned"
    """planned: columns share radii in the groups of least error; one: all share one, as the source has it."""

    def __post_init__(self) -> None:
        if self.levels not in ("planned", "one"):
            raise BadPlan(f"k-norm has levels=planned|one, not {self.levels!r}")

    def suits(self, workload: Workload) -> bool:
        """Tables of single columns."""
        return isinstance(workload, Marginals) and workload.width == 1

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[OneWayDesign]:
        workload.check(domain)
        if price.currency != "pure":
            raise BadPlan("k-norm noise is for a pure epsilon: with a delta or a rho Gaussian noise is better")
        return one_way_design(self, domain, price, self.levels, options_text(self))

    def release(self, door: Door, domain: Domain, design: Design[OneWayDesign]) -> OneWayModel:
        return release_one_way(door, domain, design)
