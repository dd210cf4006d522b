"""Resuming: where a release that was interrupted goes, and whether it is there already."""

from __future__ import annotations

from pathlib import Path

from ..errors import HushError
from ..synopsis import load
from ..vault.ledger.ledger import Ledger
from .journal import ENDING, ReleaseJournal

__all__ = ["finished", "output_of"]


def output_of(path: Path) -> Path:
    """Where the synopsis of a journal goes unless it is said: the same name without the ending."""
    return path.with_name(path.name.removesuffix(ENDING)) if path.name.endswith(ENDING) else Path(f"{path}.hush")


def finished(part: Path, output: Path, *, ledger: Path | None = None) -> bool:
    """Whether the output is the synopsis of this journal, which then is removed: only that had been left to do."""
    if not output.is_file():
        return False
    journal = ReleaseJournal.open(part)
    try:
        entry = load(output).accounting["ledger"] or {}
        lines = Ledger.open(ledger or journal.facts["ledger"]).lines()
        same = any(line.hash == entry.get("hash") and line.what.endswith(journal.mark) for line in lines)
    except (HushError, KeyError, AttributeError):
        same = False
    if same:
        journal.remove()
    else:
        journal.close()
    return same
