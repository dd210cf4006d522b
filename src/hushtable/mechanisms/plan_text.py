"""Plan in words: the table a person reads before deciding to release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..words import counted, readable
from .guidance import meaning, warnings_of
from .plans import seconds

if TYPE_CHECKING:
    from .plans import Alternative, Plan

__all__ = ["forecast_by_width", "plan_text"]


def plan_text(plan: Plan) -> str:
    """Mechanism, price, forecast and alternatives, in at most a screen."""
    return "\n".join([*_head(plan), "", *plan.by.forecast_lines(plan), *plan.design.outlook, *_optimal(plan),
                      *_alternatives(plan), *_warnings(plan)])  # fmt: skip


def _head(plan: Plan) -> list[str]:
    unit, design = plan.domain.unit, plan.design
    who = "one row" if unit.rows == 1 else f"up to {unit.rows} rows of one person (every sensitivity x {unit.rows})"
    rows = "not given" if plan.rows is None else f"{plan.rows:,}"
    cost = [f"{design.numbers:,} numbers", f"{design.memory / 1e6:,.0f} MB"]
    if plan.rows is not None:
        cost.append(f"about {max(1, round(seconds(design, plan.rows)))} s")
    return [
        f"table      {plan.domain.table}, {counted(len(plan.domain.attributes), 'attribute')}, rows: {rows}",
        f"workload   {plan.workload}",
        f"mechanism  {plan.mechanism}: {design.summary}",
        f"price      {plan.budget}  (spent as {plan.price}{_compared_with_zcdp(plan)})",
        f"protects   {who}, {unit.change}",
        *_people(plan),
        f"means      {meaning(plan.budget.epsilon, plan.budget.delta)}",
        f"cost       {', '.join(cost)}",
        *([] if plan.cells is None else [f"cells      {plan.cells.line}"]),
        *_means(plan),
    ]


def _people(plan: Plan) -> list[str]:
    """What enforcing a number of rows a person does, and what another number would do. Public facts alone."""
    unit = plan.domain.unit
    if not unit.person:
        return []
    return [
        f"people     are told apart: of each at most {counted(unit.rows, 'row')}, chosen at random, are counted, and "
        "answers are about these;",
        "           fewer rows a person mean less noise (in proportion) and more that is left out; choose by what is",
        "           publicly known, as the best number for these very rows would tell of them",
    ]


def _means(plan: Plan) -> list[str]:
    """What declared means cost, and how well they will be known."""
    if plan.means is None:
        declared = bool(plan.domain.means)
        return [f"averages   not measured for {plan.workload.name}; they go with tables of columns"] if declared else []
    part = f"{float(plan.means.price.amount / plan.price.amount):.0%} of the budget"
    if plan.rows is None:
        return [f"averages   {part} for the sums of {', '.join(plan.domain.means)}"]
    told = plan.means.forecast(plan.domain, plan.rows).items()
    errors = ", ".join(f"avg({name}) ± {1.96 * stderr:.2g}" for name, stderr in told)
    return [f"averages   {errors} (95%, all rows); {part}"]


def _compared_with_zcdp(plan: Plan) -> str:
    """What each currency gives, where there is a choice."""
    if not plan.budget.delta or plan.design.price.currency not in plan.budget.currencies:
        return ""
    exact, concentrated = (plan.budget.price_in(name).amount for name in plan.budget.currencies)
    more = f"{float(exact / concentrated - 1):.1%} more than zCDP"
    if plan.design.price.currency == "gdp":
        return f"; exact accounting: {more}"
    return f"; the exact accounting of Gaussian noise has {more}, and prices selections higher: --currency gdp"


def forecast_by_width(plan: Plan) -> list[str]:
    """One line a width."""
    share = plan.rows is not None
    unit = "fraction of rows" if share else "rows"
    exact = [f for f in plan.design.forecasts if not f.reference]
    scale = plan.rows or 1
    lines = [
        f"forecast standard error ({unit})",
        "".join(f"{word:>{size}}" for word, size in zip(plan.design.words, (7, 10, 15, 17), strict=True)),
    ]
    for f in exact:
        lines.append(
            f"{f.width:>7}{f.tables:>10,}{readable(_short(f.typical / scale)):>15}"
            f"{readable(_short(f.worst / scale)):>17}"
        )
    for f in plan.design.forecasts:
        if f.reference:
            lines.append(
                f"  up to {f.width} attributes: expected error {readable(_short(f.typical / scale))} on a public "
                f"reference table; certified bias {readable(_short(f.bias))}, noise {readable(_short(f.worst / scale))}"
            )
    return [*lines, *([f"  {plan.design.caution}"] if plan.design.caution else [])]


def _optimal(plan: Plan) -> list[str]:
    """How far from the best that is, as far as anybody knows."""
    return [f"  {plan.optimality()}"]


def _warnings(plan: Plan) -> list[str]:
    found = warnings_of(plan)
    return ["", *(f"warning: {warning}" for warning in found)] if found else []


def _alternatives(plan: Plan) -> list[str]:
    if not plan.alternatives:
        return []
    return ["", "alternatives", *(_alternative(a, plan.rows) for a in plan.alternatives)]


def _alternative(a: Alternative, rows: int | None) -> str:
    errors = ", ".join(readable(_short(t / (rows or 1))) for t in a.typical)
    shown = f" {a.what} {errors};" if errors else ""
    return f"  {a.mechanism} for {a.workload}:{shown} {a.why_not}"


def _short(value: float) -> float:
    """Three digits are all a forecast is read for."""
    return float(f"{value:.3g}")
