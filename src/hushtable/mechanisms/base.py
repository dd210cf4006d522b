"""Mechanism: how a workload is answered. One method, one file, one citation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from ..budget import Price
from ..domain import Domain
from ..questions.workloads.base import Workload
from ..words import counted, shortened

if TYPE_CHECKING:
    from ..models.base import Model
    from ..vault.door.door import Door

__all__ = ["TRIAL_ROWS", "Design", "Forecast", "Mechanism", "Trial", "options_text"]

TRIAL_ROWS = 8


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Standard errors, in rows, that questions of one width will have. Exact: noise does not depend on data."""

    width: int
    tables: int
    """How many tables of this width there are."""
    typical: float
    """Root mean square over all cells of all these tables."""
    worst: float
    """No yes/no question of this width has a larger standard error."""
    bias: float = 0.0
    """Certified bound on the bias, as a fraction; 0 where answers are exact but for noise."""
    reference: bool = False
    """Whether `typical` is the error expected on a public reference table, instead of the noise of a cell."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """A mechanism made ready for one domain, workload and price; holds everything `release` needs."""

    mechanism: str
    options: str = ""
    """What was chosen differently from the mechanism's defaults, as text."""
    summary: str
    """One line a person understands."""
    price: Price
    numbers: int
    """How many integers are released."""
    forecasts: tuple[Forecast, ...]
    caution: str = ""
    """What the forecast rests on, where it is not exact."""
    memory: int
    """Bytes of working memory, about."""
    work: float
    """Seconds per million rows on one core, about."""
    parameters: Any
    words: tuple[str, str, str, str] = ("width", "tables", "typical cell", "worst question")
    """What the columns of the forecast are called."""
    outlook: tuple[str, ...] = ()
    """What else can be said before the data are opened, a line each."""
    fit_seconds: float = 0.0
    """Seconds of work after the measurements, about."""
    by: Mechanism | None = field(default=None, repr=False, compare=False)
    """The mechanism that carries it out, which need not be found by its name; the design of every plan has it."""

    def __repr__(self) -> str:
        made = f"{self.mechanism}({self.options})" if self.options else self.mechanism
        what = f"{counted(self.numbers, 'number')} for {self.price}; {shortened(self.summary, 300)}"
        return f"<Design {shortened(made, 200)}: {what}>"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A small release of made-up rows that takes the ways a real one may take."""

    domain: Domain
    design: Design
    rows: dict[str, list[str]]
    """Column name to values, as text."""


class Mechanism(ABC):
    """Designs without data, releases through the door."""

    name: ClassVar[str]
    source: ClassVar[str]
    """Key in docs/references.bib."""
    unbiased: ClassVar[bool] = True
    """Whether answers are exact but for noise, so that the forecast is their standard error."""
    by_name_only: ClassVar[bool] = False
    """Whether the planner leaves it alone unless it is asked for."""

    @abstractmethod
    def suits(self, workload: Workload) -> bool:
        """Whether it can answer this kind of workload at all."""

    @abstractmethod
    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design:
        """The best use of `price`; BadPlan with one clear line when it cannot be done.

        `rows` is about how many rows there are; only designs whose choice depends on it ask for it.
        """

    def trials(self, domain: Domain, design: Design) -> Iterable[Trial]:
        """Releases that are tried before anything is charged: all modules and kernels that `release` may need.

        The design itself, on a few rows and with next to no noise drawn, unless a mechanism has a quicker way.
        """
        from ..domain.dummy import dummy_rows

        yield Trial(domain=domain, design=design, rows=dummy_rows(domain, rows=TRIAL_ROWS, seed=0))

    @abstractmethod
    def release(self, door: Door, domain: Domain, design: Design) -> Model:
        """Measures through the door, then fits a model; adds no noise and keeps no account of its own."""


def options_text(mechanism: Any) -> str:
    """The options of a mechanism (a dataclass) that differ from its defaults: `rounds=12, unit=query`."""
    given = {f.name: getattr(mechanism, f.name) for f in fields(mechanism) if getattr(mechanism, f.name) != f.default}
    return ", ".join(f"{name}={value}" for name, value in given.items())
