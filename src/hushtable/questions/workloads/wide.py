"""Wide workloads: questions about many attributes, answered from what is measured of few at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...budget import Budget
from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...words import counted
from .base import Other, Workload, uncoded

__all__ = ["AllOf", "AnyOf", "AtLeast", "Predicates", "Wide"]

# The share of the budget that buys held-out questions, unless another is given; and the most that may be given.
CALIBRATION, MOST_CALIBRATION = 0.03, 0.5


@dataclass(frozen=True)
class Wide(Workload, ABC):
    """Questions about up to `width` attributes; the planner chooses how many to measure together."""

    finds_cells = True
    width: int
    order: int | None = None
    """How many attributes to measure together; the planner's choice unless given."""
    calibration: float | None = field(default=None, kw_only=True)
    """The share of the budget that tells how far answers are off: 0.03 unless given; 0 leaves certified intervals."""

    def __post_init__(self) -> None:
        check_whole(self.width, "width", BadPlan)
        share = self.calibration_share
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= MOST_CALIBRATION:
            raise BadPlan(
                f"calibration is a share of the budget from 0 (none) to {MOST_CALIBRATION:g}, not {self.calibration!r}"
            )
        if self.order is not None:
            check_whole(self.order, "order", BadPlan, most=self.width, limit=f"the width {self.width}")

    @property
    def calibration_share(self) -> float:
        """The share of the budget for held-out questions."""
        return CALIBRATION if self.calibration is None else self.calibration

    def check(self, domain: Domain) -> None:
        """At least one attribute with codes, and no wider than there are attributes."""
        have = len(domain.closed)
        if have == 0:
            raise BadPlan(
                f"the domain has no attribute with listed values; there is nothing to ask about{uncoded(domain)}"
            )
        if self.width > have:
            text = f"width {self.width} is more than the domain's {counted(have, 'attribute')}"
            raise BadPlan(f"{text} with listed values; use width={have} or less{uncoded(domain)}")

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterator[Other]:
        """Why this many attributes are measured together: what one fewer and one more would give."""
        chosen = widths - 1  # the last forecast is that of the workload itself
        if self.order is None and chosen > 1:
            fewer = replace(self, order=chosen - 1)
            yield Other(workload=fewer, remark="larger certified bias {bias}", by_rows=True)
        if self.order is None and chosen < self.width:
            more = replace(self, order=chosen + 1)
            yield Other(workload=more, remark="more noise, certified bias {bias}", by_rows=True)

    def values(self) -> tuple[float, ...]:
        """The typical question, by how many of its `width` conditions hold."""
        return self.values_of(self.width)

    @abstractmethod
    def values_of(self, width: int) -> tuple[float, ...]:
        """The typical question about so many attributes."""

    def kinds_of(self, width: int) -> tuple[tuple[float, ...], ...]:
        """The kinds of questions about so many attributes by which it is measured how far answers are off."""
        return (self.values_of(width),)


@dataclass(frozen=True)
class Predicates(Wide):
    """Any WHERE clause: general ones up to 12 attributes, any, all, at_least and exactly up to `width`."""

    name = "predicates"

    def values_of(self, width: int) -> tuple[float, ...]:
        """No question is typical; `any of` stands for them, as no other is harder to approximate."""
        return (0.0, *[1.0] * width)

    def kinds_of(self, width: int) -> tuple[tuple[float, ...], ...]:
        """Any, all, and at least r for every r between."""
        return tuple(tuple(float(ones >= least) for ones in range(width + 1)) for least in range(1, width + 1))


@dataclass(frozen=True)
class OfColumns(Wide):
    """Questions about sets of columns, which may be drawn by a chance of each column instead of by their width."""

    p: float | None = field(default=None, kw_only=True)
    """How likely each column is to be in a question; then the mechanism `tree` measures means over sets drawn so."""

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.p
        if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1):
            raise BadPlan(f"p is how likely each column is to be in a question, between 0 and 1, not {given!r}")

    @property
    def only_by(self) -> str | None:
        """Sets by a chance of each column are the business of one mechanism."""
        return None if self.p is None else "tree"


@dataclass(frozen=True)
class AnyOf(OfColumns):
    """At least one of up to `width` conditions."""

    name = "any_of"

    def values_of(self, width: int) -> tuple[float, ...]:
        """True from one condition on."""
        return (0.0, *[1.0] * width)


@dataclass(frozen=True)
class AllOf(OfColumns):
    """All of up to `width` conditions."""

    name = "all_of"

    def values_of(self, width: int) -> tuple[float, ...]:
        """True when every condition holds."""
        return (*[0.0] * width, 1.0)


@dataclass(frozen=True)
class AtLeast(Wide):
    """At least `r` of up to `width` conditions."""

    r: int = 1
    name = "at_least"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.r, "r", BadPlan, most=self.width, limit=f"the width {self.width}")

    def values_of(self, width: int) -> tuple[float, ...]:
        """True from r conditions on; of fewer than r, when all hold."""
        return tuple(float(ones >= min(self.r, width)) for ones in range(width + 1))
