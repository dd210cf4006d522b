"""`hush release`: from a table to a synopsis file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import (
    DATA_HELP,
    AsJson,
    Decimal,
    Delta,
    Encoding,
    Engine,
    Epsilon,
    Kept,
    Multiline,
    Quote,
    Rho,
    Separator,
    TableName,
    budget_from,
    progress_bar,
    say,
    stoppable,
)
from .plan import Mechanism, Rows, Workload

if TYPE_CHECKING:
    from ..synopsis import Synopsis

__all__ = ["run"]


def run(
    data: Annotated[str | None, typer.Argument(help=DATA_HELP)] = None,
    domain: Annotated[Path | None, typer.Option(help="The domain file (YAML).")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The synopsis file to write.")] = None,
    table: TableName = None,
    engine: Engine = None,
    workload: Workload = None,
    mechanism: Mechanism = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    currency: Kept = None,
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
    resume: Annotated[
        Path | None, typer.Option(help="Finish the release that was interrupted and left this .part file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Publish a private summary of a table. Its price is in the ledger before any noise is drawn."""
    from ..addresses import table_at

    if resume is not None:
        _finish(resume, table_at(data, table, engine), output, ledger, as_json=as_json)
        return
    if data is None or domain is None or output is None:
        raise typer.BadParameter("a release needs DATA, --domain and --output; or --resume and a .part file")
    from ..domain import Domain
    from ..files import check_writable
    from ..mechanisms.planner import plan
    from ..owner.vault import Vault
    from ..vault.door.randomness import Simulated

    budget = budget_from(epsilon, delta, rho)
    shape = Domain.load(domain).with_csv(
        separator=separator, quote=quote, decimal=decimal, encoding=encoding, multiline=multiline
    )
    check_writable(output)
    vault = Vault(table_at(data, table, engine), shape, ledger=ledger)
    made = plan(
        shape,
        rows=vault.rows if rows is None else rows,
        workload=workload,
        mechanism=mechanism,
        budget=budget,
        currency=currency.value if currency else vault.currency_for(budget),
    )
    if not as_json:
        typer.echo(f"{made}\n")
    if strict is not None:
        with progress_bar("checking", made.rows) as progress:
            vault.require_fit(strict, progress=progress)
    randomness = None if simulate is None else Simulated(simulate)
    with stoppable(), progress_bar("reading", made.rows) as progress:
        synopsis = vault.release(made, randomness=randomness, progress=progress, journal=f"{output}.part")
    synopsis.save(output)
    charged = None if synopsis.not_private else str(vault.ledger_path)
    account = f"charged to {charged}" if charged else "nothing charged (simulated, NOT private)"
    _say(synopsis, output, account, {"ledger": charged, "plan": made.to_dict()}, as_json=as_json)


def _finish(part: Path, data: Any, output: Path | None, ledger: Path | None, *, as_json: bool) -> None:
    """What an interrupted release had measured, and what it had not, becomes its file."""
    from ..files import check_writable
    from ..owner.resume import finished, output_of
    from ..owner.vault import Vault

    target = output or output_of(part)
    if finished(part, target, ledger=ledger):
        say({"file": str(target), "removed": str(part)}, f"{target} was complete; removed {part}", as_json=as_json)
        return
    check_writable(target)
    with stoppable(), progress_bar("reading", None) as progress:
        synopsis = Vault.resume(part, data=data, ledger=ledger, progress=progress)
    synopsis.save(target)
    _say(synopsis, target, f"finished what {part} had begun, and removed it", {}, as_json=as_json)


def _say(synopsis: Synopsis, output: Path, account: str, more: dict[str, Any], *, as_json: bool) -> None:
    remarks = synopsis.model.remarks()
    notes = "".join(f"\nnote: {remark}" for remark in remarks)
    value = {"file": str(output), "digest": synopsis.digest, "not_private": synopsis.not_private} | more
    say(value | {"notes": list(remarks)}, f"wrote {output}; {account}{notes}", as_json=as_json)
