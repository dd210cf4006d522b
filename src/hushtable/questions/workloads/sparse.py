"""Sparse workloads: how many rows have one of these values, for any list of values, known in advance or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ...budget import Budget, Currency, Price
from ...domain import Domain
from ...domain.attributes import Attribute, Open, Uncoded
from ...errors import BadPlan, UnknownAttribute, check_whole, is_whole
from ...words import listed
from .base import Workload

__all__ = ["Conjunctions", "KeyWorkload", "Sparse"]

LARGEST_LIST = 10_000_000
MOST_FREE = 12
NARROWEST, WIDEST = 2**8, 2**24


class KeyWorkload(Workload, ABC):
    """Questions about lists of keys; a key is the value of one column, or of several together."""

    def price(self, budget: Budget, currency: Currency) -> Price:
        """A budget with delta is spent in epsilon and delta: few numbers change, so Laplace noise is smaller."""
        if budget.epsilon is None or budget.delta == 0:
            return budget.price_in(currency)
        return Price(currency="pure", amount=budget.epsilon, delta=budget.delta)

    buckets: int | None
    """How wide a hash sketch is, a power of two; chosen where it is None."""
    rare: bool
    """Whether rare values matter."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """How many keys the longest list has that forecasts speak of."""

    @abstractmethod
    def attributes(self, domain: Domain) -> tuple[Attribute, ...]:
        """The columns of the key; BadPlan where they cannot be one."""

    def counted_ranges(self, domain: Domain) -> tuple[str, ...]:
        """Those of the key, which is made of the labels of its columns."""
        key = {a.name for a in self.attributes(domain)}
        return tuple(a.name for a in domain.ranged if a.name in key)

    def check(self, domain: Domain) -> None:
        self.attributes(domain)


@dataclass(frozen=True)
class Sparse(KeyWorkload):
    """Any list of up to `size` values; longer ones are answered too, with larger errors than forecast.

    columns  the column of the values, or several whose values together are one; may be left out if one is open
    rare     false says that lists are mostly of absent or frequent values, and rare ones may count as absent
    buckets  how wide the hash sketch is, a power of two; chosen when it is left out
    """

    size: int
    columns: tuple[str, ...] | None = None
    rare: bool = True
    buckets: int | None = None
    name = "sparse"

    def __post_init__(self) -> None:
        check_whole(self.size, "size", BadPlan, most=LARGEST_LIST)
        if self.rare not in (True, False):
            raise BadPlan(f"rare is True or False, not {self.rare!r}")
        _check_buckets(self.buckets)
        if self.columns is not None:
            given: object = self.columns
            names = (given,) if isinstance(given, str) else tuple(map(str, self.columns))
            object.__setattr__(self, "columns", names)
            if not names or len(set(names)) < len(names):
                raise BadPlan("columns names at least one column, and each once: columns=[url]")

    @property
    def largest(self) -> int:
        """The size."""
        return self.size

    def attributes(self, domain: Domain) -> tuple[Attribute, ...]:
        """The named columns, or the one that is open."""
        if self.columns is None:
            unlisted = tuple(a for a in domain.attributes if isinstance(a, Open))
            if len(unlisted) != 1:
                have = (
                    f"the open attributes {listed([a.name for a in unlisted])}"
                    if unlisted
                    else "no attribute of kind open"
                )
                raise BadPlan(f"the domain has {have}; name the columns of the values: sparse(size=..., columns=[...])")
            return unlisted
        by_name = {a.name: a for a in domain.attributes}
        for name in self.columns:
            if name not in by_name:
                raise UnknownAttribute(name, known=domain.names)
            if isinstance(by_name[name], Uncoded) and not isinstance(by_name[name], Open):
                raise BadPlan(f"{name} {by_name[name].advice}")  # type: ignore[attr-defined]
        return tuple(by_name[name] for name in self.columns)

    def __str__(self) -> str:
        parts = [f"size={self.size}"]
        parts += [f"columns=[{', '.join(self.columns)}]"] if self.columns else []
        parts += [] if self.rare else ["rare=False"]
        parts += [f"buckets={self.buckets}"] if self.buckets else []
        return f"{self.name}({', '.join(parts)})"


@dataclass(frozen=True)
class Conjunctions(KeyWorkload):
    """Conditions on all but at most `free` columns of a table whose columns have two values each.

    Such a condition holds for 2^free of all possible rows, so it is a list of that many keys [BluR11, Remark 3.10].
    """

    free: int
    buckets: int | None = None
    name = "conjunctions"

    def __post_init__(self) -> None:
        check_whole(self.free, "free", BadPlan, least=0, most=MOST_FREE)
        _check_buckets(self.buckets)

    rare = True

    @property
    def largest(self) -> int:
        """All settings of the free columns."""
        return 1 << self.free

    def attributes(self, domain: Domain) -> tuple[Attribute, ...]:
        """All columns; each must have two values."""
        for a in domain.attributes:
            if a.size != 2:
                values = "unlisted values" if isinstance(a, Uncoded) else f"{a.size} values"
                raise BadPlan(
                    f"conjunctions need two values a column, and {a.name} has {values} "
                    "(a missing value counts as one; `missing: error` says there is none)"
                )
        if self.free > len(domain.attributes):
            raise BadPlan(f"{self.free} columns cannot be free: the domain has {len(domain.attributes)}")
        return domain.attributes


def _check_buckets(buckets: int | None) -> None:
    if buckets is not None and (not is_whole(buckets) or not NARROWEST <= buckets <= WIDEST or buckets & (buckets - 1)):
        raise BadPlan(f"buckets must be a power of two from {NARROWEST} to {WIDEST}, not {buckets!r}")
