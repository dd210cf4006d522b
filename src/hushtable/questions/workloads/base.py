"""Workload: what may be asked of a synopsis, declared before the data are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from keyword import iskeyword
from typing import Any, ClassVar

from ...budget import Budget, Price
from ...domain import Domain
from ...domain.attributes import Uncoded

__all__ = ["Workload", "text_of", "uncoded"]


class Workload(ABC):
    """A class of questions. A frozen dataclass whose fields are the arguments of its text form."""

    name: ClassVar[str]

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """BadPlan when the domain cannot carry this workload."""

    def price(self, budget: Budget) -> Price:
        """What a release may spend: the budget in its own currency, unless a workload is better served by another."""
        return budget.price

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
