"""The ledger: the durable account of one protected table, in one SQLite file."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from os import PathLike
from pathlib import Path
from types import TracebackType

from ...budget import UNIT_NAME, Budget, Currency, Price, Unit, exact, largest_budget
from ...errors import BadBudget, BadLedger, HushError, OverBudget
from ...words import counted, html_lines, readable, shortened
from .chain import Identity, Kind, Line, balances, bound_digest, plain, stays, terms_left
from .file import Book, create_file, reading, writing
from .mixed import Mixed
from .rebinding import Rebinding
from .terms import of_price

__all__ = ["Ledger", "Line", "Reservation"]


@dataclass(frozen=True)
class Ledger:
    """What one table may spend and has spent, exactly, whatever crashes and however many processes ask.

    Never more than `total` is reserved, and noise is drawn only for what was reserved and charged on the disk
    before; prices add up as fractions (sequential composition: epsilons; rhos [BunS16, Lemma 1.7]; mu^2 / 2 of Gaussian
    noise, also where a step and its price depend on those before it [SmiT22]; two under one total as in `Mixed`).

    Lines are only ever appended, each sealed with the hash of the one before. `verify` thus shows a line that
    was edited, removed, moved or cut off the end. What no chain can show by itself: a file that was rewritten
    from some line on with all its hashes, or replaced by an older copy of itself. To see these, keep the
    number and hash of a line elsewhere; never restore an old copy without counting what was released since.
    """

    path: Path
    identity: Identity

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        *,
        table: str,
        domain_digest: str,
        unit: Unit,
        total: Budget,
        currency: Currency | None = None,
    ) -> Ledger:
        """A new ledger with this total; BadLedger when the file exists, BadPath when it cannot be written.

        Epsilon with delta is counted in `gdp`, where all noise is Gaussian the most one can have, unless it is said
        that it be `zcdp`, where other steps cost less.

        The file appears whole or not at all; of two processes that create it at once exactly one succeeds.
        """
        identity = Identity(
            nonce=uuid.uuid4().hex,
            table=plain(table),
            domain_digest=domain_digest,
            unit=_nameless(unit),
            currency=(price := total.price_in(currency or total.account)).currency,
        )
        amount = price.amount
        first = Line(
            number=1,
            when=_now(),
            kind="create",
            what=f"total {total}",
            amount=amount,
            total=amount,
            spent=Fraction(0),
            budget=json.dumps(total.to_dict()),
            previous=identity.digest,
        )
        create_file(Path(path), identity, first)
        return cls(Path(path), identity)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Ledger:
        """The ledger in this file; BadPath when there is none, BadLedger when it is damaged at its head."""
        with reading(Path(path)) as book:
            book.last()
            first = book.line(1)
            if first is None or first.previous != book.identity.digest:
                raise BadLedger("line 1 does not follow what the ledger is bound to: one of the two was edited")
            return cls(Path(path), book.identity)

    def __repr__(self) -> str:
        """What is left, and nothing that is not in the file."""
        spent, total = readable(self.spent), readable(self.total)
        return f"<Ledger of {shortened(self.table, 80)}: {spent} of {total} {self.currency} spent>"

    def _repr_html_(self) -> str:
        newest = self.lines()[-20:]
        lines = [(f"{line.number}, {line.when[:10]}", f"{line.kind}: {line.what}") for line in newest]
        return html_lines(lines, repr(self)[1:-1])

    @property
    def table(self) -> str:
        """The name of the protected table."""
        return self.identity.table

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.identity.unit

    @property
    def currency(self) -> Currency:
        """`pure` (epsilons add), `zcdp` (rhos add) or `gdp` (mu^2 / 2 of Gaussian noise adds), fixed for ever."""
        return self.identity.currency

    @property
    def total(self) -> Fraction:
        """All that may be spent, in the ledger's currency."""
        return self._last().total

    @property
    def spent(self) -> Fraction:
        """All that counts as spent: every reservation in full, but for those settled before any charge."""
        return self._last().spent

    @property
    def left(self) -> Fraction:
        """What may still be reserved, in the ledger's currency."""
        with self._reading() as book:
            last, mixed = book.last(), self._mixed(book)
        left = last.total - last.spent
        return left if mixed is None else max(Fraction(0), min(left, mixed.room))

    @property
    def room(self) -> Budget | None:
        """What is left as epsilon with the delta of the total, rounded down: a release of so much fits.

        None where the total has no delta, so that what is left says it by itself, and where nothing is left.
        """
        left, total = self.left, self.budget
        if total.epsilon is None or total.delta == 0:
            return None
        return largest_budget(left, total, self.currency)

    @property
    def budget(self) -> Budget:
        """The total as the owner declared it, for display: `total` is what counts."""
        with self._reading() as book:
            return _declared(book.lines())

    @property
    def domain_digest(self) -> str:
        """Of the domain that the table now has: that of its creation, or of the last `rebind`."""
        return bound_digest(self.lines(), self.identity)

    def require(self, *, table: str, domain_digest: str, reserved: int | None = None) -> None:
        """BadLedger unless the ledger is of this table under this domain.

        What was reserved before a `rebind` goes on under the domain of line `reserved`.
        """
        self._require_table(table)
        bound = bound_digest(self.lines(), self.identity, reserved)
        if bound != domain_digest:
            raise BadLedger(
                f"this ledger belongs to table '{self.table}' under the domain with digest {bound[:12]}, not "
                f"{domain_digest[:12]}; use that domain, or hush ledger rebind if the same table has a new one"
            )

    def _require_table(self, table: str) -> None:
        if self.table != plain(table):
            raise BadLedger(f"this ledger belongs to table '{self.table}', not '{table}'; every table needs its own")

    def rebind(self, *, table: str, domain_digest: str, unit: Unit, why: str) -> None:
        """The same table under another domain from now on, on the record with the reason.

        Nothing spent is forgotten: prices hold for the rows whatever their columns are called. Who is protected
        stays as it was, since all prices were made for that.
        """
        self._require_table(table)
        if _nameless(unit) != self.unit:
            raise BadLedger(
                f"this ledger protects {_who(self.unit)}, and the new domain {_who(unit)}; what was spent was spent "
                "on the first, so leave unit and neighbours as they were"
            )
        with self._writing() as book:
            old = bound_digest(book.lines(), self.identity)
            if old == domain_digest:
                raise BadLedger(f"this ledger is bound to the domain with digest {old[:12]} already")
            text = Rebinding(old=old, new=domain_digest).text()
            book.append(replace(self._next(book, "rebind", Fraction(0)), what=plain(why), budget=text))

    def lines(self) -> list[Line]:
        """Every line, oldest first, all of them sound. The order is that of the numbers: clocks may go backwards."""
        with self._reading() as book:
            return book.lines()

    def verify(self) -> int:
        """The number of lines, all of them sound; BadLedger names the first that is not."""
        with self._reading() as book:
            book.check_pages()
            return len(book.lines())

    def reserve(self, price: Price, *, what: str, mechanism: str, plan_digest: str) -> Reservation:
        """Sets `price` aside before any row is read. Too dear: OverBudget, and nothing is written."""
        with self._writing() as book:
            amount, terms = self._reserved(book, price)
            line = replace(
                self._next(book, "reserve", amount),
                what=plain(what),
                mechanism=plain(mechanism),
                plan_digest=plan_digest,
                budget=terms,
            )
            book.append(line)
        return Reservation(self, line)

    def _reserved(self, book: Book, price: Price) -> tuple[Fraction, str]:
        """What a reservation takes; and its epsilon and delta as text, where it is made in these."""
        if not price.delta:
            amount = self._amount(price)
            if (mixed := self._mixed(book)) is not None:
                mixed.check(amount)
            return amount, ""
        last = book.last()
        lines = book.lines()
        taken = Mixed.of(_declared(lines), lines, self.currency).amount(price, last.total - last.spent)
        return taken, of_price(price).text()

    def _mixed(self, book: Book) -> Mixed | None:
        """The account in two currencies; None where all that was ever reserved is in one currency."""
        if self.currency == "pure":
            return None
        lines = book.lines()
        mixed = any(line.kind == "reserve" and line.terms for line in lines)
        return Mixed.of(_declared(lines), lines, self.currency) if mixed else None

    def raise_total(self, budget: Budget, why: str) -> None:
        """Sets a larger total in the same currency, on the record with the reason."""
        if self.currency not in budget.currencies:
            raise BadBudget(
                f"this ledger counts {UNIT_NAME[self.currency]} and {budget} would count "
                f"{UNIT_NAME[budget.currency]}; give the new total as the old one was given ({self.budget})"
            )
        with self._writing() as book:
            if (mixed := self._mixed(book)) is not None:
                mixed.check_total(budget)
            line = self._next(book, "raise", budget.price_in(self.currency).amount)
            book.append(replace(line, what=plain(why), budget=json.dumps(budget.to_dict())))

    def _charge(self, opened: Line, price: Price, what: str) -> None:
        with self._writing() as book:
            line = self._next(book, "charge", self._share(opened, price), opened)
            left = terms_left(opened, book.latest(opened.number) or opened)
            terms = "" if left is None else left.after(of_price(price)).text()
            book.append(replace(line, what=plain(what), budget=terms))

    def _share(self, opened: Line, price: Price) -> Fraction:
        """What a charge takes of its reservation; OverBudget for a delta where none was reserved."""
        if (reserved := opened.terms) is not None:
            return opened.amount * of_price(price).epsilon / reserved.epsilon
        if price.delta:
            raise OverBudget(asked=exact(price.delta, "delta"), left=Fraction(0), unit="delta")
        return self._amount(price)

    def _settle(self, opened: Line, synopsis_digest: str) -> None:
        with self._writing() as book:
            latest = book.latest(opened.number) or opened
            what = "returned: nothing was charged" if latest.kind == "reserve" else "kept"
            line = self._next(book, "settle", stays(opened, latest), opened)
            book.append(replace(line, what=what, synopsis_digest=synopsis_digest))

    def _next(self, book: Book, kind: Kind, amount: Fraction, opened: Line | None = None) -> Line:
        """The line that may follow, with its balances; it still has to say what it is for."""
        last = book.last()
        # An older copy of the file may have taken its place since the reservation was made.
        if opened and book.line(opened.number) != opened:
            raise BadLedger(f"reservation {opened.number} is gone: the file was replaced while it was in use")
        latest = book.latest(opened.number) if opened else None
        after = balances(kind, amount, last=last, opened=opened, latest=latest, currency=self.currency)
        number = last.number + 1
        return Line(
            number=number,
            when=_now(),
            kind=kind,
            what="",
            mechanism=opened.mechanism if opened else "",
            amount=amount,
            **after._asdict(),
            reservation=opened.number if opened else number if kind == "reserve" else 0,
            plan_digest=opened.plan_digest if opened else "",
            previous=last.hash,
        )

    def _amount(self, price: Price) -> Fraction:
        # Through `exact`: a stray float nan would pass every comparison with what is left.
        return Price(currency=price.currency, amount=exact(price.amount, "price")).into(self.currency).amount

    def _last(self) -> Line:
        with self._reading() as book:
            return book.last()

    @contextmanager
    def _reading(self) -> Iterator[Book]:
        with reading(self.path) as book:
            self._check_identity(book)
            yield book

    @contextmanager
    def _writing(self) -> Iterator[Book]:
        with writing(self.path) as book:
            self._check_identity(book)
            yield book

    def _check_identity(self, book: Book) -> None:
        if book.identity != self.identity:
            raise BadLedger("the file was replaced or edited while it was in use; open it again")


class Reservation:
    """Money set aside for one release. What is charged stays charged; there are no refunds.

    Settled with nothing charged, the reservation is returned. With anything charged, or never settled (a
    crash), the whole of it counts as spent. As a context manager it settles itself on the way out.
    """

    def __init__(self, ledger: Ledger, line: Line) -> None:
        self.ledger, self.line = ledger, line
        self.settled = False

    @property
    def number(self) -> int:
        """The number of the reserve line."""
        return self.line.number

    def charge(self, price: Price, *, what: str) -> None:
        """Puts the price on the disk; only then may noise be drawn. OverBudget past what was reserved."""
        self.ledger._charge(self.line, price, what)

    def made(self, line: Line, price: Price, *, what: str) -> bool:
        """Whether a line of this reservation is the charge of this price for this step."""
        charged = (line.kind, line.reservation, line.what, line.amount)
        return charged == ("charge", self.number, plain(what), self.ledger._share(self.line, price))

    def settle(self, *, synopsis_digest: str | None) -> None:
        """Closes the reservation: returned if nothing was charged, else spent in full."""
        self.ledger._settle(self.line, synopsis_digest or "")
        self.settled = True

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.settled:
            return
        # The first error is the one to show; what cannot be settled after it counts as spent, which is safe.
        with contextlib.suppress(HushError) if error else contextlib.nullcontext():
            self.settle(synopsis_digest=None)


def _who(unit: Unit) -> str:
    told = ", people told apart" if unit.person else ""
    return f"{counted(unit.rows, 'row')} a person{told}, neighbours: {unit.neighbours}"


def _nameless(unit: Unit) -> Unit:
    """That people are told apart, not by which column: that is in the digest of the domain."""
    return replace(unit, person="told apart" if unit.person else None)


def _declared(lines: Sequence[Line]) -> Budget:
    newest = next(line for line in reversed(lines) if line.kind in ("create", "raise"))
    return Budget.from_dict(json.loads(newest.budget))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
