"""The stamp of a rehearsal: what was made with simulated randomness says so, whichever way it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .answer import Answer, CrossTab

    Given = TypeVar("Given", bound=Answer | CrossTab)

__all__ = ["SIMULATED", "mark", "other_notes", "stamped"]

SIMULATED = "NOT PRIVATE: released with simulated randomness"


def stamped(answer: Given) -> Given:
    """The answer as one of a rehearsal: marked, with the stamp as its first note; so is the one beside it."""
    beside: Any = None if answer.unbiased is None else stamped(answer.unbiased)
    inner: dict[str, Any] = getattr(answer, "answers", {})
    own = {"answers": {name: stamped(table) for name, table in inner.items()}} if inner else {}
    notes = (SIMULATED, *other_notes(answer.notes))
    return replace(answer, not_private=True, notes=notes, unbiased=beside, **own)  # type: ignore[arg-type]


def mark(not_private: bool, rows: int) -> dict[str, list[Any]]:
    """One more column for frames of a rehearsal: frames lose their notes on the way to a file, but no column."""
    return {"not_private": [True] * rows} if not_private else {}


def other_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """All notes but the stamp, for those who have shown it already."""
    return tuple(note for note in notes if note != SIMULATED)
