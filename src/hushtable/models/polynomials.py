"""PolynomialsModel: the noisy coefficients of a family of polynomials, summed over rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadSynopsis
from ..laws import Law
from ..maths.families.terms import QueryTerms
from ..questions.answer import Answer, CrossTab
from ..questions.polynomial_queries import PolynomialQuery, parse_query, read_queries
from ..words import listed
from .base import Model
from .build_answer import Estimates, Wording, build_answer, unit_of
from .limits import OfNoisyRows
from .reading import noise_scale, read_law
from .sections import Bars, Section

__all__ = ["Evaluator", "PolynomialsModel"]

Floats = NDArray[np.float64]
LARGEST = 1e30
# Variables in the picture of a report.
MOST_SHOWN = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluator:
    """How noisy coefficients answer a query; all of it public, and known before any row is read.

    p(y) = constant_k + sum over terms of weight_k,i coefficient x term(y), where k variables are 1 in y and i in the
    term.
    """

    variables: tuple[str, ...]
    terms: QueryTerms
    signs: bool
    constant: Floats
    """By how many variables are 1 in the query, as a share of the rows."""
    weights: Floats
    """A line by how many variables are 1 in the query, a column by degree; one line where all are alike."""
    gamma: Floats
    """The bias by how many variables are 1; so many may be."""

    @property
    def most(self) -> int:
        """How many variables a query may set to 1."""
        return len(self.gamma) - 1

    def weights_at(self, query: NDArray[np.bool_]) -> Floats:
        """What every coefficient counts for."""
        line = self.weights[min(int(query.sum()), len(self.weights) - 1)]
        found: Floats = line[self.terms.sizes] * self.terms.at(query, signs=self.signs)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class PolynomialsModel(Model):
    """Answers every query of a family by its polynomial: the source's evaluator [ThaUV12, Theorem 9]."""

    kind = "polynomials"
    domain: Domain
    family: str
    law: Law
    evaluator: Evaluator
    rows_scale: Fraction
    scales: tuple[Fraction, ...]
    """The noise of coefficients, by degree from 0 on."""
    sums: NDArray[np.int64]
    """The number of rows, then the coefficients."""

    @property
    def form(self) -> int:
        """Nobody knew of it before."""
        return 5

    def row_count(self) -> tuple[float, float]:
        return float(self.sums[0]), self.law.discrete_variance(self.rows_scale) ** 0.5

    def parse(self, text: str) -> PolynomialQuery:
        return parse_query(text, self.evaluator.variables, self.evaluator.most)

    def answer(self, question: PolynomialQuery, *, count: bool = False) -> Answer | CrossTab:
        """One query."""
        note = f"variables not named are 0: {listed(question.unnamed)}"
        notes = (note,) if question.unnamed else ()
        return build_answer(
            self._wording(question.text, count=count, notes=notes), self._estimates(question.ones[None], count=count)
        )

    def evaluate_queries(self, queries: Any, *, count: bool = False) -> CrossTab:
        """Many queries, a row of 0 and 1 each."""
        asked = read_queries(queries, len(self.evaluator.variables), self.evaluator.most)
        texts = tuple("".join(map(str, row.astype(int))) for row in asked)
        wording = self._wording("polynomials", count=count, groups={"query": texts})
        table = build_answer(wording, self._estimates(asked, count=count))
        assert isinstance(table, CrossTab)
        return table

    def _wording(self, text: str, *, count: bool, **more: Any) -> Wording:
        estimator = "polynomial" if self.evaluator.gamma.any() else "exact"
        return Wording(question=text, unit=unit_of(count=count), law=self.law, estimator=estimator, **more)

    def _estimates(self, queries: NDArray[np.bool_], *, count: bool) -> Estimates:
        """A share under add-remove is a ratio to a noisy number of rows; its standard error is of first order."""
        columns = np.array([self._estimate(query, count=count) for query in queries]).reshape(-1, 4).T
        named = {"value": columns[0], "stderr": columns[1], "bias": columns[2], "kurtosis": columns[3]}
        rows, spread = self.row_count()
        if count or not spread:
            return Estimates(**named)
        constant = self.evaluator.constant[queries.sum(axis=1)]
        limits = OfNoisyRows(**named, rows=max(rows, 1.0), spread=spread, constant=constant)
        return Estimates(**named, limits=limits)

    def _estimate(self, query: NDArray[np.bool_], *, count: bool) -> tuple[float, float, float, float]:
        ones, rows = int(query.sum()), max(float(self.sums[0]), 1.0)
        constant, gamma = float(self.evaluator.constant[ones]), float(self.evaluator.gamma[ones])
        weights = self.evaluator.weights_at(query)
        total, unit = float(weights @ self.sums[1:]), 1.0 if count else rows
        value = constant * float(self.sums[0]) + total if count else constant + total / rows
        # The bias of a count is a share of the true number of rows, not of the released one.
        of_rows = abs(constant) + gamma if count else constant - value
        variance, fourth = (
            of_rows**power * cumulant(self.rows_scale) + float(weights**power @ own)
            for power, cumulant, own in (
                (2, self.law.variance, self._variances), (4, self.law.fourth, self._fourths),
            )
        )  # fmt: skip
        return value, variance**0.5 / unit, gamma * (rows if count else 1.0), fourth / variance**2 if variance else 0.0

    @cached_property
    def _variances(self) -> Floats:
        return np.array([self.law.variance(scale) for scale in self.scales])[self.evaluator.terms.sizes]

    @cached_property
    def _fourths(self) -> Floats:
        return np.array([self.law.fourth(scale) for scale in self.scales])[self.evaluator.terms.sizes]

    def sections(self) -> tuple[Section, ...]:
        """Each variable on its own, with all others 0."""
        names = self.evaluator.variables[:MOST_SHOWN]
        queries = np.eye(len(self.evaluator.variables), dtype=bool)[: len(names)]
        answers = build_answer(
            self._wording(self.family, count=False, groups={"query": names}), self._estimates(queries, count=False)
        )
        low, high = answers.interval(0.95)
        picture = Bars(
            caption=self.family, labels=list(names), value=np.asarray(answers.value), low=np.asarray(low),
            high=np.asarray(high),
        )  # fmt: skip
        text = (
            f"Queries of the family {self.family} that set one variable to 1 and all others to 0, as shares of the "
            "rows, with 95% error bars. Any other query can be asked."
        )
        return (Section(heading="Queries", text=text, parts=((picture,),)),)

    def parameters(self) -> dict[str, Any]:
        evaluator = self.evaluator
        listed_terms = {} if evaluator.terms.listed is None else {"terms": len(evaluator.terms.listed)}
        return {
            "family": self.family,
            "variables": list(evaluator.variables),
            "degree": evaluator.terms.degree,
            "constant_term": evaluator.terms.constant,
            "signs": evaluator.signs,
            "constant": evaluator.constant.tolist(),
            "weights": evaluator.weights.tolist(),
            "gamma": evaluator.gamma.tolist(),
            "law": self.law,
            "rows_scale": str(self.rows_scale),
            "scales": [str(scale) for scale in self.scales],
        } | listed_terms

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        terms = self.evaluator.terms
        exponents = {} if terms.listed is None else {"exponents": terms.members.astype(np.int64).ravel()}
        return {"coefficients": self.sums} | exponents

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        variables, degree = parameters["variables"], parameters["degree"]
        if not isinstance(variables, list) or type(degree) is not int or not 1 <= degree <= len(variables) <= 32_000:
            raise BadSynopsis("the synopsis has a family of a degree or of variables that cannot be")
        if "terms" in parameters:
            terms = parameters["terms"]
            if type(terms) is not int or terms < 1:
                raise BadSynopsis("the synopsis has a family of so many terms as cannot be")
            return {"coefficients": 1 + terms, "exponents": terms * degree}
        return {"coefficients": QueryTerms.count(len(variables), degree) + bool(parameters["constant_term"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> PolynomialsModel:
        law, degree = read_law(parameters["law"]), parameters["degree"]
        scales = tuple(noise_scale(s, law) for s in parameters["scales"])
        evaluator = Evaluator(
            variables=tuple(_name(name) for name in parameters["variables"]),
            terms=_terms(parameters, numbers),
            signs=parameters["signs"] is True,
            constant=_numbers(parameters["constant"]),
            weights=np.array([_numbers(line) for line in parameters["weights"]]),
            gamma=_numbers(parameters["gamma"]),
        )
        fits = len(evaluator.constant) == len(evaluator.gamma) == evaluator.most + 1 <= len(evaluator.variables) + 1
        lines = len(evaluator.weights) in (1, evaluator.most + 1) and evaluator.weights.shape[1:] == (degree + 1,)
        if not fits or not lines or len(scales) != degree + 1 or min(evaluator.gamma) < 0:
            raise BadSynopsis("the synopsis has a family whose numbers do not fit each other")
        return cls(domain=domain, family=_name(parameters["family"]), law=law, evaluator=evaluator, scales=scales,
                   rows_scale=noise_scale(parameters["rows_scale"], law), sums=numbers["coefficients"])  # fmt: skip


def _terms(parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> QueryTerms:
    variables, degree = len(parameters["variables"]), parameters["degree"]
    if "terms" not in parameters:
        return QueryTerms(variables, degree, constant=parameters["constant_term"] is True)
    members = numbers["exponents"].reshape(-1, degree)
    if members.min(initial=0) < 0 or members.max(initial=0) > variables:
        raise BadSynopsis("the synopsis has terms of variables that it does not have")
    return QueryTerms.read(variables, degree, members)


def _numbers(given: Any) -> Floats:
    """A list of plain numbers that nothing computed from them can overflow."""
    if not isinstance(given, list) or not all(
        type(n) in (int, float) and isfinite(n) and abs(n) < LARGEST for n in given
    ):
        raise BadSynopsis("the synopsis has a list of numbers that is none")
    return np.array(given, dtype=np.float64)


def _name(given: Any) -> str:
    if not isinstance(given, str):
        raise BadSynopsis("the synopsis has a name that is no text")
    return given
