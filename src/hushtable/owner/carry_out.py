"""Carrying out a plan: through the door, into a model, and what is left behind when that is interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import BadLedger, BadPath, HushError
from ..mechanisms.carried_out import carried_out
from ..mechanisms.planner import Plan
from ..synopsis import Synopsis
from ..vault.door.door import Door
from ..vault.door.randomness import Randomness
from ..vault.ledger.account import LedgerAccount, Purpose, Purse
from ..vault.statistics.base import Totals
from .journal import ReleaseJournal

__all__ = ["account_of", "carry_out"]


def account_of(plan: Plan, journal: ReleaseJournal, path: Path) -> LedgerAccount:
    """The account that pays for a plan, with what the release that the journal is of has charged to it.

    Where the ledger exists the price is reserved now, before any row is read; else just before the first charge.
    """
    if len(journal.entries) > 1 and not path.exists():
        raise BadPath(f"there is no ledger at {path}, which paid for {journal.path}; say where it is with --ledger")
    purpose = Purpose(
        domain=plan.domain,
        total=plan.budget,
        price=plan.price,
        what=f"release {plan.workload.recorded}, journal {journal.mark}",
        record=journal.path,
        mechanism=plan.mechanism,
        plan_digest=plan.digest,
    )
    account = LedgerAccount.open(purpose, path)
    if account.reservation is None and any(entry["kind"] == "step" for entry in journal.entries):
        raise BadLedger(f"{path} did not pay for {journal.path}; say with --ledger which one did")
    if account.has_ledger:
        account.reserve()
    return account


def carry_out(
    plan: Plan,
    *,
    total: Totals,
    account: Purse,
    journal: ReleaseJournal | None,
    randomness: Randomness,
) -> Synopsis:
    """The synopsis of a plan; a fault on the way leaves the journal, and says in a note how to finish from it."""
    try:
        door = Door(
            total=total,
            unit=plan.domain.unit,
            price=plan.price,
            account=account,
            randomness=randomness,
            journal=journal,
        )
        done = carried_out(plan, door)
        synopsis = Synopsis.from_release(
            replace(plan, domain=done.domain),
            done.model,
            means=done.means,
            shapes=done.shapes,
            ledger=account.entry,
            not_private=not randomness.private,
        )
        if journal is not None:
            synopsis = replace(synopsis, journal=journal.path)
        account.settle(synopsis.digest)
    except BaseException as error:
        if journal is not None:
            _interrupted(account, journal, error)
        raise
    if journal is not None:
        journal.close()
    return synopsis


def _interrupted(account: Purse, journal: ReleaseJournal, error: BaseException) -> None:
    """Returns a reservation to which nothing was charged; else it stays open, so that the release can be finished."""
    try:
        if not account.charged:
            account.settle(None)
            journal.remove()
            return
    except (HushError, OSError):
        pass  # the first error is the one to show
    journal.close()
    error.add_note(journal.advice)
