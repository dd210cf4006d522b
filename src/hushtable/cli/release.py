"""`hush release`: from a table to a synopsis file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import (
    AsJson,
    Decimal,
    Delta,
    DomainPath,
    Encoding,
    Epsilon,
    Multiline,
    Quote,
    Rho,
    Separator,
    budget_from,
    progress_bar,
    say,
)
from .plan import Mechanism, Rows, Workload

__all__ = ["run"]


def run(
    data: Annotated[Path, typer.Argument(help="The table: .csv, .csv.gz, .parquet or .jsonl.")],
    domain: DomainPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="The synopsis file to write.")],
    workload: Workload = None,
    mechanism: Mechanism = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    rows: Rows = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The table's ledger; NAME.ledger beside the data by default.")
    ] = None,
    simulate: Annotated[
        int | None, typer.Option(help="Rehearse with this seed: repeatable, NOT private, spends nothing.")
    ] = None,
    strict: Annotated[
        float | None,
        typer.Option(help="Refuse if more than this share of a column does not fit the domain. The refusal tells."),
    ] = None,
    separator: Separator = None,
    quote: Quote = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    multiline: Multiline = None,
    as_json: AsJson = False,
) -> None:
    """Publish a private summary of a table. Its price is in the ledger before any noise is drawn."""
    from ..domain import Domain
    from ..file_format import check_writable
    from ..planner import plan
    from ..vault.randomness import Simulated
    from ..vault.vault import Vault

    budget = budget_from(epsilon, delta, rho)
    shape = Domain.load(domain).with_csv(
        separator=separator, quote=quote, decimal=decimal, encoding=encoding, multiline=multiline
    )
    check_writable(output)
    vault = Vault(data, shape, ledger=ledger)
    made = plan(shape, rows=vault.rows if rows is None else rows, workload=workload, mechanism=mechanism, budget=budget)
    if not as_json:
        typer.echo(f"{made}\n")
    if strict is not None:
        with progress_bar("checking", made.rows) as progress:
            vault.require_fit(strict, progress=progress)
    randomness = None if simulate is None else Simulated(simulate)
    with progress_bar("reading", made.rows) as progress:
        synopsis = vault.release(made, randomness=randomness, progress=progress)
    synopsis.save(output)
    ledger_name = None if synopsis.not_private else str(vault.ledger_path)
    account = f"charged to {ledger_name}" if ledger_name else "nothing charged (simulated, NOT private)"
    value = {
        "file": str(output),
        "digest": synopsis.digest,
        "ledger": ledger_name,
        "not_private": synopsis.not_private,
        "plan": made.to_dict(),
    }
    remarks = synopsis.model.remarks()
    notes = "".join(f"\nnote: {remark}" for remark in remarks)
    say(value | {"notes": list(remarks)}, f"wrote {output}; {account}{notes}", as_json=as_json)
