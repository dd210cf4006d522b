"""Account of a curator: one reservation, charged over many processes, whose lines name the state they rest on."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from ..budget import Price
from ..errors import BadState, OverBudget
from ..vault.ledger.ledger import Ledger, Line, Reservation
from ..vault.ledger.sealed_lines import Chain
from .plan import CuratorPlan

__all__ = ["CuratorAccount", "LedgerAccount", "Rehearsal", "resumed", "started"]

# What a charge line ends with: the cost in the curator's own currency (a ledger may keep another), and the state.
COST = re.compile(r"; costs (\d+(?:/\d+)?); state ([0-9a-f]{64})$")


class CuratorAccount(Protocol):
    """What a curator needs of its account."""

    left: Fraction

    @property
    def entry(self) -> dict[str, Any] | None:
        """The line of the ledger that pays, for the synopsis."""

    def charge(self, price: Price, *, what: str) -> None:
        """Records a charge durably."""

    def pin(self, what: str) -> None:
        """Makes the newest state known to the ledger."""

    def give_back(self) -> None:
        """Returns the reservation, if nothing was charged."""


class Rehearsal:
    """The account of simulated answers: they protect nobody, so they spend nothing."""

    entry: dict[str, Any] | None = None

    def __init__(self, plan: CuratorPlan) -> None:
        self.left = plan.price.amount

    def charge(self, price: Price, *, what: str) -> None:
        """Counted, so that a rehearsal ends where the real thing would."""
        self.left -= price.amount

    def pin(self, what: str) -> None:
        """Nobody to tell."""

    def give_back(self) -> None:
        """Nothing was taken."""


class LedgerAccount:
    """A reservation that is charged again and again, also after a restart.

    Every charge names the hash of the state it rests on. An older or shortened state does not have that hash.
    """

    def __init__(self, reservation: Reservation, state: Chain, left: Fraction, known: str = "") -> None:
        self.reservation, self.left = reservation, left
        self._state, self._known = state, known

    @property
    def entry(self) -> dict[str, Any] | None:
        """Number and hash of the line that reserved the price."""
        line = self.reservation.line
        return {"line": line.number, "hash": line.hash}

    def charge(self, price: Price, *, what: str) -> None:
        """On the disk when this returns."""
        text = f"curator {what}; costs {price.amount}; state {self._state.hash}"
        self.reservation.charge(price, what=text)
        self.left -= price.amount
        self._known = self._state.hash

    def pin(self, what: str) -> None:
        """A line without cost, unless the last one named this state already."""
        if self._known != self._state.hash:
            price = self.reservation.ledger.currency
            self.charge(Price(currency=price, amount=Fraction(0)), what=what)

    def give_back(self) -> None:
        """Settles; the ledger returns a reservation to which nothing was charged."""
        self.reservation.settle(synopsis_digest=None)


def started(ledger: Ledger, plan: CuratorPlan, state: Chain, *, path: Path) -> LedgerAccount:
    """Reserves the whole budget, or finds what a process reserved for this very state before it was killed."""
    mark = f"state {state.hashes[0]}"
    lines = ledger.lines()
    latest = {line.reservation: line.kind for line in lines}
    for line in lines:
        if line.kind == "reserve" and line.what.endswith(mark):
            if latest[line.number] == "charge":
                raise _shortened(path)
            if latest[line.number] == "reserve":
                return LedgerAccount(Reservation(ledger, line), state, plan.price.amount)
    try:
        reservation = ledger.reserve(
            plan.price,
            what=f"curate {plan.questions:,} questions, {mark}",
            mechanism=f"curator ({plan.way})",
            plan_digest=plan.digest,
        )
    except OverBudget as error:
        if plan.price.currency == ledger.currency:
            raise
        raise OverBudget(asked=error.asked, left=error.left, unit=error.unit, typed=str(plan.price)) from None
    return LedgerAccount(reservation, state, plan.price.amount)


def resumed(ledger: Ledger, plan: CuratorPlan, state: Chain, *, path: Path) -> LedgerAccount:
    """The account where the last process left it; BadState when ledger and state do not belong together."""
    bound = state.first("reserved") or {}
    if bound.get("ledger") != ledger.identity.nonce:
        raise BadState(f"{path} belongs to another ledger than {ledger.path}; give the one it was begun with")
    ledger.verify()
    lines = [line for line in ledger.lines() if line.reservation == bound.get("line")]
    if not lines or lines[0].hash != bound.get("line_hash"):
        raise BadState(f"{path} was paid from a line that {ledger.path} does not have: the ledger is an older copy")
    if lines[-1].kind == "settle":
        raise BadState(f"the reservation of {path} was settled, so it can answer no more; begin another curator")
    charges = [_read(line) for line in lines[1:]]
    _check(charges, state, path)
    left = plan.price.amount - sum(cost for cost, _ in charges)
    return LedgerAccount(Reservation(ledger, lines[0]), state, left, charges[-1][1] if charges else "")


def _read(line: Line) -> tuple[Fraction, str]:
    found = COST.search(line.what)
    if not found:
        raise BadState(f"line {line.number} of the ledger was not written by a curator; the state cannot go on from it")
    return Fraction(found[1]), found[2]


def _check(charges: list[tuple[Fraction, str]], state: Chain, path: Path) -> None:
    """Every charge rests on a state that this file has, and everything in the file was charged for."""
    place = {seal: number for number, seal in enumerate(state.hashes)}
    places = [place.get(seal, -1) for _, seal in charges]
    if -1 in places or places != sorted(places):
        raise _shortened(path)
    paid = set(places)
    for number, entry in enumerate(state.entries):
        if entry["kind"] in ("start", "answer") and number - 1 not in paid:
            raise BadState(f"{path} has answers that the ledger knows nothing of: the ledger is an older copy")


def _shortened(path: Path) -> BadState:
    return BadState(
        f"{path} lacks what the ledger has charged for: it is an older copy, or its end was cut off; "
        "put the right file back, or begin another curator with another state"
    )
