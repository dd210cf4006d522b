"""Plan of a curator in words and as plain values."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..budget import UNIT_NAME, Price
from ..errors import HushError
from ..words import counted, readable

if TYPE_CHECKING:
    from .plan import CuratorPlan

__all__ = ["plan_dict", "plan_text"]

SUMMARY = {
    "hypothesis": "free answers from a hypothesis while a noisy comparison finds it close, else a paid one",
    "independent": "every new question is paid for and has noise of its own",
}


def plan_text(plan: CuratorPlan) -> str:
    """Way, prices, threshold and both forecasts, in at most a screen."""
    unit = plan.domain.unit
    who = "one row" if unit.rows == 1 else f"up to {unit.rows} rows of one person"
    change = unit.change
    rows = "not given" if plan.rows is None else f"{plan.rows:,}"
    lines = [
        f"table      {plan.domain.table}, {counted(len(plan.domain.attributes), 'attribute')}, rows: {rows}",
        f"questions  {plan.questions:,} planned" + ("" if plan.workload is None else f", {plan.workload}"),
        f"way        {plan.way}: {SUMMARY[plan.way]}",
        f"price      {plan.budget}  (reserved as {plan.price})",
        f"protects   {who}, {change}",
        *([] if plan.sub_universe is None else [f"points     {plan.sub_universe.text(plan.questions, plan.rows)}"]),
        *_prices(plan),
        "",
        f"expected error ({'rows' if plan.rows is None else 'fraction of rows'})",
        f"  {plan.way:<12} {_forecast(plan)}",
    ]
    other = plan.other()
    lines += [f"  {other.way:<12} {_forecast(other)}"] * other.feasible
    return "\n".join([*lines, *_synopsis(plan)])


def _synopsis(plan: CuratorPlan) -> list[str]:
    """Lists: what a release of the same price gives, which is nearly always better."""
    if plan.workload is None:
        return []
    error = synopsis_error(plan)
    if error is None:
        return []
    advice = "BETTER: release it and ask for free" if error < plan.forecast else "larger"
    shown = _short(error / (plan.rows or 1))
    return [f"  {'a synopsis':<12} {shown} for any lists of {plan.workload.largest:,}, {plan.workload}: {advice}"]


def synopsis_error(plan: CuratorPlan) -> float | None:
    """Forecast error, in rows, of lists of the planned size asked of a synopsis that costs the same."""
    from ..mechanisms.planner import plan as plan_release

    try:
        made = plan_release(plan.domain, workload=plan.workload, budget=plan.budget, rows=plan.rows)
    except HushError:
        return None
    return made.design.forecasts[-1].typical


def _prices(plan: CuratorPlan) -> list[str]:
    lines, terms = [], plan.terms
    for name, amount in (("the number of rows", plan.rows_amount), ("one-way tables", plan.start_amount)):
        lines += [f"start      {_price(plan, amount)} for {name}"] if amount else []
    if plan.stages:
        when = ", ".join(f"{stage:,}" for stage in plan.stages)
        lines += [
            f"bars       {_price(plan, plan.calibration_each)} to compare the hypothesis, after {when} paid answers"
        ]
    each = f"each       {_price(plan, terms.each)} a paid answer, at most {plan.paid_answers:,}"
    if plan.margin is None:
        return [*lines, each]
    share = float(terms.answer / terms.each)
    lines += [f"{each}; {share:.0%} is the answer, the rest the watching before it"]
    lines += [f"           {_price(plan, terms.opening)} each time a process starts to watch"] if terms.opening else []
    margin = plan.margin
    return [
        *lines,
        f"threshold  {margin.threshold:,} rows, noise of scale {margin.first:,.0f} on it and {margin.second:,.0f} on "
        f"every comparison; noise alone crosses it once in about {margin.seldom:,.0f} questions",
    ]


def _forecast(plan: CuratorPlan) -> str:
    scale = plan.rows or 1
    if plan.margin is None:
        return f"{_short(plan.forecast / scale)}, noise on every answer"
    bound = plan.margin.half_width(0.95) / scale
    return (
        f"about {_short(plan.forecast / scale)}; free answers certified to {_short(bound)} (95%), paid ones have noise "
        f"{_short(plan.answer_stderr / scale)}"
    )


def _price(plan: CuratorPlan, amount: Fraction) -> str:
    return str(Price(currency=plan.price.currency, amount=amount))


def _short(value: float) -> str:
    return readable(float(f"{value:.3g}"))


def plan_dict(plan: CuratorPlan) -> dict[str, Any]:
    """The same as plain values; errors in rows."""
    margin, other = plan.margin, plan.other()
    lists: dict[str, Any] = {}
    if plan.workload is not None:
        lists = {"workload": str(plan.workload), "synopsis_expected_error_rows": synopsis_error(plan)}
    if plan.sub_universe is not None:
        raised = None if plan.rows is None else plan.raised(plan.rows)
        lists = {"points": plan.points, "smoothness": float(plan.smoothness or 0), "raised_rows": raised}
    return lists | {
        "table": plan.domain.table,
        "way": plan.way,
        "budget": {k: float(Fraction(v)) for k, v in plan.budget.to_dict().items()},
        "currency": plan.price.currency,
        "unit": UNIT_NAME[plan.price.currency],
        "price": float(plan.price.amount),
        "rows": plan.rows,
        "questions": plan.questions,
        "paid_answers": plan.paid_answers,
        "start_price": float(plan.start_amount + plan.rows_amount),
        "answer_price": float(plan.terms.each),
        "calibration_price": float(plan.calibration_each * len(plan.stages)),
        "threshold_rows": None if margin is None else margin.threshold,
        "questions_per_crossing": None if margin is None else margin.seldom,
        "expected_error_rows": plan.forecast,
        "bound_rows": None if margin is None else margin.half_width(0.95),
        "answer_stderr_rows": plan.answer_stderr,
        "other_way": other.way if other.feasible else None,
        "other_expected_error_rows": other.forecast if other.feasible else None,
    }
