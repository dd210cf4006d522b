"""Guidance: what a budget means for one person, and what an owner should think twice about before releasing."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from ..domain.review import averages_warning
from ..questions.workloads import Marginals
from ..questions.workloads.whole_table import WholeTable
from ..words import readable

if TYPE_CHECKING:
    from .plans import Plan

__all__ = ["meaning", "warnings_of"]

# Above it a promise to one person is hardly one: what is likely 1 time in 150 may become certain.
LARGE_EPSILON = 5
# A delta of one over the rows would allow to publish a row at random; a tenth of that is the usual limit.
DELTA_ROWS = 10
# A share that is off by this much says little of anything.
POOR_SHARE = 0.05
BEYOND = 50.0


def meaning(epsilon: Fraction | None, delta: Fraction | None) -> str:
    """The promise to one person in one sentence."""
    if epsilon is None:
        return "one person's rows change what is shown by at most rho, in zero-concentrated privacy (docs/budget.md)"
    times = f"{math.exp(float(epsilon)):,.3g}" if epsilon < BEYOND else "any number of"
    but = f", but for a chance of {readable(delta)}" if delta else ""
    return f"whatever is shown, one person's rows make it at most {times} times as likely{but}"


def warnings_of(plan: Plan) -> list[str]:
    """What may be regretted later, from public facts alone."""
    budget, rows, found = plan.budget, plan.rows, []
    if budget.epsilon is not None and budget.epsilon > LARGE_EPSILON:
        found.append(
            f"epsilon = {readable(budget.epsilon)} is above {LARGE_EPSILON}: it promises one person little; "
            "see docs/choosing-epsilon.md"
        )
    if rows is not None and budget.delta and budget.delta > Fraction(1, DELTA_ROWS * rows):
        most = f"{1 / (DELTA_ROWS * rows):.0e}"
        found.append(f"delta = {readable(budget.delta)} is above 1 / ({DELTA_ROWS} x rows); use {most} or less")
    exact = [f for f in plan.design.forecasts if not f.reference]
    if rows is not None and exact and min(f.typical for f in exact) / rows > POOR_SHARE:
        share = min(f.typical for f in exact) / rows
        found.append(
            f"{rows:,} rows are few for these questions: the best shares are off by about {share:.2g}; "
            "ask for fewer columns at a time, merge bins, or spend more"
        )
    if isinstance(plan.workload, (Marginals, WholeTable)):
        found += averages_warning(plan.domain)
    return found
