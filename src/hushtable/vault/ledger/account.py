"""Account: what one release or one curator pays from, from the reservation to the settlement."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...budget import Budget, Currency, Price
from ...domain import Domain
from ...errors import BadLedger, BadPath, BadState, HushError, OverBudget
from .chain import plain
from .ledger import Ledger, Line, Reservation

__all__ = ["LedgerAccount", "Purpose", "Purse", "Rehearsal"]

OLDER = "it is an older copy, or its end was cut off; put the right file back"


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """What a ledger is asked to pay for."""

    domain: Domain
    total: Budget
    """The total of a ledger that is made for it."""
    price: Price
    what: str
    """Names the record, so that a process that was interrupted finds its reservation again."""
    record: Path
    """The journal or the state that says how far it came."""
    mechanism: str
    plan_digest: str

    @property
    def currency(self) -> Currency:
        """Of a ledger that is made for it: `gdp` for Gaussian noise alone, else what other steps are cheapest in."""
        kept, own = self.total.account, self.price.currency
        return "zcdp" if kept == "gdp" and own != "gdp" else kept


class Rehearsal:
    """The account of what is simulated: it protects nobody, so it spends nothing."""

    entry: dict[str, Any] | None = None
    charged = False

    def __init__(self, price: Price) -> None:
        self.left = price.amount

    def charge(self, price: Price, *, what: str) -> None:
        """Counted, so that a rehearsal ends where the real thing would."""
        self.left -= price.amount

    def settle(self, synopsis_digest: str | None) -> None:
        """Nothing was taken."""


class LedgerAccount:
    """One reservation of the whole price, made before anything is charged, and the charges to it.

    A ledger that does not exist yet is made by `reserve`, with the purpose's total: that covers the price by
    construction, and a table that turns out not to fit its domain then leaves no ledger behind that would bind the
    owner to a domain about to be corrected.
    """

    def __init__(
        self, purpose: Purpose, path: Path, *, reservation: Reservation | None = None, left: Fraction | None = None
    ) -> None:
        self.purpose, self.path, self.reservation = purpose, path, reservation
        self.left = purpose.price.amount if left is None else left
        """What may still be charged, in the currency of the price."""
        self._ledger: Ledger | None = None if reservation is None else reservation.ledger
        # Charges of the process that was interrupted, which are not made a second time.
        self._made: deque[Line] = deque()
        self._settled = False

    @classmethod
    def open(cls, purpose: Purpose, path: Path) -> LedgerAccount:
        """With the reservation that an earlier process made for the same purpose, if it had come to that."""
        account = cls(purpose, path)
        if path.exists():
            account._find(Ledger.open(path))
        elif not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadPath(f"cannot write the ledger {path}: its folder is missing or read-only; give another --ledger")
        return account

    @property
    def has_ledger(self) -> bool:
        """Whether the ledger is there already."""
        return self._ledger is not None

    @property
    def entry(self) -> dict[str, Any] | None:
        """Number, day and hash of the line that reserved the price: the synopsis carries it, a witness of the chain."""
        line = self.reservation and self.reservation.line
        return {"line": line.number, "date": line.when[:10], "hash": line.hash} if line else None

    @property
    def charged(self) -> bool:
        """Whether anything was charged, so that noise may have been drawn; taken to be so where nobody can tell."""
        if self.reservation is None:
            return False
        number = self.reservation.number
        try:
            lines = self.reservation.ledger.lines()
        except HushError:
            return True
        return any(line.kind == "charge" and line.reservation == number for line in lines)

    def reserve(self) -> Reservation:
        """Sets the price aside, unless that was done before. Too dear: OverBudget, and nothing is written."""
        if self.reservation is None:
            self._ledger = self._ledger or self._create()
            self.reservation = self._reserved(self._ledger)
        return self.reservation

    def charge(self, price: Price, *, what: str) -> None:
        """Durable before it returns, once: a charge of the process that was interrupted is only compared."""
        reservation = self.reserve()
        if not self._made:
            reservation.charge(price, what=what)
        elif not reservation.made(self._made.popleft(), price, what=what):
            raise BadState(f"{self.purpose.record} does not go on as the ledger was charged: {OLDER}")
        self.left -= price.amount

    def check_live(self) -> None:
        """BadState where nothing new may be drawn: at most the last step that was charged can have been lost."""
        if self._settled or len(self._made) > 1:
            raise BadState(f"{self.purpose.record} lacks steps that the ledger was charged for: {OLDER}")

    def settle(self, synopsis_digest: str | None) -> None:
        """Closes the reservation; it is returned only if nothing was charged to it."""
        if self.reservation is not None and not self._settled:
            self.reservation.settle(synopsis_digest=synopsis_digest)
            self._settled = True

    def _find(self, ledger: Ledger) -> None:
        domain, what = self.purpose.domain, plain(self.purpose.what)
        self._ledger, lines = ledger, ledger.lines()
        for opened in lines:
            if opened.kind == "reserve" and opened.what == what:
                own = [line for line in lines if line.reservation == opened.number]
                settled = own[-1].kind == "settle"
                if not settled or own[-1].amount:  # else it was returned
                    self.reservation, self._settled = Reservation(ledger, opened), settled
                    self._made = deque(line for line in own if line.kind == "charge")
        begun = None if self.reservation is None else self.reservation.number
        ledger.require(table=domain.table, domain_digest=domain.digest, reserved=begun)

    def _create(self) -> Ledger:
        domain = self.purpose.domain
        try:
            return Ledger.create(
                self.path,
                table=domain.table,
                domain_digest=domain.digest,
                unit=domain.unit,
                total=self.purpose.total,
                currency=self.purpose.currency,
            )
        except BadLedger:
            return Ledger.open(self.path)  # another process was first; its total decides

    def _reserved(self, ledger: Ledger) -> Reservation:
        purpose = self.purpose
        price = purpose.price
        ledger.require(table=purpose.domain.table, domain_digest=purpose.domain.digest)
        try:
            return ledger.reserve(
                price, what=purpose.what, mechanism=purpose.mechanism, plan_digest=purpose.plan_digest
            )
        except OverBudget as error:
            if price.currency == ledger.currency or price.delta:
                raise
            # The owner typed one currency and the ledger keeps another: say both.
            raise OverBudget(asked=error.asked, left=error.left, unit=error.unit, typed=str(price)) from None


Purse = LedgerAccount | Rehearsal
