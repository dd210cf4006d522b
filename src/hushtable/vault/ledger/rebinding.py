"""Rebinding: the domain of a table was declared anew, and its account goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...errors import BadLedger

__all__ = ["Rebinding", "read_rebinding"]


@dataclass(frozen=True, kw_only=True)
class Rebinding:
    """Digests of the domain before and after."""

    old: str
    new: str

    def text(self) -> str:
        """JSON, the inverse of `read_rebinding`."""
        return json.dumps(vars(self))


def read_rebinding(text: str) -> Rebinding:
    """The rebinding that a line tells of; BadLedger when the text is none."""
    try:
        made = Rebinding(**json.loads(text))
        if not (isinstance(made.old, str) and isinstance(made.new, str)) or made.old == made.new:
            raise ValueError
        return made
    except (ValueError, TypeError):
        raise BadLedger("a rebinding in it cannot be read") from None
