"""Carrying out a plan: through the door, into a model, and what is left behind when that is interrupted."""

from __future__ import annotations

from dataclasses import replace

from ..errors import HushError
from ..mechanisms.planner import Plan
from ..synopsis import Synopsis
from ..vault.door.door import Door
from ..vault.door.randomness import Randomness
from ..vault.statistics.base import Totals
from .account import ReleaseAccount
from .journal import ReleaseJournal

__all__ = ["carry_out"]


def carry_out(
    plan: Plan,
    *,
    total: Totals,
    account: ReleaseAccount,
    journal: ReleaseJournal | None,
    randomness: Randomness,
) -> Synopsis:
    """The synopsis of a plan; a fault on the way leaves the journal, and says in a note how to finish from it."""
    try:
        door = Door(
            total=total,
            unit=plan.domain.unit,
            price=plan.design.price,
            account=account,
            randomness=randomness,
            journal=journal,
        )
        model = plan.by.release(door, plan.domain, plan.design)
        synopsis = Synopsis.from_release(plan, model, ledger=account.entry, not_private=not randomness.private)
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


def _interrupted(account: ReleaseAccount, journal: ReleaseJournal, error: BaseException) -> None:
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
