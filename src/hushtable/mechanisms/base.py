"""Mechanism: how a workload is answered. One method, one file, one citation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from ..budget import Budget, Currency, Price
from ..domain import Domain
from ..errors import BadPlan
from ..questions.workloads.base import Other, Workload, under_former_names
from ..words import counted, shortened

if TYPE_CHECKING:
    from ..models.base import Model
    from ..models.number_shapes import NumberShapes
    from ..vault.door.door import Door
    from ..vault.door.noise import Noise
    from ..vault.statistics.base import Statistic
    from .plans import Alternative, Plan

__all__ = ["TRIAL_ROWS", "Design", "Forecast", "Measuring", "Mechanism", "Trial", "of_kind", "options_text"]

P = TypeVar("P")
S = TypeVar("S", bound="Statistic")
W = TypeVar("W", bound=Workload)
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
class Design(Generic[P]):
    """A mechanism made ready for one domain, workload and price; holds everything `release` needs."""

    by: Mechanism[P] = field(repr=False, compare=False)
    """The mechanism that made it and carries it out; nothing looks it up by its name."""
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
    parameters: P
    """What was decided, in the mechanism's own terms."""
    words: tuple[str, str, str, str] = ("width", "tables", "typical cell", "worst question")
    """What the columns of the forecast are called."""
    headline: str = ""
    """What the last forecast is called, where it alone sums up the design; empty where all widths count."""
    outlook: tuple[str, ...] = ()
    """What else can be said before the data are opened, a line each."""
    worth: float = 1.0
    """The share of another design's error that its own must be below to be chosen instead."""
    fit_seconds: float = 0.0
    """Seconds of work after the measurements, about."""

    @property
    def mechanism(self) -> str:
        """The name of its mechanism, without options."""
        return self.by.name

    @property
    def title(self) -> str:
        """The mechanism, with its options where they are not the defaults: `mwem(rounds=12)`."""
        return f"{self.mechanism}({self.options})" if self.options else self.mechanism

    @property
    def recorded(self) -> str:
        """The same as files, journals and digests keep it: options under the names they had first."""
        if not self.by.since:
            return under_former_names(self.title, self.by.former)
        options = options_text(self.by, self.by.since)
        return under_former_names(f"{self.mechanism}({options})" if options else self.mechanism, self.by.former)

    @property
    def error(self) -> float:
        """What designs are compared by: the typical error at the largest width."""
        return self.forecasts[-1].typical

    def __repr__(self) -> str:
        what = f"{counted(self.numbers, 'number')} for {self.price}; {shortened(self.summary, 300)}"
        return f"<Design {shortened(self.title, 200)}: {what}>"


class Measuring(NamedTuple, Generic[S]):
    """All that is decided where one statistic is measured once."""

    statistic: S
    noise: Noise


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A small release of made-up rows that takes the ways a real one may take."""

    domain: Domain
    design: Design[Any]
    rows: dict[str, list[str]]
    """Column name to values, as text."""


class Mechanism(ABC, Generic[P]):
    """Designs without data, releases through the door. P is what its designs decide."""

    name: ClassVar[str]
    former: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options that had another name once, old to new, as for workloads."""
    since: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Options that older records do not name, with what they then were: a record names them where they differ."""
    answers: ClassVar[tuple[type[Workload], ...]] = ()
    """The kinds of workloads it can answer."""
    source: ClassVar[str]
    """Key in docs/references.bib."""
    unbiased: ClassVar[bool] = True
    """Whether answers are exact but for noise, so that the forecast is their standard error."""
    selects: ClassVar[bool] = False
    """Whether it takes steps that are no sums with noise, which are dear where Gaussian noise is counted exactly."""
    by_name_only: ClassVar[bool] = False
    """Whether the planner leaves it alone unless it is asked for."""
    why_by_name: ClassVar[str] = ""
    """The reason, for one that is not in `published/`, where being never better is reason enough."""
    pure_only: ClassVar[bool] = False
    """Whether the planner leaves it alone but for a pure epsilon, as it is never better elsewhere."""
    speaks_first: ClassVar[bool] = False
    """Whether its reason is the one to show where no mechanism can do it: that of the one that can do most."""

    def suits(self, workload: Workload) -> bool:
        """Whether it can answer this kind of workload at all."""
        return isinstance(workload, self.answers) and workload.only_by in (None, self.name)

    def may_be_chosen(self, workload: Workload) -> bool:
        """Whether the planner may take it for this workload without being asked for it."""
        return not self.by_name_only

    def price(self, workload: Workload, budget: Budget, currency: Currency | None = None) -> Price:
        """What it may spend of a budget: in the currency asked for, or the one in which its noise is least."""
        return workload.price(budget, currency or budget.currencies[-1 if self.selects else 0])

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Whether the planner should ask it for a design: not where that takes long and is hardly ever worth it."""
        return True

    @abstractmethod
    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[P]:
        """The best use of `price`; BadPlan with one clear line when it cannot be done.

        `rows` is about how many rows there are; only designs whose choice depends on it ask for it.
        """

    def beside(self, chosen: Design[Any], domain: Domain, workload: Workload, rows: int | None) -> Alternative | None:
        """What a plan that chose another design should say of this mechanism, if it is not among the candidates."""
        return None

    def compared_with(
        self, workload: Workload, domain: Domain, budget: Budget, *, widths: int, named: bool
    ) -> Iterable[Other]:
        """What a plan by this mechanism is shown beside: by itself, what else of its kind the workload knows."""
        return workload.alternatives(domain, budget, widths=widths, named=named)

    def forecast_lines(self, plan: Plan) -> list[str]:
        """The forecast of a plan by this mechanism, in words: one line a width."""
        from .plan_text import forecast_by_width

        return forecast_by_width(plan)

    def trials(self, domain: Domain, design: Design[P]) -> Iterable[Trial]:
        """Releases that are tried before anything is charged: all modules and kernels that `release` may need.

        The design itself, on a few rows and with next to no noise drawn, unless a mechanism has a quicker way.
        """
        from ..domain.dummy import dummy_rows

        yield Trial(domain=domain, design=design, rows=dummy_rows(domain, rows=TRIAL_ROWS, seed=0))

    @abstractmethod
    def release(self, door: Door, domain: Domain, design: Design[P]) -> Model:
        """Measures through the door, then fits a model; adds no noise and keeps no account of its own."""

    def release_found(self, door: Door, domain: Domain, design: Design[P], found: NumberShapes) -> Model:
        """The same, where the cells of numbers were found before; a mechanism may use what was counted for that."""
        return self.release(door, domain, design)


def of_kind(workload: Workload, kind: type[W]) -> W:
    """The workload, as the kind that a mechanism answers; BadPlan for any other, which `suits` would have refused."""
    if not isinstance(workload, kind):
        raise BadPlan(f"{workload} is not a workload of this mechanism; it answers {kind.__name__}")
    return workload


def options_text(mechanism: Any, defaults: Mapping[str, Any] = MappingProxyType({})) -> str:
    """The options of a mechanism (a dataclass) that differ from its defaults, or from these: `rounds=12, cells=64`."""
    own = {f.name: defaults.get(f.name, f.default) for f in fields(mechanism)}
    given = {name: getattr(mechanism, name) for name, default in own.items() if getattr(mechanism, name) != default}
    return ", ".join(f"{name}={value}" for name, value in given.items())
