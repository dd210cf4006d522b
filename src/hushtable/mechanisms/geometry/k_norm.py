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
from ...questions.workloads.means import Means
from ..base import Design, Mechanism, options_text
from ..means_text import means_forecast
from .bounded_means import MeansDesign, means_design, release_means
from .listed_queries import CellDesign, cell_design, is_small, release_cells
from .one_way import OneWayDesign, one_way_design, release_one_way

if TYPE_CHECKING:
    from ...vault.door.door import Door
    from ..plans import Plan

__all__ = ["KNorm"]

Levels = Literal["planned", "one", "thesis"]
LEVELS = ("planned", "one", "thesis")
AnyDesign = OneWayDesign | CellDesign | MeansDesign


@dataclass(frozen=True)
class KNorm(Mechanism[AnyDesign]):
    """Noise of density exp(-epsilon |v|_K), K the hull of all changes, drawn exactly on whole numbers [HarT10].

    One radius for many numbers: where Laplace noise pays for every number, this pays once for all. The changes of
    replaced rows are a much smaller body than twice those of added ones, and it is that body which is used.
    """

    name = "k-norm"
    source = "HarT10"
    answers = (Marginals, LinearWorkload, Means)
    pure_only = True

    levels: Levels = "planned"
    """planned: what is measured together, and again, has the least error; one: all at once; thesis: halves, as the
    source has it, for comparison."""

    def __post_init__(self) -> None:
        if self.levels not in LEVELS:
            raise BadPlan(f"k-norm has levels=planned|one|thesis, not {self.levels!r}")

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Single columns and means always; other queries where few numbers tell them all."""
        single = isinstance(workload, Means) or (isinstance(workload, Marginals) and workload.width == 1)
        return single or is_small(workload, domain)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[AnyDesign]:
        workload.check(domain)
        if price.currency != "pure":
            raise BadPlan("k-norm noise is for a pure epsilon: with a delta or a rho Gaussian noise is better")
        made: Design[Any]
        options = options_text(self)
        if isinstance(workload, Means):
            if self.levels == "thesis":
                raise BadPlan("levels=thesis is for listed queries; means take levels=planned or levels=one")
            made = means_design(self, domain, workload, price, self.levels, options, rows)
        elif isinstance(workload, Marginals) and workload.width == 1 and self.levels != "thesis":
            made = one_way_design(self, domain, price, self.levels, options)
        else:
            made = cell_design(self, domain, workload, price, self.levels, options)
        return cast("Design[AnyDesign]", made)

    def forecast_lines(self, plan: Plan) -> list[str]:
        return means_forecast(plan) if isinstance(plan.workload, Means) else super().forecast_lines(plan)

    def release(self, door: Door, domain: Domain, design: Design[AnyDesign]) -> Model:
        if isinstance(design.parameters, OneWayDesign):
            return release_one_way(door, domain, cast("Design[OneWayDesign]", design))
        if isinstance(design.parameters, MeansDesign):
            return release_means(door, domain, cast("Design[MeansDesign]", design))
        return release_cells(door, domain, cast("Design[CellDesign]", design))
