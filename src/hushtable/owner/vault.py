"""Vault: a table, its domain and its ledger; the one place where a release happens."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..addresses import SparkPath, TableAt, scheme_of, table_at
from ..budget import Budget, Currency, Number
from ..domain import Domain
from ..errors import BadData, BadPath, BadPlan
from ..mechanisms.planner import Plan
from ..synopsis import Synopsis
from ..vault.bounded_source import bounded
from ..vault.door.randomness import Randomness, SystemRandomness
from ..vault.held_keys import HeldKeys
from ..vault.held_rows import HeldRows
from ..vault.ledger.account import Rehearsal
from ..vault.ledger.ledger import Ledger
from ..vault.sources import Progress, Source, open_source
from ..words import html
from .carry_out import account_of, carry_out
from .journal import ENDING, ReleaseJournal
from .prepare import prepare
from .reading import reading, row_secret

if TYPE_CHECKING:
    from ..curator.curator import Curator, Held, OnExhausted
    from ..curator.plan import CuratorPlan, Way
    from ..questions.workloads import Workload

__all__ = ["Vault"]


class Vault:
    """Holds rows that nobody else sees.

    `data` is a path, a pandas or polars frame, a pyarrow table, anything with an Arrow C stream, a Spark DataFrame
    (its rows are summed where they are), the address of a database (`table` names the table there; by default it is
    called as in the domain), or a Source.
    The ledger is NAME.ledger beside the file, or TABLE.ledger in the working folder for a frame, unless given; a table
    at an address (scheme://...) lies in no folder, so its ledger has to be given.
    """

    def __init__(
        self, data: Any, domain: Domain, *, ledger: str | Path | None = None, table: str | None = None
    ) -> None:
        self.domain = domain
        data = table_at(data, table)
        self.ledger_path = Path(ledger) if ledger is not None else _default_ledger(data, domain)
        self._source = open_source(data, domain)
        # What the journal of a release says. Not an address: it may hold a password.
        self._data = str(Path(data).absolute()) if isinstance(data, (str, Path)) and not scheme_of(data) else None
        self._source.check(domain)

    def __repr__(self) -> str:
        """Nothing of the rows, not even their number."""
        return f"<Vault of {self.domain!r}, ledger {self.ledger_path}>"

    def _repr_html_(self) -> str:
        return f"<p><b>Vault</b>, ledger <code>{html(str(self.ledger_path))}</code></p>{self.domain._repr_html_()}"

    @property
    def rows(self) -> int | None:
        """The number of rows where it is public (replace, and no `person`); None where it is private."""
        if self.domain.unit.private_rows:
            return None
        rows = self._source.count()
        if rows == 0:
            raise BadData("the table has no rows; nothing was spent")
        return rows

    def currency_for(self, budget: Budget) -> Currency | None:
        """The currency that the table's ledger keeps, so that a plan can be made in it; None where any will do."""
        kept = Ledger.open(self.ledger_path).currency if self.ledger_path.exists() else None
        return kept if kept in budget.currencies else None

    def require_fit(self, most: float, *, progress: Progress | None = None) -> None:
        """BadData where more than the share `most` of the rows does not fit the domain in some column.

        Not private: whether this refuses depends on the rows. For owners whose logs nobody else sees.
        """
        from .fit import require_fit

        require_fit(self._source, self.domain, most=most, progress=progress)

    def release(
        self,
        plan: Plan,
        *,
        randomness: Randomness | None = None,
        progress: Progress | None = None,
        journal: str | Path | None = None,
    ) -> Synopsis:
        """Charges the ledger, reads the rows, adds noise, and returns the synopsis.

        Too dear: OverBudget and nothing is read. Rows that do not fit the domain: BadData and nothing is spent.
        What is released is kept in `journal` (by default a .part file beside the ledger) until the synopsis is saved;
        `resume` makes the synopsis of it, if anything goes wrong until then.
        With `Simulated(seed)` the ledger is left alone, no journal is kept, and the synopsis is stamped as not private.
        """
        if plan.domain.digest != self.domain.digest:
            raise BadPlan("the plan was made for another domain than the vault's; plan again with this one")

        chance = randomness or SystemRandomness()
        if not chance.private:
            purse, secret = Rehearsal(plan.price), row_secret(self.domain, chance)
            with reading(self._source, self.domain, secret, progress) as total:
                return carry_out(plan, total=total, account=purse, journal=None, randomness=chance)
        prepare(plan)
        path = _default_journal(self.ledger_path) if journal is None else Path(journal)
        kept = ReleaseJournal.begin(path, plan, ledger=self.ledger_path, data=self._data)
        try:
            account = account_of(plan, kept, self.ledger_path)
        except BaseException:
            kept.remove()
            raise
        with reading(self._source, self.domain, kept.facts["nonce"], progress) as total:
            return carry_out(plan, total=total, account=account, journal=kept, randomness=chance)

    @staticmethod
    def resume(
        journal: str | Path,
        *,
        data: Any = None,
        plan: Plan | None = None,
        ledger: str | Path | None = None,
        randomness: Randomness | None = None,
        progress: Progress | None = None,
    ) -> Synopsis:
        """The synopsis of a release that was interrupted: what was released is taken from its journal.

        Nothing is charged or drawn twice. Rows are read only for steps that were not yet taken, from the file the
        journal names unless `data` is given. A plan with a workload or a mechanism of one's own is given again.
        """
        kept = ReleaseJournal.open(journal)
        try:
            made = kept.plan(plan)
            account = account_of(made, kept, Path(ledger or kept.facts["ledger"]))
        except BaseException:
            kept.close()
            raise

        def opened() -> Source:
            account.check_live()
            given = kept.facts["data"] if data is None else data
            if given is None:
                raise BadData(f"{kept.path} lacks steps that were not yet taken: give the table too (data=...)")
            source = open_source(given, made.domain)
            source.check(made.domain)
            return source

        chance = randomness or SystemRandomness()
        with reading(opened, made.domain, kept.facts["nonce"], progress) as total:
            return carry_out(made, total=total, account=account, journal=kept, randomness=chance)

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
        currency: Currency | None = None,
        calibration: Number | None = None,
        points: int | None = None,
        smoothness: Number | None = None,
        on_exhausted: OnExhausted = "unverified",
        asked: Sequence[str] = (),
        randomness: Randomness | None = None,
        progress: Progress | None = None,
    ) -> Curator:
        """Answers questions one at a time, for a budget that is reserved now; or goes on with those in `state`.

        With the workload sparse(size=...) questions are lists of values, with conjunctions(free=...) conditions on all
        but a few columns, else conditions. The state is NAME.curator
        beside the ledger unless given; where it exists, what is left out is as it was begun. The currency is that of
        the ledger where there is one. See `plan_curator` for the rest, points for domains too large to list among it.
        `asked` is what will be asked first: where none of it can be read, no curator is begun and nothing is
        reserved. With `Simulated(seed)` ledger and state are left alone.
        """
        from ..curator.opening import CuratorRequest, open_curator

        source = randomness or SystemRandomness()
        chosen = Path(state) if state is not None else self.ledger_path.with_suffix(".curator")
        if currency is None and budget is not None and not chosen.exists():
            currency = self.currency_for(budget)

        def read(plan: CuratorPlan, nonce: str | None) -> Held:
            secret = row_secret(self.domain, source) if nonce is None else nonce
            with self._source.snapshot():
                rows = bounded(self._source, self.domain, secret)
                if plan.workload is None:
                    return HeldRows.read(rows, self.domain, progress)
                columns = plan.workload.attributes(self.domain)
                return HeldKeys.read(rows, self.domain, columns, randomness=source, progress=progress)

        return open_curator(
            domain=self.domain,
            wish=CuratorRequest(
                budget=budget,
                questions=questions,
                updates=updates,
                factor=factor,
                way=way,
                workload=workload,
                currency=currency,
                calibration=calibration,
                points=points,
                smoothness=smoothness,
                asked=asked,
            ),
            rows=self.rows,
            read=read,
            ledger=self.ledger_path,
            state=chosen,
            on_exhausted=on_exhausted,
            randomness=source,
        )


def _default_ledger(data: Any, domain: Domain) -> Path:
    """NAME.ledger beside NAME.csv, NAME.csv.gz, NAME.parquet, ...; BadPath for an address, which has no folder."""
    data = data.path if isinstance(data, SparkPath) else data.address if isinstance(data, TableAt) else data
    if scheme := scheme_of(data):
        raise BadPath(f"a table at {scheme}://... lies in no folder: say with --ledger where its ledger is")
    if isinstance(data, (str, Path)):
        path = Path(data)
        return path.with_name(path.name.split(".")[0] + ".ledger")
    return Path(f"{domain.table}.ledger")


def _default_journal(ledger: Path) -> Path:
    """A name of its own beside the ledger: many releases of one table may be under way."""
    return ledger.with_name(f"{ledger.stem}-{uuid.uuid4().hex[:8]}.hush{ENDING}")
