"""`hush plan`: price and forecast, before any data are opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import AsJson, Delta, DomainPath, Kept, Rho, budget_from, say

if TYPE_CHECKING:
    from ..mechanisms.planner import Plan

__all__ = ["Mechanism", "Rows", "Workload", "run"]

Rows = Annotated[int | None, typer.Option(help="About how many rows the table has (a public number).")]
Workload = Annotated[str | None, typer.Option(help="What may be asked, for example 'marginals(width=2)'.")]
Mechanism = Annotated[str | None, typer.Option(help="Force a mechanism; without it the planner chooses.")]


def run(
    domain: DomainPath,
    rows: Rows = None,
    workload: Workload = None,
    mechanism: Mechanism = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Total epsilon; give it several times to compare budgets.")
    ] = None,
    delta: Delta = None,
    rho: Rho = None,
    target_error: Annotated[
        str | None, typer.Option(help="Solve for the budget: standard error of a typical cell, as a fraction.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="The table width that --target-error speaks of.")] = None,
    currency: Kept = None,
    picture: Annotated[
        Path | None, typer.Option(help="With several epsilons: draw the errors they buy here (.svg or .png).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a release would cost and how accurate it would be. Opens no data and spends nothing."""
    from ..domain import Domain
    from ..errors import BadPlan
    from ..mechanisms.planner import plan

    shape, budgets = Domain.load(domain), epsilon or []
    if picture is not None and len(budgets) < 2:
        raise BadPlan("--picture compares budgets; give --epsilon twice or more")

    def planned(one: str | None) -> Plan:
        return plan(
            shape,
            rows=rows,
            workload=workload,
            mechanism=mechanism,
            target_error=target_error,
            width=width,
            delta=delta if one is None else None,
            currency=currency.value if currency else None,
            budget=None if one is None and rho is None else budget_from(one, delta, rho),
        )

    if len(budgets) < 2:
        made = planned(budgets[0] if budgets else None)
        say(made.to_dict(), str(made), as_json=as_json)
        return
    _compare([planned(one) for one in budgets], picture, as_json=as_json)


def _compare(plans: list[Plan], picture: Path | None, *, as_json: bool) -> None:
    """Several budgets as a table, and as a picture."""
    from ..mechanisms.comparison import BudgetComparison
    from ..report.plots import check_picture, save_comparison

    compared = BudgetComparison.of(plans)
    if picture is not None:
        save_comparison(check_picture(picture), compared)
    drawn = f"\n\nwrote {picture}" if picture is not None else ""
    file = {"picture": str(picture)} if picture is not None else {}
    say(compared.to_dict() | file, f"{compared}{drawn}", as_json=as_json)
