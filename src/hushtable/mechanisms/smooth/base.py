"""What all mechanisms for smooth questions share: the workload they answer, and how their forecast reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from ...errors import BadPlan
from ...questions.workloads.base import Workload
from ...questions.workloads.smooth import Smooth
from ...words import readable
from ..base import Mechanism, of_kind

if TYPE_CHECKING:
    from ..plans import Plan

__all__ = ["SmoothMechanism", "any_order"]

P = TypeVar("P")


class SmoothMechanism(Mechanism[P]):
    """Answers means of smooth functions; its forecast is one line of noise and bias."""

    answers: ClassVar[tuple[type[Workload], ...]] = (Smooth,)
    resolves: ClassVar[bool] = True
    """Whether any question can be asked, down to features of the length scale."""

    def forecast_lines(self, plan: Plan) -> list[str]:
        return _forecast(plan, resolves=self.resolves)


def any_order(workload: Workload) -> Smooth:
    """The smooth workload of a mechanism that needs no order; one that asks for it would be given something else."""
    asked = of_kind(workload, Smooth)
    if asked.order is not None:
        raise BadPlan(
            f"order={asked.order} is that of the published summary; add the mechanism smooth-paper, or leave order out"
        )
    return asked


def _forecast(plan: Plan, *, resolves: bool) -> list[str]:
    """Noise and bias of the questions the plan was judged by, and what each column resolves."""
    workload, scale = cast(Smooth, plan.workload), plan.rows or 1
    (seen,) = plan.design.forecasts
    unit = "of a mean over all rows" if plan.rows else "of a sum over all rows"
    whose = "your examples" if workload.examples else "bumps, powers and soft steps between 0 and 1"
    lines = [
        f"forecast standard error {unit}, on {whose}",
        f"  typical {_short(seen.typical / scale)}, largest {_short(seen.worst / scale)}; bias bound at most "
        f"{_short(seen.bias)}, and each answer has its own",
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
