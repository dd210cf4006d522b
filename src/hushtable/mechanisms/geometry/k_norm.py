"""K-norm: noise shaped like the changes one row can make; the best use of a pure epsilon on few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...models.base import Model
from ...questions.workloads.base import Workload
from ...questions.workloads.linear_workload import LinearWorkload
from ...questions.workloads.marginals import Marginals
from ..base import Design, Mechanism, options_text
from .listed_queries import CellDesign, cell_design, is_small, release_cells
from .one_way import OneWayDesign, one_way_design, release_one_way

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["KNorm"]

Levels = Literal["planned", "one", "thesis"]
LEVELS = ("planned", "one", "thesis")


@dataclass(frozen=True)
class KNorm(Mechanism[OneWayDesign | CellDesign]):
    """Noise of density exp(-epsilon |v|_K), K the hull of all changes, drawn exactly on whole numbers [HarT10].

    One radius for many numbers: where Laplace noise pays for every number, this pays once for all. The changes of
    replaced rows are a much smaller body than twice those of added ones, and it is that body which is used.
    """

    name = "k-norm"
    source = "HarT10"
    answers = (Marginals, LinearWorkload)
    pure_only = True

    levels: Levels = "planned"
    """planned: what is measured together, and again, has the least error; one: all at once; thesis: halves, as the
    source has it, for comparison."""

    def __post_init__(self) -> None:
        if self.levels not in LEVELS:
            raise BadPlan(f"k-norm has levels=planned|one|thesis, not {self.levels!r}")

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Single columns always; other queries where few numbers tell them all."""
        return (isinstance(workload, Marginals) and workload.width == 1) or is_small(workload, domain)

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[OneWayDesign | CellDesign]:
        workload.check(domain)
        if price.currency != "pure":
            raise BadPlan("k-norm noise is for a pure epsilon: with a delta or a rho Gaussian noise is better")
        made: Design[Any]
        if isinstance(workload, Marginals) and workload.width == 1 and self.levels != "thesis":
            made = one_way_design(self, domain, price, self.levels, options_text(self))
        else:
            made = cell_design(self, domain, workload, price, self.levels, options_text(self))
        return cast("Design[OneWayDesign | CellDesign]", made)

    def release(self, door: Door, domain: Domain, design: Design[OneWayDesign | CellDesign]) -> Model:
        if isinstance(design.parameters, OneWayDesign):
            return release_one_way(door, domain, cast("Design[OneWayDesign]", design))
        return release_cells(door, domain, cast("Design[CellDesign]", design))
