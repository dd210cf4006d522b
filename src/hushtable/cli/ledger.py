"""`hush ledger`: the account of a protected table."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import AsJson, Delta, DomainPath, Epsilon, Kept, Rho, budget_from, say

if TYPE_CHECKING:
    from ..vault.ledger.ledger import Ledger, Line

__all__ = ["app"]

app = typer.Typer(help="The account of a protected table.", no_args_is_help=True)
LedgerPath = Annotated[Path, typer.Argument(help="A .ledger file.")]


@app.command()
def create(
    ledger: LedgerPath,
    domain: DomainPath,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    currency: Kept = None,
    as_json: AsJson = False,
) -> None:
    """Declare the total budget of a table, before its first release."""
    from ..domain import Domain
    from ..vault.ledger.ledger import Ledger

    shape = Domain.load(domain)
    made = Ledger.create(
        ledger,
        table=shape.table,
        domain_digest=shape.digest,
        unit=shape.unit,
        total=budget_from(epsilon, delta, rho),
        currency=currency.value if currency else None,
    )
    say(_balance(made), f"created {ledger} for {shape.table}: {made.budget}", as_json=as_json)


@app.command()
def show(ledger: LedgerPath, as_json: AsJson = False) -> None:
    """Print the total, what is spent and left, and every line."""
    from ..vault.ledger.ledger import Ledger
    from ..words import readable

    account = Ledger.open(ledger)
    lines = [_line(line) for line in account.lines()]
    head = _balance(account)
    text = [
        f"{account.table}: {account.budget}; {head['unit']} total {readable(account.total)}, spent "
        f"{readable(account.spent)}, left {readable(account.left)}"
    ]
    if (room := account.room) is not None:
        text.append(f"what is left pays for a release of {room}")
    text += [
        f"{line['number']:>5}  {line['when']}  {line['kind']:<8} {line['amount']:<12.6g} {line['what']}{_terms(line)}"
        for line in lines
    ]
    say(head | {"lines": lines}, "\n".join(text), as_json=as_json)


@app.command()
def verify(ledger: LedgerPath, as_json: AsJson = False) -> None:
    """Check the hash chain: an edited, deleted or reordered line shows."""
    from ..vault.ledger.ledger import Ledger

    lines = Ledger.open(ledger).verify()
    say(
        {"ledger": str(ledger), "lines": lines, "intact": True},
        f"{ledger}: {lines} lines, chain intact",
        as_json=as_json,
    )


@app.command("raise")
def raise_total(
    ledger: LedgerPath,
    why: Annotated[str, typer.Option(help="Why the total is raised; kept in the ledger.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    as_json: AsJson = False,
) -> None:
    """Raise the total on purpose. Recorded like a charge; it cannot be taken back."""
    from ..vault.ledger.ledger import Ledger

    account = Ledger.open(ledger)
    account.raise_total(budget_from(epsilon, delta, rho), why)
    say(_balance(account), f"{ledger}: total is now {account.budget}", as_json=as_json)


@app.command()
def rebind(
    ledger: LedgerPath,
    domain: DomainPath,
    why: Annotated[str, typer.Option(help="Why the domain changed; kept in the ledger.")],
    as_json: AsJson = False,
) -> None:
    """Go on with the same account after the domain of its table was declared anew. Spends nothing, forgets nothing."""
    from ..domain import Domain
    from ..vault.ledger.ledger import Ledger

    shape, account = Domain.load(domain), Ledger.open(ledger)
    old = account.domain_digest
    account.rebind(table=shape.table, domain_digest=shape.digest, unit=shape.unit, why=why)
    text = f"{ledger}: domain {old[:12]} is now {shape.digest[:12]}; what was spent stays spent"
    say(_balance(account) | {"old": old, "new": shape.digest}, text, as_json=as_json)


def _balance(account: Ledger) -> dict[str, Any]:
    from ..budget import UNIT_NAME

    return {
        "table": account.table,
        "currency": account.currency,
        "unit": UNIT_NAME[account.currency],
        "budget": str(account.budget),
        "total": float(account.total),
        "spent": float(account.spent),
        "left": float(account.left),
        "room": None if account.room is None else {k: float(Fraction(v)) for k, v in account.room.to_dict().items()},
    }


def _terms(line: dict[str, Any]) -> str:
    """What a line says beside the amount, which is in the ledger's currency: epsilon and delta, or two domains."""
    if "new" in line:
        return f" (domain {line['old'][:12]} -> {line['new'][:12]})"
    return f" (epsilon = {line['epsilon']:.6g}, delta = {line['delta']:.6g})" if "delta" in line else ""


def _line(line: Line) -> dict[str, Any]:
    terms: dict[str, Any] = {}
    if line.terms is not None:
        terms = {"epsilon": float(line.terms.epsilon), "delta": float(line.terms.delta)}
    elif line.rebinding is not None:
        terms = {"old": line.rebinding.old, "new": line.rebinding.new}
    return {
        "number": line.number,
        "when": line.when,
        "kind": line.kind,
        "what": line.what,
        "mechanism": line.mechanism,
        "amount": float(line.amount),
        "exact": str(line.amount),
        **terms,
        "plan": line.plan_digest,
        "synopsis": line.synopsis_digest,
        "hash": line.hash,
    }
