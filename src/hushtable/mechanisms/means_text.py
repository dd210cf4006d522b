"""Text of means: what a plan says of the error of the means of columns, whichever noise they get."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..questions.workloads.means import Means
from ..words import readable

if TYPE_CHECKING:
    from .plans import Plan

__all__ = ["means_forecast"]

# Columns that have a line of their own.
SHOWN = 10


def means_forecast(plan: Plan) -> list[str]:
    """Every column's standard error in its own units, where the number of rows is given; else of sums of shares."""
    (seen,) = plan.design.forecasts
    if not plan.rows:
        return [
            "forecast standard error of a sum over all rows, each as its share of the column's range",
            f"  typical {_short(seen.typical)}, largest {_short(seen.worst)}",
        ]
    lines = [f"forecast standard error of a mean over {plan.rows:,} rows, near the ends of a column's range"]
    axes = cast(Means, plan.workload).axes(plan.domain)
    for axis in axes[:SHOWN]:
        reach = (axis.high - axis.low) * seen.typical / plan.rows
        bounds = f"between {readable(axis.low)} and {readable(axis.high)}"
        lines.append(f"  {axis.name}: about {_short(reach)} ({bounds}; values beyond count at the bound)")
    if len(axes) > SHOWN:
        lines.append(f"  and {len(axes) - SHOWN:,} more, each {seen.typical / plan.rows:.3g} of its range")
    return lines


def _short(value: float) -> str:
    return readable(float(f"{value:.3g}"))
