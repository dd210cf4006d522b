"""Polynomials: any family of counts that low-degree polynomials of the query are near to, one polynomial a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ...domain import Domain
from ...domain.decision_list import DecisionList
from ...errors import BadPlan, check_whole
from ...words import counted, listed, suggestion
from .base import Workload
from .decision_lists import DecisionLists
from .wide import AllOf, AnyOf, AtLeast, Wide

if TYPE_CHECKING:
    from ...maths.families.family import Family
    from ...maths.families.row_polynomials import RowPolynomials

__all__ = ["BIAS", "BUILT_IN", "Polynomials"]

BUILT_IN = ("all_of", "any_of", "at_least", "decision_lists")
# The source asks for any constant bias; this is the one its figures use.
BIAS = 0.05
# Digits of the digest that stand in the text form.
SHOWN = 16


@dataclass(frozen=True, eq=False)
class Polynomials(Workload):
    """Queries y of 0 and 1, to each of which every row answers by a polynomial in y [ThaUV12, Theorem 9].

    family  any_of, all_of, at_least or decision_lists; in Python also a Family of one's own
    width   most variables that a query sets to 1, for any_of, all_of and at_least
    degree  most variables in a product; the least with a bias of at most 0.05 unless given
    r       for at_least
    basis   monomial: products of variables, as published; parity: products of signs, with less noise
    """

    family: str | Family
    width: int | None = None
    degree: int | None = None
    r: int | None = None
    basis: Literal["monomial", "parity"] = "monomial"
    _bound: dict[str, RowPolynomials] = field(default_factory=dict, init=False, repr=False)
    name = "polynomials"

    def __post_init__(self) -> None:
        if self.own is not None:
            from ...maths.families.family import Family

            if not isinstance(self.own, Family):
                raise BadPlan(f"family must be a name or a Family, not a {type(self.own).__name__}")
            given = [key for key in ("width", "degree", "r") if getattr(self, key) is not None]
            if given or self.basis != "monomial":
                raise BadPlan(
                    f"a family of one's own says its {listed(given) or 'basis'} itself; give the family alone"
                )
            return
        if self.family not in BUILT_IN:
            known = f"there are {listed(BUILT_IN)}, and in Python families of one's own"
            raise BadPlan(f"no family '{self.family}'; {known}.{suggestion(str(self.family), BUILT_IN)}")
        if self.basis not in ("monomial", "parity"):
            raise BadPlan(f"basis must be monomial (as published) or parity, not {self.basis!r}")
        lists = self.family == "decision_lists"
        if lists == (self.width is not None):
            raise BadPlan(
                "decision_lists takes no width: every input may be asked" if lists else
                f"{self.family} needs the most variables that a query sets to 1, as in "
                f"polynomials(family={self.family}, width=8)"
            )  # fmt: skip
        if (self.family == "at_least") != (self.r is not None):
            raise BadPlan("r goes with at_least, as in polynomials(family=at_least, r=2, width=8)")
        if self.degree is not None:
            check_whole(self.degree, "degree", BadPlan, most=self.width, limit=f"the width {self.width}")
        if not lists:
            assert self.question

    @property
    def own(self) -> Family | None:
        """The family of one's own, if it is one."""
        return None if isinstance(self.family, str) else self.family

    @property
    def question(self) -> Wide:
        """The questions of a family of bits, as the workload that is known by the same name."""
        width: Any = self.width
        if self.family == "at_least":
            return AtLeast(width, r=self.r)  # type: ignore[arg-type]
        return (AnyOf if self.family == "any_of" else AllOf)(width)

    def bound(self, domain: Domain) -> RowPolynomials:
        """A family of one's own on a domain; tried there on public rows, once."""
        from ...maths.families.row_polynomials import bound

        assert self.own is not None
        if domain.digest not in self._bound:
            made = bound(self.own, [a.name for a in domain.closed], domain.sizes)
            made.check()
            self._bound[domain.digest] = made
        return self._bound[domain.digest]

    def column(self, domain: Domain) -> DecisionList:
        """The column of decision lists."""
        return DecisionLists(order=self.degree).column(domain)

    def check(self, domain: Domain) -> None:
        """Two-valued columns for bits, a column of lists for lists; a family of one's own is tried on public rows."""
        if self.own is not None:
            self.bound(domain)
        elif self.family == "decision_lists":
            DecisionLists(order=self.degree).check(domain)
        else:
            self.question.check(domain)
            if set(domain.sizes) != {2}:
                other = next(a for a in domain.closed if a.size != 2)
                raise BadPlan(
                    f"{self.family} as polynomials takes columns of two values, and {other.name} has "
                    f"{counted(other.size, 'value')}; release {self.question} for such tables"
                )

    def __str__(self) -> str:
        if self.own is not None:
            return f"{self.name}(family={self.own.name}, sha256={self.own.digest[:SHOWN]!r})"
        shown = {key: getattr(self, key) for key in ("family", "width", "degree", "r", "basis")}
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in shown.items() if value is not None)})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomials) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))
