"""Account of a curator: one reservation, charged over many processes, whose lines name the state they rest on."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..budget import Price
from ..errors import BadState
from ..vault.ledger.account import OLDER, LedgerAccount, Purpose, Purse
from ..vault.ledger.ledger import Ledger, Line, Reservation
from ..vault.ledger.sealed_lines import Chain, StateFile
from .plan import CuratorPlan

__all__ = ["StateAccount", "purpose_of", "resumed", "started"]

# What a charge line ends with: the cost in the curator's own currency (a ledger may keep another), and the state.
COST = re.compile(r"; costs (\d+(?:/\d+)?); state ([0-9a-f]{64})$")


class StateAccount:
    """An account that is charged again and again, also after a restart.

    Every charge names the hash of the state it rests on. An older or shortened state does not have that hash.
    """

    def __init__(self, account: Purse, state: Chain, *, named: str = "") -> None:
        self._account, self._state = account, state
        # The state that the newest charge names.
        self._named = named

    @property
    def left(self) -> Fraction:
        """What may still be charged, in the curator's currency."""
        return self._account.left

    @property
    def entry(self) -> dict[str, Any] | None:
        """The line of the ledger that pays, for the synopsis; None for a rehearsal."""
        return self._account.entry

    def charge(self, price: Price, *, what: str) -> None:
        """On the disk when this returns."""
        self._account.charge(price, what=f"curator {what}; costs {price.amount}; state {self._state.hash}")
        self._named = self._state.hash

    def pin(self, what: str) -> None:
        """Makes the newest state known to the ledger: a line without cost, unless the last one named it already."""
        if self._named != self._state.hash:
            self.charge(Price(currency="pure", amount=Fraction(0)), what=what)


def purpose_of(plan: CuratorPlan, state: StateFile) -> Purpose:
    """What the whole budget is reserved for."""
    return Purpose(
        domain=plan.domain,
        total=plan.budget,
        price=plan.price,
        what=f"curate {plan.questions:,} questions, state {state.hashes[0]}",
        record=state.path,
        mechanism=f"curator ({plan.way})",
        plan_digest=plan.digest,
    )


def started(account: LedgerAccount) -> Reservation:
    """Reserves the whole budget, unless a process did for this very state before it was killed."""
    if account.charged:
        raise _shortened(account.purpose.record)
    return account.reserve()


def resumed(ledger: Ledger, plan: CuratorPlan, state: StateFile) -> StateAccount:
    """The account where the last process left it; BadState when ledger and state do not belong together."""
    path, bound = state.path, state.first("reserved") or {}
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
    reservation = Reservation(ledger, lines[0])
    account = LedgerAccount(purpose_of(plan, state), ledger.path, reservation=reservation, left=left)
    return StateAccount(account, state, named=charges[-1][1] if charges else "")


def _read(line: Line) -> tuple[Fraction, str]:
    """What a charge cost, and the hash of the state it names."""
    ending = COST.search(line.what)
    if not ending:
        raise BadState(f"line {line.number} of the ledger was not written by a curator; the state cannot go on from it")
    return Fraction(ending[1]), ending[2]


def _check(charges: list[tuple[Fraction, str]], state: Chain, path: Path) -> None:
    """Every charge rests on a state that this file has, and everything in the file was charged for."""
    place = {seal: number for number, seal in enumerate(state.hashes)}
    places = [place.get(seal, -1) for _, seal in charges]
    if -1 in places or places != sorted(places):
        raise _shortened(path)
    paid = set(places)
    for number, entry in enumerate(state.entries):
        if entry["kind"] in ("start", "answer", "calibration") and number - 1 not in paid:
            raise BadState(f"{path} has answers that the ledger knows nothing of: the ledger is an older copy")


def _shortened(path: Path) -> BadState:
    return BadState(
        f"{path} lacks what the ledger has charged for: {OLDER}, or begin another curator with another state"
    )
