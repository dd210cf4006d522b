"""Vault: a table, its domain and its ledger; the one place where a release happens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..budget import Budget, Number, Price
from ..domain import Domain
from ..errors import BadData, BadLedger, BadPath, BadPlan, OverBudget
from ..mechanisms import mechanisms
from ..planner import Plan
from ..synopsis import Synopsis
from .door import Door
from .held_keys import HeldKeys
from .held_rows import HeldRows
from .ledger import Ledger, Reservation
from .randomness import Randomness, SystemRandomness
from .sources import Progress, open_source

if TYPE_CHECKING:
    from ..curator_plan import CuratorPlan, Way
    from ..workloads import Workload
    from .curator import Curator, Held, OnExhausted
    from .statistics.base import Statistic

__all__ = ["Vault"]


class Vault:
    """Holds rows that nobody else sees.

    `data` is a path, a pandas or polars frame, a pyarrow table, anything with an Arrow C stream, or a Source.
    The ledger is NAME.ledger beside the file, or TABLE.ledger in the working folder for a frame, unless given.
    """

    def __init__(self, data: Any, domain: Domain, *, ledger: str | Path | None = None) -> None:
        self.domain = domain
        self._source = open_source(data)
        self._source.check(domain)
        self.ledger_path = Path(ledger) if ledger is not None else _default_ledger(data, domain)

    def __repr__(self) -> str:
        """Nothing of the rows, not even their number."""
        return f"<Vault of {self.domain!r}, ledger {self.ledger_path}>"

    @property
    def rows(self) -> int | None:
        """The number of rows where it is public (neighbours: replace); None where it is private."""
        if self.domain.unit.neighbours != "replace":
            return None
        rows = self._source.count()
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        return rows

    def release(
        self, plan: Plan, *, randomness: Randomness | None = None, progress: Progress | None = None
    ) -> Synopsis:
        """Charges the ledger, reads the rows once, adds noise, and returns the synopsis.

        Too dear: OverBudget and nothing is read. Rows that do not fit the domain: BadData and nothing is spent.
        With `Simulated(seed)` the ledger is left alone and the synopsis is stamped as not private.
        """
        if plan.domain.digest != self.domain.digest:
            raise BadPlan("the plan was made for another domain than the vault's; plan again with this one")
        source = randomness or SystemRandomness()
        account = _LedgerAccount(self.ledger_path, plan) if source.private else _Rehearsal()

        def total(statistic: Statistic) -> NDArray[np.int64]:
            return self._source.total(statistic, self.domain, progress)

        try:
            door = Door(total=total, unit=self.domain.unit, price=plan.design.price, account=account, randomness=source)
            model = mechanisms()[plan.design.mechanism].release(door, self.domain, plan.design)
            synopsis = Synopsis.from_release(plan, model, ledger=account.entry, not_private=not source.private)
        except BaseException:
            account.settle(None)
            raise
        account.settle(synopsis.digest)
        return synopsis

    def curate(
        self,
        *,
        budget: Budget | None = None,
        questions: int | None = None,
        state: str | Path | None = None,
        updates: int | None = None,
        factor: Number | None = None,
        way: Way | None = None,
        workload: Workload | str | None = None,
        on_exhausted: OnExhausted = "unverified",
        randomness: Randomness | None = None,
        progress: Progress | None = None,
    ) -> Curator:
        """Answers questions one at a time, for a budget that is reserved now; or goes on with those in `state`.

        With the workload sparse(size=...) questions are lists of values, else conditions. The state is NAME.curator
        beside the ledger unless given; where it exists, what is left out is as it was begun. See `plan_curator` for
        the rest. With `Simulated(seed)` ledger and state are left alone.
        """
        from .curator_open import Wish, open_curator

        source = randomness or SystemRandomness()

        def read(plan: CuratorPlan) -> Held:
            if plan.workload is None:
                return HeldRows.read(self._source, self.domain, progress)
            columns = plan.workload.attributes(self.domain)
            return HeldKeys.read(self._source, self.domain, columns, randomness=source, progress=progress)

        return open_curator(
            domain=self.domain,
            wish=Wish(budget=budget, questions=questions, updates=updates, factor=factor, way=way, workload=workload),
            rows=self.rows,
            read=read,
            ledger=self.ledger_path,
            state=Path(state) if state is not None else self.ledger_path.with_suffix(".curator"),
            on_exhausted=on_exhausted,
            randomness=source,
        )


class _Rehearsal:
    """The account of a simulated release: it protects nobody, so it spends nothing."""

    entry: dict[str, Any] | None = None

    def charge(self, price: Price, *, what: str) -> None:
        """Free."""

    def settle(self, synopsis_digest: str | None) -> None:
        """Nothing to settle."""


class _LedgerAccount:
    """The account of a private release: the whole price is reserved before any row is read.

    A ledger that does not exist yet is created, with this release's budget as its total, just before the first
    charge: its total covers the price by construction, and a table that turns out not to fit its domain then
    leaves no ledger behind that would bind the owner to a domain about to be corrected.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self._path, self._plan = path, plan
        self._reservation: Reservation | None = None
        if path.exists():
            self._reservation = self._reserve(Ledger.open(path))
        elif not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadPath(f"cannot write the ledger {path}: its folder is missing or read-only; give another --ledger")

    @property
    def entry(self) -> dict[str, Any] | None:
        """Number and hash of the ledger's line: the synopsis carries it, an outside witness of the chain."""
        line = self._reservation and self._reservation.line
        return {"line": line.number, "hash": line.hash} if line else None

    def charge(self, price: Price, *, what: str) -> None:
        """Durable before it returns."""
        if self._reservation is None:
            self._reservation = self._reserve(self._create())
        self._reservation.charge(price, what=what)

    def settle(self, synopsis_digest: str | None) -> None:
        """Closes the reservation; it is returned only if nothing was charged to it."""
        if self._reservation is not None:
            self._reservation.settle(synopsis_digest=synopsis_digest)

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
            return ledger.reserve(
                price, what=f"release {plan.workload}", mechanism=plan.mechanism, plan_digest=plan.digest
            )
        except OverBudget as error:
            if price.currency == ledger.currency or price.delta:
                raise
            # The owner typed one currency and the ledger keeps another: say both.
            raise OverBudget(asked=error.asked, left=error.left, unit=error.unit, typed=str(price)) from None


def _default_ledger(data: Any, domain: Domain) -> Path:
    """NAME.ledger beside NAME.csv, NAME.csv.gz, NAME.parquet, ..."""
    if isinstance(data, (str, Path)):
        path = Path(data)
        return path.with_name(path.name.split(".")[0] + ".ledger")
    return Path(f"{domain.table}.ledger")
