"""Kept: what a door needs of a ledger and of a journal, so that what was paid for is neither lost nor paid twice."""

from __future__ import annotations

from typing import Any, Protocol

from ...budget import Price

__all__ = ["Account", "Forgetful", "Journal", "Seen"]

# What came of one step, by name: whole numbers, arrays of them, bytes, lists of bytes, or None. Safe to publish.
Seen = dict[str, Any]


class Account(Protocol):
    """What the door needs of a ledger's reservation."""

    def charge(self, price: Price, *, what: str) -> None:
        """Records a charge durably, or raises OverBudget."""


class Journal(Protocol):
    """What the door needs of a record of its steps, so that nothing paid for is lost when a process ends early."""

    def recall(self, step: str, facts: tuple[object, ...]) -> Seen | None:
        """What came of this step in an earlier process; None: it is yet to be taken."""

    def make_room(self, numbers: int) -> None:
        """Sets room aside for what is about to be drawn; asked before it is charged."""

    def keep(self, step: str, facts: tuple[object, ...], seen: Seen) -> None:
        """Durable when it returns; only then is it handed to anybody."""


class Forgetful:
    """No journal: for what is rehearsed, or kept elsewhere."""

    def recall(self, step: str, facts: tuple[object, ...]) -> Seen | None:
        """Nothing was kept."""
        return None

    def make_room(self, numbers: int) -> None:
        """None is needed."""

    def keep(self, step: str, facts: tuple[object, ...], seen: Seen) -> None:
        """Nothing is."""
