"""Workload: what may be asked of a synopsis, declared before the data are opened."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from types import MappingProxyType
from typing import Any, ClassVar

from ...budget import Budget, Currency, Price
from ...domain import Domain
from ...domain.attributes import Uncoded
from ...errors import BadPlan

__all__ = ["Other", "Workload", "text_of", "uncoded", "under_former_names", "under_new_names"]


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
    former: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options that had another name once, old to new: texts may still say the old one, and what is kept does."""

    finds_cells: ClassVar[bool] = False
    """Whether a release finds cells for numbers without bins; else bins must be declared for those it counts."""

    @property
    def only_by(self) -> str | None:
        """The one mechanism that takes it with the options it has; None where any may that answers its kind."""
        return None

    @property
    def recorded(self) -> str:
        """The text that files, journals, ledgers and digests keep: it must be the same for ever."""
        return under_former_names(str(self), self.former)

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """BadPlan when the domain cannot carry this workload."""

    def counted_ranges(self, domain: Domain) -> tuple[str, ...]:
        """The numbers without bins whose cells it counts."""
        return tuple(a.name for a in domain.ranged)

    def price(self, budget: Budget, currency: Currency) -> Price:
        """What a release may spend: the budget in a currency, unless a workload is better served by another."""
        return budget.price_in(currency)

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterable[Other]:
        """What else of this kind is worth showing beside a plan.

        widths  how many forecasts the chosen design has
        named   whether the plan was told which mechanism to take
        """
        return ()

    def __str__(self) -> str:
        fields = ", ".join(f"{key}={text_of(value)}" for key, value in self.__dict__.items() if value is not None)
        return f"{self.name}({fields})"


def under_new_names(options: Mapping[str, Any], former: Mapping[str, str]) -> dict[str, Any]:
    """Options as they are called today; BadPlan where one is given under both names."""
    twice = next((old for old, new in former.items() if {old, new} <= options.keys()), None)
    if twice is not None:
        raise BadPlan(f"{twice} is the former name of {former[twice]}; give {former[twice]} alone")
    return {former.get(name, name): value for name, value in options.items()}


def under_former_names(text: str, former: Mapping[str, str]) -> str:
    """The text of a call, with options as they were called first."""
    for old, new in former.items():
        text = re.sub(rf"\b{new}=", f"{old}=", text)
    return text


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
