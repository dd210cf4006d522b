"""Workload: what may be asked of a synopsis, declared before the data are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, ClassVar

from ...budget import Budget, Price
from ...domain import Domain
from ...domain.attributes import Uncoded

__all__ = ["Other", "Workload", "text_of", "uncoded"]


@dataclass(frozen=True, kw_only=True)
class Other:
    """Another workload, or another budget, that a plan is compared with."""

    workload: Workload
    remark: str
    """Why it was not taken; may name {bias}, and {compared} for "larger" or "smaller", of its own forecast."""
    budget: Budget | None = None
    """Where it is not the budget of the plan."""
    any_mechanism: bool = False
    """Whether it is planned by the best mechanism, also where the plan names one."""
    by_rows: bool = False
    """Whether its forecast takes the number of rows into account."""


class Workload(ABC):
    """A class of questions. A frozen dataclass whose fields are the arguments of its text form."""

    name: ClassVar[str]

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """BadPlan when the domain cannot carry this workload."""

    def price(self, budget: Budget) -> Price:
        """What a release may spend: the budget in its own currency, unless a workload is better served by another."""
        return budget.price

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterable[Other]:
        """What else of this kind is worth showing beside a plan.

        widths  how many forecasts the chosen design has
        named   whether the plan was told which mechanism to take
        """
        return ()

    def __str__(self) -> str:
        fields = ", ".join(f"{key}={text_of(value)}" for key, value in self.__dict__.items() if value is not None)
        return f"{self.name}({fields})"


def uncoded(domain: Domain) -> str:
    """What to do with the attributes that tables leave out, in words that follow a sentence; nothing if none is."""
    return "".join(f"; {a.name} {a.advice}" for a in domain.attributes if isinstance(a, Uncoded))


def text_of(value: Any) -> str:
    """A field as `read_workload` reads it back: names bare, other texts in quotes, lists in brackets."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, str):
        bare = all(part.isidentifier() and not iskeyword(part) for part in value.split("."))
        return value if bare else repr(value)
    return str(value)
