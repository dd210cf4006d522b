"""Family: an explicit family of polynomials, one for every possible row, in the variables of a query."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Integral, Real
from typing import Any

from ...errors import BadPlan, check_whole
from ...words import counted, listed, suggestion
from .terms import QueryTerms

__all__ = ["MOST_TERMS", "Family"]

# Coefficients of one family; their squares must add up within 64 bits.
MOST_TERMS = 2_000_000
ROOM = 2**62


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """For every row a polynomial p_x(y) near f_x(y), what the row says to the query y [ThaUV12, Def. 8].

    name          what plans and files call it
    columns       what of a row it looks at, by name; a row is given as the codes of these columns
    variables     what a query sets to 0 or 1, by name
    coefficients  from a row, an array of codes, to whole numbers, one a term. It sees one row at a time: all cells of
                  the columns in turn where they are few, and nothing of the table; else it must compile with numba
    degree        most variables in a term
    exponents     the terms, as lists of variables, where they are not all of at most `degree`
    unit          what a coefficient of 1 is worth; one number, or one for each degree from 0 on
    between       least and most of a coefficient
    l1, l2        bounds on the length of a row's coefficients. Nobody believes them: what is beyond is cut to them
    width         most variables that a query may set to 1; all unless it is given
    gamma         most that p_x is off for such queries; one number, or one for each number of ones from 0 on
    truth         f_x(y), from a row and a query, if gamma is to be tried before anything is spent
    signs         whether a variable that is 1 counts as -1 and one that is 0 as 1, instead of 1 and 0
    """

    name: str
    columns: Sequence[str]
    variables: Sequence[str]
    coefficients: Callable[[Any], Any]
    degree: int
    l1: int
    l2: float
    gamma: float | Sequence[float] = 0.0
    exponents: Sequence[Sequence[str]] | None = None
    unit: float | Sequence[float] = 1.0
    between: tuple[int, int] | None = None
    width: int | None = None
    truth: Callable[[Any, Any], float] | None = None
    signs: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise BadPlan(f"a family is called by one word, not {self.name!r}")
        self._check_kinds()
        if not self.columns or not self.variables or len(set(self.variables)) < len(self.variables):
            raise BadPlan(f"{self.name}: name at least one column and one variable, each variable once")
        check_whole(self.degree, "degree", BadPlan, most=len(self.variables), limit=f"{len(self.variables)} variables")
        if self.width is not None:
            check_whole(
                self.width, "width", BadPlan, most=len(self.variables), limit=f"{len(self.variables)} variables"
            )
        check_whole(self.l1, "l1", BadPlan)
        if not callable(self.coefficients):
            raise BadPlan(f"{self.name}: coefficients must be a function of one row")
        if self.truth is not None and not callable(self.truth):
            raise BadPlan(f"{self.name}: truth must be a function of a row and a query, or left out")
        if not isfinite(self.l2) or self.l2 < 1:
            raise BadPlan(f"{self.name}: l2 must be a number of at least 1, not {self.l2!r}")
        self._check_numbers()

    def _check_kinds(self) -> None:
        """Names, terms and numbers are what they are called, before anything is computed from them."""
        for what, names in (("columns", self.columns), ("variables", self.variables)):
            if not _listed(names, str):
                raise BadPlan(f"{self.name}: {what} must be a list of names, not {str(names)[:40]!r}")
        terms = self.exponents
        if terms is not None and not (
            _listed(terms, Sequence) and all(isinstance(term, str) or _listed(term, Hashable) for term in terms)
        ):
            raise BadPlan(f"{self.name}: exponents must be a list of terms, each a list of variables")
        ends = self.between
        if ends is not None and not (_listed(ends, Integral) and len(ends) == 2):
            raise BadPlan(f"{self.name}: coefficients lie between two whole numbers with 0 among them, not {ends!r}")
        if not _is(self.l2, Real):
            raise BadPlan(f"{self.name}: l2 must be a number of at least 1, not {self.l2!r}")
        for what, given in (("unit", self.unit), ("gamma", self.gamma)):
            if not _is(given, Real) and not _listed(given, Real):
                raise BadPlan(f"{self.name}: {what} must be a number or a list of numbers, not {str(given)[:40]!r}")
        if not _is(self.signs, bool):
            raise BadPlan(f"{self.name}: signs must be True or False, not {self.signs!r}")

    def _check_numbers(self) -> None:
        low, high = self.range
        most = max(abs(low), abs(high))
        if not low <= 0 <= high or most == 0:
            raise BadPlan(
                f"{self.name}: coefficients lie between two whole numbers with 0 among them, not {self.between!r}"
            )
        if self.l1 > ROOM or self.squared > ROOM:
            raise BadPlan(f"{self.name}: l1={self.l1:g} and l2={self.l2:g} leave 64 bits; use a coarser unit")
        if len(self.terms) * most**2 > ROOM:
            raise BadPlan(
                f"{self.name}: {counted(len(self.terms), 'coefficient')} of up to {most:,} leave 64 bits; use a "
                f"coarser unit, so that none is beyond {int((ROOM / len(self.terms)) ** 0.5):,}"
            )
        for what, given, length in (("unit", self.units, self.degree + 1), ("gamma", self.gammas, self.most + 1)):
            if len(given) != length or not all(isfinite(number) for number in given) or min(given) < 0:
                raise BadPlan(f"{self.name}: {what} must be one number of at least 0, or {length} of them")

    @cached_property
    def terms(self) -> QueryTerms:
        """The products that its polynomials are made of."""
        m = len(self.variables)
        if self.exponents is None:
            numbers = QueryTerms.count(m, self.degree)
            if numbers > MOST_TERMS:
                fits = max((t for t in range(self.degree) if QueryTerms.count(m, t) <= MOST_TERMS), default=0)
                raise BadPlan(
                    f"{self.name}: degree {self.degree} has {numbers:,} terms and {MOST_TERMS:,} fit: "
                    f"use degree {fits}, or list exponents"
                )
            return QueryTerms(m, self.degree)
        if not 1 <= len(self.exponents) <= MOST_TERMS:
            raise BadPlan(f"{self.name}: {counted(len(self.exponents), 'term')}; 1 to {MOST_TERMS:,} fit")
        terms = tuple(self._term(given) for given in self.exponents)
        if len(set(terms)) < len(terms):
            twice = next(given for given, term in zip(self.exponents, terms, strict=True) if terms.count(term) > 1)
            raise BadPlan(f"{self.name}: the term ({listed(list(twice))}) is listed twice; list every term once")
        return QueryTerms(m, self.degree, terms)

    def _term(self, given: Sequence[str]) -> tuple[int, ...]:
        names, known = [given] if isinstance(given, str) else list(given), list(self.variables)
        for name in names:
            if name not in known:
                raise BadPlan(
                    f"{self.name}: no variable {name!r}; there are {listed(known)}.{suggestion(str(name), known)}"
                )
        members = tuple(sorted({known.index(name) for name in names}))
        if len(members) > self.degree:
            raise BadPlan(f"{self.name}: the term {listed(names)} is of more than degree {self.degree}")
        return members

    @cached_property
    def squared(self) -> int:
        """The bound on the sum of squares of a row's coefficients: l2 squared, where a root may have been rounded."""
        return int(Fraction(self.l2) ** 2 * (1 + Fraction(1, 10**12)))

    @cached_property
    def range(self) -> tuple[int, int]:
        """Least and most of a coefficient: as said, and never more than the lengths allow."""
        most = min(int(self.l1), int(self.l2))
        if self.between is None:
            return -most, most
        low, high = (int(end) for end in self.between)
        return max(low, -most), min(high, most)

    @property
    def most(self) -> int:
        """Most variables that a query may set to 1."""
        return self.width or len(self.variables)

    @cached_property
    def units(self) -> tuple[float, ...]:
        """What 1 is worth, by degree."""
        return _by_number(self.unit, self.degree + 1)

    @cached_property
    def gammas(self) -> tuple[float, ...]:
        """The bias, by how many variables a query sets to 1."""
        return _by_number(self.gamma, self.most + 1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that is said of it, and of the code of its function."""
        code = getattr(self.coefficients, "__code__", None)
        facts = [
            self.name, tuple(self.columns), tuple(self.variables), self.degree, self.terms.listed, self.l1,
            self.squared, self.range, self.units, self.gammas, self.most, self.signs,
            None if code is None else (code.co_code, repr(code.co_consts), code.co_names),
        ]  # fmt: skip
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def _is(given: object, kind: type) -> bool:
    """Whether a caller's value is of a kind, whatever its annotation says."""
    return isinstance(given, kind)


def _listed(given: object, kind: type) -> bool:
    """Whether it is a list of things of a kind; a text is none, though it is a sequence of texts."""
    return isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(one, kind) for one in given)


def _by_number(given: Any, length: int) -> tuple[float, ...]:
    """One number for all, or one each."""
    if isinstance(given, Sequence):
        return tuple(float(number) for number in given)
    return (float(given),) * length
