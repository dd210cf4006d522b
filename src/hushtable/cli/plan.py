"""`hush plan`: price and forecast, before any data are opened."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import AsJson, Delta, DomainPath, Epsilon, Kept, Rho, budget_from, say

__all__ = ["Mechanism", "Rows", "Workload", "run"]

Rows = Annotated[int | None, typer.Option(help="About how many rows the table has (a public number).")]
Workload = Annotated[str | None, typer.Option(help="What may be asked, for example 'marginals(width=2)'.")]
Mechanism = Annotated[str | None, typer.Option(help="Force a mechanism; without it the planner chooses.")]


def run(
    domain: DomainPath,
    rows: Rows = None,
    workload: Workload = None,
    mechanism: Mechanism = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    target_error: Annotated[
        str | None, typer.Option(help="Solve for the budget: standard error of a typical cell, as a fraction.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="The table width that --target-error speaks of.")] = None,
    currency: Kept = None,
    as_json: AsJson = False,
) -> None:
    """Show what a release would cost and how accurate it would be. Opens no data and spends nothing."""
    from ..domain import Domain
    from ..mechanisms.planner import plan

    shape = Domain.load(domain)
    made = plan(
        shape,
        rows=rows,
        workload=workload,
        mechanism=mechanism,
        target_error=target_error,
        width=width,
        delta=delta if epsilon is None else None,
        currency=currency.value if currency else None,
        budget=None if epsilon is None and rho is None else budget_from(epsilon, delta, rho),
    )
    say(made.to_dict(), str(made), as_json=as_json)
