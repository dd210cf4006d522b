"""The chain of a ledger: sealed lines, and the only arithmetic that moves its balances."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from ...budget import UNIT_NAME, Currency, Unit
from ...errors import BadBudget, BadLedger, HushError, OverBudget
from ...words import readable
from .rebinding import Rebinding, read_rebinding
from .terms import Terms, read_terms

__all__ = [
    "COLUMNS",
    "Balances",
    "Identity",
    "Kind",
    "Line",
    "balances",
    "bound_digest",
    "check_chain",
    "plain",
    "stays",
    "terms_left",
]

Kind = Literal["create", "raise", "rebind", "reserve", "charge", "settle"]
Row = tuple[int | str, ...]

# Far below the 4300 digits at which Python refuses to print an integer, far above any sensible price.
MOST_DIGITS = 1000
_LIMIT = 10**MOST_DIGITS

COLUMNS = (
    "number", "when", "kind", "what", "mechanism", "amount", "total", "spent", "charged",
    "reservation", "plan_digest", "synopsis_digest", "budget", "previous", "hash",
)  # fmt: skip
MONEY = ("amount", "total", "spent", "charged")


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a ledger is bound to for ever, but for the domain, which `rebind` lines replace.

    The first line follows its digest, so an edit of it shows.
    """

    nonce: str
    table: str
    domain_digest: str
    unit: Unit
    currency: Currency

    def text(self) -> str:
        """Canonical JSON, the inverse of `read`."""
        unit: dict[str, int | str] = {"rows": self.unit.rows, "neighbours": self.unit.neighbours}
        unit |= {"person": self.unit.person} if self.unit.person else {}
        return _canonical(vars(self) | {"unit": unit})

    @classmethod
    def read(cls, text: str) -> Identity:
        """Reads what `text` wrote; ValueError for anything else."""
        try:
            parts = json.loads(text)
            return cls(**(parts | {"unit": Unit(**parts["unit"])}))
        except (TypeError, KeyError) as error:
            raise ValueError(str(error)) from None

    @property
    def digest(self) -> str:
        """What the first line names as its `previous`."""
        return _sha256(self.text())


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the account; `total`, `spent` and `charged` are the balances after it.

    create   amount = the total                         raise    amount = the new total
    reserve  amount = what a release may charge         charge   amount = what one step costs
    settle   amount = what stays spent: the whole reservation, or 0 when nothing was charged
    rebind   amount = 0: the same table under another domain
    """

    number: int
    when: str
    kind: Kind
    what: str
    mechanism: str = ""
    amount: Fraction
    total: Fraction
    spent: Fraction
    charged: Fraction = Fraction(0)
    """The charges of this line's reservation so far."""
    reservation: int = 0
    """The number of the reserve line this one belongs to; 0 for `create`, `raise` and `rebind`."""
    plan_digest: str = ""
    synopsis_digest: str = ""
    budget: str = ""
    """JSON: the budget as the owner declared it on `create` and `raise`, digests on `rebind`; else of `terms`."""
    previous: str

    @cached_property
    def hash(self) -> str:
        """SHA-256 of every field, the previous line's hash among them."""
        return _sha256(_canonical(self._fields()))

    @property
    def terms(self) -> Terms | None:
        """Epsilon and delta of a reservation that was made in these, and of its charges; of other lines None."""
        return read_terms(self.budget) if self.kind in ("reserve", "charge") else None

    @property
    def rebinding(self) -> Rebinding | None:
        """The domain before and after a `rebind`; of other lines None."""
        return read_rebinding(self.budget) if self.kind == "rebind" else None

    @property
    def balances(self) -> Balances:
        """The three balances together."""
        return Balances(self.total, self.spent, self.charged)

    def _fields(self) -> dict[str, int | str]:
        fields = {name: getattr(self, name) for name in COLUMNS[:-1]}
        return fields | {name: _money(fields[name]) for name in MONEY}

    def row(self) -> Row:
        """The line as it is stored, in the order of COLUMNS."""
        stored = self._fields() | {"hash": self.hash}
        return tuple(stored[name] for name in COLUMNS)

    @classmethod
    def read(cls, row: Row) -> Line:
        """The line a row holds; BadLedger when the row is not exactly what was sealed."""
        fields = dict(zip(COLUMNS, row, strict=True))
        del fields["hash"]
        try:
            line = cls(**(fields | {name: Fraction(fields[name]) for name in MONEY}))  # type: ignore[arg-type]
            sealed = line.row() == row
        except (ValueError, TypeError, ZeroDivisionError, HushError):
            sealed = False
        if not sealed:
            raise BadLedger(f"line {row[0]} was edited: it does not match its own hash")
        return line


class Balances(NamedTuple):
    """What one line leaves: the total, what counts as spent, and its reservation's charges."""

    total: Fraction
    spent: Fraction
    charged: Fraction


def balances(
    kind: Kind, amount: Fraction, *, last: Line, opened: Line | None, latest: Line | None, currency: Currency
) -> Balances:
    """The balances after a line of this kind; OverBudget or BadLedger when it may not follow.

    last      the newest line of the ledger
    opened    the reserve line of the reservation meant, and `latest` the newest line of that reservation
    """
    if amount < 0:
        raise BadBudget(f"a price must not be negative, and {readable(amount)} is: nothing is ever refunded")
    if kind == "raise":
        if amount <= last.total:
            raise BadBudget(
                f"the total is {UNIT_NAME[currency]} = {readable(last.total)} and can only be raised, "
                f"not set to {readable(amount)}: what was promised is not taken back"
            )
        return Balances(amount, last.spent, Fraction(0))
    if kind == "rebind":
        if amount:
            raise BadLedger(f"to name another domain costs nothing, not {readable(amount)}")
        return Balances(last.total, last.spent, Fraction(0))
    if kind == "reserve":
        _afford(amount, last.total - last.spent, currency)
        return Balances(last.total, last.spent + amount, Fraction(0))
    if opened is None or latest is None or latest.kind == "settle":
        raise BadLedger(f"this {kind} needs an open reservation, and its own is settled; reserve again")
    if kind == "charge":
        _afford(amount, opened.amount - latest.charged, currency)
        return Balances(last.total, last.spent, latest.charged + amount)
    if amount != stays(opened, latest):
        raise BadLedger(f"reservation {opened.number} does not settle at {readable(amount)}")
    return Balances(last.total, last.spent - opened.amount + amount, latest.charged)


def stays(opened: Line, latest: Line) -> Fraction:
    """What stays spent when a reservation settles: all of it, or nothing when nothing was charged."""
    # The kind of line, not its sum, says whether noise may have been drawn: a free step is a step too.
    return Fraction(0) if latest.kind == "reserve" else opened.amount


def terms_left(opened: Line, latest: Line) -> Terms | None:
    """The terms of a reservation with what was charged so far; None where it was not made in epsilon and delta.

    A charge that an older version wrote has no terms, and then all of both counts as charged.
    """
    reserved, charged = opened.terms, latest.terms
    if reserved is None or latest.kind == "reserve":
        return reserved
    last = charged or replace(reserved, epsilons=reserved.epsilon, deltas=reserved.delta)
    return replace(reserved, epsilons=last.epsilons, deltas=last.deltas)


def bound_digest(lines: Iterable[Line], identity: Identity, at: int | None = None) -> str:
    """The digest of the domain that the ledger is bound to after its last line, or was when line `at` was written."""
    digest = identity.domain_digest
    for line in lines:
        if at is not None and line.number > at:
            break
        if (changed := line.rebinding) is not None:
            digest = changed.new
    return digest


def check_chain(lines: Iterable[Line], identity: Identity) -> list[Line]:
    """The lines, every link and balance of them recomputed; BadLedger names the first bad one."""
    sound: list[Line] = []
    last: Line | None = None
    bound = identity.domain_digest
    opened: dict[int, Line] = {}
    latest: dict[int, Line] = {}
    for number, line in enumerate(lines, start=1):
        if line.number != number:
            raise BadLedger(f"line {number} is missing")
        if line.previous != (last.hash if last else identity.digest):
            raise BadLedger(f"line {number} does not follow what stands before it")
        if (line.kind == "create") != (last is None) or (line.kind == "reserve") != (line.reservation == number):
            raise BadLedger(f"line {number} is a {line.kind} where none may stand")
        key = line.reservation
        if _right(line, last, opened.get(key), latest.get(key), identity.currency) != line.balances:
            raise BadLedger(f"line {number} does not add up")
        if line.kind == "charge" and line.terms != _right_terms(line, opened[key], latest[key]):
            raise BadLedger(f"epsilon and delta of line {number} do not add up")
        if (changed := line.rebinding) is not None:
            if changed.old != bound:
                raise BadLedger(f"line {number} rebinds a domain that the ledger was not bound to")
            bound = changed.new
        if key:
            opened.setdefault(key, line)
            latest[key] = line
        sound.append(last := line)
    return sound


def _right(line: Line, last: Line | None, opened: Line | None, latest: Line | None, currency: Currency) -> Balances:
    """The balances the line should show."""
    if last is None:
        return Balances(line.amount, Fraction(0), Fraction(0))
    try:
        return balances(line.kind, line.amount, last=last, opened=opened, latest=latest, currency=currency)
    except HushError as error:
        raise BadLedger(f"line {line.number} breaks the rules: {error}") from None


def _right_terms(line: Line, opened: Line, latest: Line) -> Terms | None:
    """The terms that a charge should show; one that an older version wrote shows none."""
    left, terms = terms_left(opened, latest), line.terms
    if left is None or terms is None or line.amount * left.epsilon != opened.amount * terms.epsilon:
        return None
    try:
        return left.after(terms)
    except HushError as error:
        raise BadLedger(f"line {line.number} breaks the rules: {error}") from None


def plain(text: str) -> str:
    """The text with anything UTF-8 cannot hold (a file name's stray bytes) written out as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _afford(asked: Fraction, left: Fraction, currency: Currency) -> None:
    if asked > left:
        raise OverBudget(asked=asked, left=left, unit=UNIT_NAME[currency])


def _money(amount: Fraction) -> str:
    if max(amount.numerator, amount.denominator) >= _LIMIT:
        raise BadBudget(f"this price needs more than {MOST_DIGITS} digits to write; round it up to fewer")
    return f"{amount.numerator}/{amount.denominator}"


def _canonical(fields: dict[str, object] | dict[str, int | str]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
