"""What all mechanisms for smooth questions share: the workload they answer, and how their forecast reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from ...domain import Domain
from ...errors import BadPlan
from ...maths.smooth.axes import MOST_DENSE_AXES
from ...questions.workloads.base import Workload
from ...questions.workloads.smooth import Smooth
from ...words import readable
from ..base import Mechanism, of_kind

if TYPE_CHECKING:
    from ..plans import Plan

__all__ = ["SmoothMechanism", "few_columns"]

P = TypeVar("P")


class SmoothMechanism(Mechanism[P]):
    """Answers means of smooth functions; its forecast is one line of noise and bias."""

    answers: ClassVar[tuple[type[Workload], ...]] = (Smooth,)
    resolves: ClassVar[bool] = True
    """Whether any question can be asked, down to features of the length scale."""
    takes_order: ClassVar[bool] = False
    """Whether it needs to know how smooth questions are; others bound the bias of each from the question itself."""

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Where its grids have room; smooth-sparse takes the rest."""
        groups = workload.groups if isinstance(workload, Smooth) else ()
        return all(len(group) <= MOST_DENSE_AXES for group in groups)

    def forecast_lines(self, plan: Plan) -> list[str]:
        return _forecast(plan, resolves=self.resolves, takes_order=self.takes_order)


def few_columns(workload: Workload) -> Smooth:
    """The smooth workload of a mechanism whose grids have all combinations of points of its columns."""
    asked = of_kind(workload, Smooth)
    most = max(len(group) for group in asked.groups)
    if most > MOST_DENSE_AXES:
        raise BadPlan(
            f"{most} smooth columns in one group and at most {MOST_DENSE_AXES} are allowed by this mechanism; take "
            "smooth-sparse, or make groups of columns that are asked about together"
        )
    return asked


def _forecast(plan: Plan, *, resolves: bool, takes_order: bool) -> list[str]:
    """Noise and bias of the questions the plan was judged by, and what each column resolves."""
    workload, scale = cast(Smooth, plan.workload), plan.rows or 1
    (seen,) = plan.design.forecasts
    unit = "of a mean over all rows" if plan.rows else "of a sum over all rows"
    whose = "your examples" if workload.examples else "bumps, powers and soft steps between 0 and 1"
    if not workload.examples and any(len(group) > MOST_DENSE_AXES for group in workload.groups):
        whose += " of two columns"
    lines = [
        f"forecast standard error {unit}, on {whose}",
        f"  typical {_short(seen.typical / scale)}, largest {_short(seen.worst / scale)}; bias bound at most "
        f"{_short(seen.bias)}, and each answer has its own",
    ]
    if workload.order is not None and not takes_order:
        lines += [
            "",
            f"order={workload.order} is not needed here: the bias of every answer is computed from its function",
        ]
    if resolves:
        lines += ["", "resolved features (wide bounds waste resolution; values beyond them count at the bound)"]
        for block in workload.blocks(plan.domain):
            for axis in block.axes:
                width = workload.scale_of(block) * axis.half
                on = "" if axis.transform == "none" else f" on the scale of {axis}"
                lines.append(f"  {axis.name}: {readable(axis.low)} to {readable(axis.high)}, about {_short(width)}{on}")
    return lines


def _short(value: float) -> str:
    return readable(float(f"{value:.3g}"))
