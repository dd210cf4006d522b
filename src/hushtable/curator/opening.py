"""Opening a curator: plan, state, ledger and rows, in the order in which a failure costs nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ..budget import Budget, Currency, Number, exact
from ..domain import Domain
from ..errors import BadBudget, BadPlan, BadQuestion, BadState, HushError
from ..questions.workloads import Workload, read_workload
from ..vault.door.randomness import Randomness
from ..vault.ledger.account import LedgerAccount, Rehearsal
from ..vault.ledger.ledger import Ledger
from ..vault.ledger.sealed_lines import FORMAT, Chain, StateFile
from .account import StateAccount, purpose_of, resumed, started
from .conditions import ConditionSubject
from .curator import Curator, Held, OnExhausted
from .lists import ListSubject
from .plan import CALIBRATION, FACTOR, QUESTIONS, UPDATES, CuratorPlan, Way, plan_curator
from .subject import Subject

__all__ = ["CuratorRequest", "open_curator"]

# Given what the state calls itself, so that the same rows of each person count whenever it goes on; None: a rehearsal.
Rows = Callable[[CuratorPlan, str | None], Held]


@dataclass(frozen=True, kw_only=True)
class CuratorRequest:
    """What the caller said about the plan; None where nothing was said."""

    budget: Budget | None
    questions: int | None
    updates: int | None
    factor: Number | None
    way: Way | None
    workload: Workload | str | None = None
    currency: Currency | None = None
    calibration: Number | None = None
    points: int | None = None
    smoothness: Number | None = None
    asked: Sequence[str] = ()
    """What will be asked first, so that a new curator is not paid for where none of it can be read."""

    def plan(self, domain: Domain, rows: int | None) -> CuratorPlan:
        """A new plan, with defaults where nothing was said."""
        if self.budget is None:
            raise BadBudget("a new curator needs a budget: epsilon (with or without delta) or rho")
        return plan_curator(
            domain,
            budget=self.budget,
            rows=rows,
            questions=QUESTIONS if self.questions is None else self.questions,
            updates=UPDATES if self.updates is None else self.updates,
            factor=FACTOR if self.factor is None else self.factor,
            way=self.way,
            workload=self.workload,
            currency=self.currency,
            calibration=CALIBRATION if self.calibration is None else self.calibration,
            points=self.points,
            smoothness=self.smoothness,
        )

    def check(self, plan: CuratorPlan, path: Path) -> None:
        """BadState when it differs from the plan of a state that exists."""
        factor: Fraction | None = None if self.factor is None else exact(self.factor, "factor")
        lists = read_workload(self.workload) if isinstance(self.workload, str) else self.workload
        settings: dict[str, Any] = {
            "budget": self.budget,
            "questions": self.questions,
            "updates": self.updates,
            "factor": factor,
            "points": self.points,
            "smoothness": None if self.smoothness is None else exact(self.smoothness, "smoothness"),
        }
        if self.calibration is not None and plan.calibration:
            settings["calibration"] = exact(self.calibration, "calibration")
        for name, given in (settings | {"way": self.way, "workload": lists, "currency": self.currency}).items():
            if given is not None and given != getattr(plan, name):
                raise BadState(
                    f"{path} was begun with {name} {getattr(plan, name)}, not {given}; leave it out to go on, or give "
                    "another state to begin another curator"
                )


def _check_asked(subject: Subject, asked: Sequence[str]) -> None:
    """BadQuestion, the first one's, where no question can be read: then nothing was reserved."""
    errors: list[BadQuestion] = []
    for text in asked:
        try:
            subject.parse(text)
        except BadQuestion as error:
            errors.append(error)
    if errors and len(errors) == len(asked):
        raise errors[0]


def open_curator(
    *,
    domain: Domain,
    wish: CuratorRequest,
    rows: int | None,
    read: Rows,
    ledger: Path,
    state: Path,
    on_exhausted: OnExhausted,
    randomness: Randomness,
) -> Curator:
    """Begins a curator, or goes on with the one in the state file. A rehearsal has neither state nor ledger."""
    if on_exhausted not in get_args(OnExhausted):
        raise BadPlan(f"on_exhausted must be unverified or refuse, not {str(on_exhausted)[:40]!r}")
    made = partial(Curator, randomness=randomness, on_exhausted=on_exhausted)
    if not randomness.private:
        plan, chain = wish.plan(domain, rows), Chain()
        account, held = StateAccount(Rehearsal(plan.price), chain), read(plan, None)
        return made(plan=plan, subject=_subject(plan), state=chain, account=account, rows=held)
    file = StateFile(state)
    try:
        plan = _begun(file, domain, wish, rows)
        account, held = _account(file, plan, ledger, read)
        return made(plan=plan, subject=_subject(plan), state=file, account=account, rows=held)
    except BaseException:
        file.discard()
        raise


def _subject(plan: CuratorPlan) -> Subject:
    return ConditionSubject(plan) if plan.workload is None else ListSubject(plan)


def _begun(file: StateFile, domain: Domain, wish: CuratorRequest, rows: int | None) -> CuratorPlan:
    """The plan in the state, or a new one that is now in it."""
    if not file.entries:
        plan = wish.plan(domain, rows)
        _check_asked(_subject(plan), wish.asked)
        file.append(
            "begin",
            format=FORMAT,
            nonce=uuid.uuid4().hex,
            table=domain.table,
            domain=domain.digest,
            plan=plan.settings(),
        )
        return plan
    begin = file.entries[0]
    if begin["kind"] != "begin" or begin.get("format") != FORMAT:
        raise BadState(f"{file.path} is not a state this version can go on with; use the version that began it")
    try:
        return _continued(file, begin, domain, wish, rows)
    except (HushError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, BadState):
            raise
        raise BadState(f"{file.path} holds something that no curator wrote; put the right file back") from None


def _continued(
    file: StateFile, begin: dict[str, Any], domain: Domain, wish: CuratorRequest, rows: int | None
) -> CuratorPlan:
    """The plan that was begun, if it is this table's and the caller's."""
    if begin["table"] != domain.table or begin["domain"] != domain.digest:
        raise BadState(
            f"{file.path} belongs to table '{begin['table']}' under the domain with digest {begin['domain'][:12]}, "
            f"not to '{domain.table}' with {domain.digest[:12]}; give the state of this table"
        )
    plan = CuratorPlan.from_settings(domain, begin["plan"])
    wish.check(plan, file.path)
    start = file.first("start")
    if start is not None and rows is not None and start["rows"] != rows:
        raise BadState(
            f"{file.path} was begun when the table had {start['rows']:,} rows, and now it has {rows:,}; "
            "a changed table needs another curator"
        )
    return plan


def _account(file: StateFile, plan: CuratorPlan, path: Path, read: Rows) -> tuple[StateAccount, Held]:
    """The reservation in the ledger, and the rows. Where there is no ledger yet the rows are read before it is made.

    A table that does not fit its domain then leaves nothing behind, and its reservation is returned.
    """
    nonce = str(file.entries[0].get("nonce", ""))
    if file.first("reserved"):
        ledger = Ledger.open(path)
        begun = resumed(ledger, plan, file)
        paid_by = (begun.entry or {}).get("line")
        ledger.require(table=plan.domain.table, domain_digest=plan.domain.digest, reserved=paid_by)
        return begun, read(plan, nonce)
    account = LedgerAccount.open(purpose_of(plan, file), path)
    if not account.has_ledger:
        held = read(plan, nonce)
        _reserve(file, account)
    else:
        _reserve(file, account)
        try:
            held = read(plan, nonce)
        except BaseException:
            account.settle(None)
            file.disposable = True
            raise
    # From now on the state says which line of which ledger pays.
    reservation = account.reserve()
    line = reservation.line
    file.append("reserved", ledger=reservation.ledger.identity.nonce, line=line.number, line_hash=line.hash)
    return StateAccount(account, file), held


def _reserve(file: StateFile, account: LedgerAccount) -> None:
    """From here on a reservation may name the state, so the file has to stay."""
    before, file.disposable = file.disposable, False
    try:
        started(account)
    except HushError:
        file.disposable = before
        raise
