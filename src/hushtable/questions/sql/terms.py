"""Terms: what a SELECT asks for, as counts, means, sums, quantiles and deviations, and arithmetic with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain.predicate import Predicate
from ..measure import Measure

if TYPE_CHECKING:
    from .groups import Grouping

__all__ = ["Arithmetic", "CountOf", "Known", "MeanOf", "QuantileAt", "Rounded", "ShareOf", "SpreadOf", "SumOf", "Term",
           "TotalOf"]  # fmt: skip


@dataclass(frozen=True)
class Term:
    """Something that has a value in every group."""


@dataclass(frozen=True)
class Known(Term):
    """A number of the question itself."""

    value: float


@dataclass(frozen=True)
class CountOf(Term):
    """The number of rows that meet a condition, or (`relative`) their share of all rows of the table."""

    where: Predicate | None = None
    relative: bool = False


@dataclass(frozen=True)
class ShareOf(Term):
    """The share of the rows of the group for which `part` is true, among those for which `among` is."""

    part: Predicate
    among: Predicate | None = None


@dataclass(frozen=True)
class MeanOf(Term):
    """The mean of a column, or of what its codes are worth, over the rows that have a value."""

    measure: Measure
    where: Predicate | None = None


@dataclass(frozen=True)
class SumOf(Term):
    """The sum of a column, or of what its codes are worth."""

    measure: Measure
    where: Predicate | None = None


@dataclass(frozen=True)
class QuantileAt(Term):
    """The value below which a share of the rows lies."""

    column: int
    level: float
    where: Predicate | None = None


@dataclass(frozen=True)
class SpreadOf(Term):
    """The variance of a column or its root; `sample`: with one row less below the line."""

    column: int
    root: bool
    sample: bool
    where: Predicate | None = None


@dataclass(frozen=True)
class TotalOf(Term):
    """The same for all rows that agree in some of the groups: sum(...) OVER (PARTITION BY ...)."""

    term: Term
    partition: tuple[Grouping, ...]


@dataclass(frozen=True)
class Arithmetic(Term):
    """left + right, and so on."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Rounded(Term):
    """Rounded to so many decimals, for the eye: the interval stays."""

    term: Term
    decimals: int
