"""Every error a user can meet: one line that names what was given, what is allowed and what to do.

HushError
├── BadPath          a file that is missing, unreadable or cannot be written
├── BadDomain        a domain that does not describe a table
├── BadBudget        a budget that is not a budget
├── OverBudget       more than the ledger has left                        (exit code 3)
├── Exhausted        a curator without paid answers left                  (exit code 3)
├── BadLedger        a ledger that is damaged, edited or of another table
├── BadState         a curator's state or a release's journal that is damaged, edited, of another table or in use
│   └── InUse        ... by another process
├── BadData          rows that do not fit the domain; never says which row or value
├── BadPlan          a workload or mechanism that cannot be planned
│   └── TooLarge     ... because it needs more numbers than the cap
├── BadQuestion      a question the synopsis cannot answer
│   ├── UnknownAttribute
│   ├── TooWide
│   └── CutInsideBin
├── BadSynopsis      a synopsis file that is damaged, edited or from a newer version
├── BadPolicy        a metric, loss, group or rule of a fair decision that cannot be used
└── BadPaper         a source that is not there to be reproduced
"""

import os
import traceback
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeGuard

from .words import listed, one_line, readable, suggestion

__all__ = [
    "BadBudget",
    "BadData",
    "BadDomain",
    "BadLedger",
    "BadPaper",
    "BadPath",
    "BadPlan",
    "BadPolicy",
    "BadQuestion",
    "BadState",
    "BadSynopsis",
    "CutInsideBin",
    "Exhausted",
    "HushError",
    "InUse",
    "OverBudget",
    "TooLarge",
    "TooWide",
    "UnknownAttribute",
    "check_whole",
    "error_dict",
    "is_whole",
]


class HushError(Exception):
    """A mistake the user can mend. `str(error)` is one line; `exit_code` is what `hush` returns."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: one line, since the mistake is in what was asked; all of it with HUSH_DEBUG=1."""
        # IPython looks for this name. Where it shows a traceback is the one place where nobody can pass an option.
        if os.environ.get("HUSH_DEBUG"):
            return "".join(traceback.format_exception(self)).splitlines()
        notes: Sequence[str] = getattr(self, "__notes__", ())
        return [one_line(f"{type(self).__name__}: {'; '.join((str(self), *notes))}")]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for programs: kind, message, exit_code, and what the error carries (asked, left, known, ...).

        The message ends with what was added on the way, such as how to finish what was interrupted.
        """
        carried = {name: _plain(value) for name, value in vars(self).items() if not name.startswith("_")}
        return error_dict(self, kind=type(self).__name__, message=str(self), exit_code=self.exit_code) | carried


def error_dict(error: BaseException, *, kind: str, message: str, exit_code: int) -> dict[str, Any]:
    """The one shape of all errors, also of those that are no HushError: the message has the notes of the error."""
    notes: Sequence[str] = getattr(error, "__notes__", ())
    return {"kind": kind, "message": " ".join("; ".join((message, *notes)).split()), "exit_code": exit_code}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, Fraction) else value


class BadPath(HushError):
    """A file that is missing, unreadable or cannot be written."""


class BadDomain(HushError):
    """A domain that does not describe a table."""


class BadBudget(HushError):
    """A budget that is not a budget: zero, negative, not a number, delta outside (0, 1)."""


class OverBudget(HushError):
    """More than is left. Nothing was read and nothing was spent."""

    exit_code = 3

    def __init__(self, *, asked: Fraction, left: Fraction, unit: str, typed: str = "") -> None:
        self.asked, self.left, self.unit = asked, left, unit
        also = f" ({typed} in a ledger kept in {unit})" if typed else ""
        super().__init__(
            f"this costs {unit} = {readable(asked)}{also} but {readable(left)} is left; "
            "lower the budget or let the data owner raise the total (hush ledger raise)"
        )


class Exhausted(HushError):
    """A curator that has used all its paid answers and was told to refuse then."""

    exit_code = 3


class BadLedger(HushError):
    """A ledger that is damaged, edited, or belongs to another table."""


class BadState(HushError):
    """A curator's state file that is damaged, edited, older than its ledger, of another table, or in use."""


class InUse(BadState):
    """A state or journal that another process has open."""


class BadData(HushError):
    """Rows that do not fit the domain. The message never names a row or a value."""


class BadPlan(HushError):
    """A workload, mechanism or target that cannot be planned."""


class TooLarge(BadPlan):
    """More numbers than the cap; names the largest order that fits."""

    def __init__(self, *, order: int, numbers: int, cap: int, fits: int, what: str = "width") -> None:
        self.order, self.numbers, self.cap, self.fits = order, numbers, cap, fits
        advice = f"the largest {what} that fits is {fits}" if fits else "merge bins or drop attributes"
        super().__init__(f"{what} {order} needs {numbers:,} numbers and the cap is {cap:,}; {advice}")


class BadQuestion(HushError):
    """A question that cannot be parsed or answered."""


class UnknownAttribute(BadQuestion):
    """A name that is not in the domain."""

    def __init__(self, name: str, *, known: Sequence[str]) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(f"no attribute '{name}'; this domain has {listed(known)}.{suggestion(name, known)}")


class TooWide(BadQuestion):
    """A question about more attributes than were released together."""

    def __init__(self, *, names: Sequence[str], width: int) -> None:
        self.names, self.width = tuple(names), width
        super().__init__(
            f"the question joins {len(names)} attributes ({listed(names)}) but this synopsis answers "
            f"questions about at most {width} at a time; ask about fewer attributes or release a wider workload"
        )


class CutInsideBin(BadQuestion):
    """A comparison that splits a bin whose rows were counted together."""

    def __init__(self, *, name: str, cut: str, below: str, above: str) -> None:
        self.name, self.cut, self.below, self.above = name, cut, below, above
        super().__init__(
            f"{name} {cut} cuts a bin in two: a bin starts at its lower edge and ends before the next, and the "
            f"nearest edges are {below} and {above}; ask with >= or < at one of these, or for an estimate with "
            "--interpolate (in Python interpolate=True)"
        )


class BadSynopsis(HushError):
    """A synopsis file that is damaged, edited or of an unknown version."""


class BadPolicy(HushError):
    """A metric, loss, group or rule of a fair decision that cannot be used."""


class BadPaper(HushError):
    """A source that is not among the papers, or that cannot be reproduced here."""


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a setting is a whole number; True and False are none, whatever Python says."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_whole(
    value: object, name: str, error: type[HushError], *, least: int = 1, most: int | None = None, limit: str = ""
) -> None:
    """Raises `error` unless the value is a whole number from `least` to `most`; `limit` is `most` in words."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least:,} to {limit or format(most, ',')}"
        raise error(f"{name} must be a whole number {allowed}, not {value!r}")
