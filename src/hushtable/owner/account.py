"""Accounts of a release: what its door charges to, from the reservation to the settlement."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import Any, Protocol

from ..budget import Price
from ..errors import BadLedger, BadPath, BadState, HushError, OverBudget
from ..mechanisms.planner import Plan
from ..vault.ledger.ledger import Ledger, Line, Reservation
from .journal import ReleaseJournal

__all__ = ["LedgerAccount", "Rehearsal", "ReleaseAccount"]


class ReleaseAccount(Protocol):
    """What a release needs of its account."""

    @property
    def entry(self) -> dict[str, Any] | None:
        """The line of the ledger that pays, for the synopsis."""

    @property
    def charged(self) -> bool:
        """Whether anything was charged, so that noise may have been drawn."""

    def charge(self, price: Price, *, what: str) -> None:
        """Records a charge durably."""

    def settle(self, synopsis_digest: str | None) -> None:
        """Closes the reservation; it is returned only if nothing was charged to it."""


class Rehearsal:
    """The account of a simulated release: it protects nobody, so it spends nothing."""

    entry: dict[str, Any] | None = None
    charged = False

    def charge(self, price: Price, *, what: str) -> None:
        """Free."""

    def settle(self, synopsis_digest: str | None) -> None:
        """Nothing to settle."""


class LedgerAccount:
    """The account of a private release: the whole price is reserved before any row is read.

    A ledger that does not exist yet is created, with this release's budget as its total, just before the first
    charge: its total covers the price by construction, and a table that turns out not to fit its domain then
    leaves no ledger behind that would bind the owner to a domain about to be corrected.

    The reservation names the journal of the release. One that was interrupted finds it again by that name, and the
    charges it made are not made a second time.
    """

    def __init__(self, path: Path, plan: Plan, journal: ReleaseJournal) -> None:
        self._path, self._plan, self._journal = path, plan, journal
        self._reservation: Reservation | None = None
        self._made: deque[Line] = deque()
        self._settled = False
        if path.exists():
            ledger = Ledger.open(path)
            self._reservation = self._found(ledger) or self._reserve(ledger)
        elif len(journal.entries) > 1:
            raise BadPath(f"there is no ledger at {path}, which paid for {journal.path}; say where it is with --ledger")
        elif not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadPath(f"cannot write the ledger {path}: its folder is missing or read-only; give another --ledger")

    @property
    def entry(self) -> dict[str, Any] | None:
        """Number and hash of the ledger's line: the synopsis carries it, an outside witness of the chain."""
        line = self._reservation and self._reservation.line
        return {"line": line.number, "hash": line.hash} if line else None

    @property
    def charged(self) -> bool:
        """As the ledger says; where it cannot be read, taken to be so."""
        if self._reservation is None:
            return False
        number = self._reservation.number
        try:
            lines = self._reservation.ledger.lines()
        except HushError:
            return True
        return any(line.kind == "charge" and line.reservation == number for line in lines)

    def charge(self, price: Price, *, what: str) -> None:
        """Durable before it returns, once: a charge of the process that was interrupted is only compared."""
        if self._made:
            assert self._reservation is not None
            if not self._reservation.made(self._made.popleft(), price, what=what):
                raise BadState(f"{self._journal.path} does not go on as the ledger was charged: {self._advice}")
            return
        if self._reservation is None:
            self._reservation = self._reserve(self._create())
        self._reservation.charge(price, what=what)

    def check_live(self) -> None:
        """BadState where nothing new may be drawn: at most the last step that was charged can have been lost."""
        if self._settled or len(self._made) > 1:
            raise BadState(f"{self._journal.path} lacks steps that the ledger was charged for: {self._advice}")

    def settle(self, synopsis_digest: str | None) -> None:
        """Closes the reservation; it is returned only if nothing was charged to it."""
        if self._reservation is not None and not self._settled:
            self._reservation.settle(synopsis_digest=synopsis_digest)
            self._settled = True

    _advice = "it is an older copy, or its end was cut off; put the right file back"

    @property
    def _what(self) -> str:
        return f"release {self._plan.workload.recorded}, journal {self._journal.mark}"

    def _found(self, ledger: Ledger) -> Reservation | None:
        """The reservation of this journal, if the interrupted process had come to make it."""
        plan = self._plan
        ledger.require(table=plan.domain.table, domain_digest=plan.domain.digest)
        lines = ledger.lines()
        opened = next((line for line in lines if line.kind == "reserve" and line.what == self._what), None)
        own = [line for line in lines if opened and line.reservation == opened.number]
        if opened is None or (own[-1].kind == "settle" and not own[-1].amount):
            if any(entry["kind"] == "step" for entry in self._journal.entries):
                raise BadLedger(f"{ledger.path} did not pay for {self._journal.path}; say with --ledger which one did")
            return None
        self._made.extend(line for line in own if line.kind == "charge")
        self._settled = own[-1].kind == "settle"
        return Reservation(ledger, opened)

    def _create(self) -> Ledger:
        domain = self._plan.domain
        try:
            return Ledger.create(
                self._path, table=domain.table, domain_digest=domain.digest, unit=domain.unit, total=self._plan.budget
            )
        except BadLedger:
            return Ledger.open(self._path)  # another process was first; its total decides

    def _reserve(self, ledger: Ledger) -> Reservation:
        plan = self._plan
        price = plan.design.price
        ledger.require(table=plan.domain.table, domain_digest=plan.domain.digest)
        try:
            return ledger.reserve(price, what=self._what, mechanism=plan.mechanism, plan_digest=plan.digest)
        except OverBudget as error:
            if price.currency == ledger.currency or price.delta:
                raise
            # The owner typed one currency and the ledger keeps another: say both.
            raise OverBudget(asked=error.asked, left=error.left, unit=error.unit, typed=str(price)) from None
