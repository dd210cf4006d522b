"""Problems: what can go wrong between a browser and a release, as one line with a status."""

from __future__ import annotations

from typing import Any

from ..errors import Exhausted, HushError, OverBudget

__all__ = [
    "BadServer",
    "LoginNeeded",
    "NoSuchThing",
    "NotAllowed",
    "PurseEmpty",
    "TooBusy",
    "TooMuch",
    "WrongForm",
    "problem",
    "status_of",
]


class BadServer(HushError):
    """A server that cannot start as it was told to."""


class LoginNeeded(HushError):
    """Nobody is logged in, or the login has ended."""


class NotAllowed(HushError):
    """Somebody who may not do that, or a form that did not come from our own page."""


class NoSuchThing(HushError):
    """A release, page or curator that is not here."""


class PurseEmpty(HushError):
    """An analyst whose share of the paid answers is used up."""

    exit_code = 3


class TooBusy(HushError):
    """More questions than the server takes from one person, or one that took too long."""


class TooMuch(HushError):
    """A request, a question or an answer beyond its limit."""


class WrongForm(HushError):
    """A request that is not of the form the interface has."""


# By name, because an error that another process met comes as words.
_STATUS = {
    LoginNeeded.__name__: 401,
    PurseEmpty.__name__: 402,
    Exhausted.__name__: 402,
    OverBudget.__name__: 402,
    NotAllowed.__name__: 403,
    NoSuchThing.__name__: 404,
    TooMuch.__name__: 413,
    WrongForm.__name__: 422,
    TooBusy.__name__: 429,
}


def status_of(error: HushError) -> int:
    """The HTTP status that says the same; 400 for whatever the asker can mend."""
    return _STATUS.get(str(error.to_dict()["kind"]), 400)


def problem(error: HushError) -> dict[str, Any]:
    """The one shape of all errors: that of `hush --json`."""
    return {"error": error.to_dict()}
