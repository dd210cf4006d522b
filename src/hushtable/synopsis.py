"""Synopsis: the released summary. Answers questions for ever, without data and without budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .domain import Domain
from .errors import counted
from .models.base import Model
from .questions.answer import Answer, CrossTab

if TYPE_CHECKING:
    from .planner import Plan

__all__ = ["Synopsis", "load"]

SIMULATED = "NOT PRIVATE: released with simulated randomness"


@dataclass(frozen=True, eq=False, kw_only=True)
class Synopsis:
    """A model of the table with the record of how it was released."""

    domain: Domain
    model: Model
    workload: str
    mechanism: str
    accounting: dict[str, Any]
    """Budget, price and unit of the release."""
    not_private: bool

    @classmethod
    def from_release(cls, plan: Plan, model: Model, *, ledger: dict[str, Any] | None, not_private: bool) -> Synopsis:
        """The synopsis of a plan that was carried out; `ledger` names the line that paid for it."""
        price, unit = plan.design.price, plan.domain.unit
        accounting = {
            "budget": plan.budget.to_dict(),
            "currency": price.currency,
            "price": str(price.amount),
            "neighbours": unit.neighbours,
            "rows_per_person": unit.rows,
            "plan": plan.digest,
            "ledger": ledger,
        }
        return cls(
            domain=plan.domain,
            model=model,
            workload=str(plan.workload),
            mechanism=plan.mechanism,
            accounting=accounting,
            not_private=not_private,
        )

    def ask(self, question: str, *, count: bool = False) -> Answer | CrossTab:
        """The answer to a question in SQL's words: fractions of all rows, or numbers of rows with count=True."""
        answer = self.model.answer(self._parsed(question), count=count)
        return replace(answer, notes=(SIMULATED, *answer.notes)) if self.not_private else answer

    def _parsed(self, text: str) -> Any:
        """Parsing takes longer than answering, and people ask the same thing again."""
        if text not in self._questions:
            if len(self._questions) > 1000:
                self._questions.clear()
            self._questions[text] = self.model.parse(text)
        return self._questions[text]

    @cached_property
    def _questions(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _packed(self) -> tuple[bytes, dict[str, bytes]]:
        from .file_format import pack

        return pack(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the manifest, which covers every member; the ledger keeps it beside the charge."""
        from .file_format import digest_of

        return digest_of(self._packed[0])

    def save(self, path: str | Path) -> None:
        """Writes the file; a file of that name is not overwritten, because it may be the only copy of a release."""
        from .file_format import write

        write(path, *self._packed)

    def __str__(self) -> str:
        stamp = f"\n{SIMULATED}" if self.not_private else ""
        return (
            f"synopsis of {self.domain.table}: {self.workload} by {self.mechanism}, "
            f"{counted(len(self.domain.attributes), 'attribute')}{stamp}"
        )


def load(path: str | Path) -> Synopsis:
    """Reads a synopsis file. Executes nothing, and checks every size and digest before using it."""
    from .file_format import read

    return read(path)
