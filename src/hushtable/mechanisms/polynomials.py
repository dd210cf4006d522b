"""Polynomials: the general sanitizer, noise on the summed coefficients of the rows' polynomials in the query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan, TooLarge
from ..laws import Law
from ..maths.families.bits import bit_weights
from ..maths.families.terms import QueryTerms
from ..maths.interactions.layout import InteractionLayout
from ..maths.wide.list_polynomials import list_polynomials
from ..models.polynomials import Evaluator, PolynomialsModel
from ..questions.workloads.base import Workload
from ..questions.workloads.decision_lists import LONGEST_EXACT, DecisionLists
from ..questions.workloads.polynomials import BIAS, Polynomials
from ..questions.workloads.wide import Wide
from ..vault.door.noise import Noise
from ..vault.statistics.base import Statistic
from ..vault.statistics.decision_lists import DecisionListSums
from ..vault.statistics.list_monomials import ListMonomialSums
from ..vault.statistics.parities import Parities
from ..vault.statistics.polynomials import PolynomialSums
from ..words import counted, readable
from .allocation import allocate, uniform
from .base import Design, Forecast, Mechanism, of_kind
from .decision_lists import SECONDS_PER_ROW, SECONDS_PER_SET, DecisionListsRelease
from .long_lists import LongLists
from .wide_orders import wide_uses

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["PolynomialDesign", "PolynomialsRelease", "least_degree", "products"]

MOST_NUMBERS = 20_000_000
TOO_LONG = "decision_lists as polynomials take lists of up to 8 rules; release decision_lists() for longer ones"
# Where coefficients are multiples of less than this, a private number of rows has a share of its own, not their noise.
FINE, OF_ROWS = 1 / 16, Fraction(1, 50)


@dataclass(frozen=True, eq=False, kw_only=True)
class PolynomialDesign:
    """What is measured with which noise, and how that will answer queries."""

    statistic: Statistic
    noise: Noise
    evaluator: Evaluator
    rows_scale: Fraction
    scales: tuple[Fraction, ...]
    """The noise of coefficients, by degree from 0 on."""

    def stderr(self, ones: int) -> float:
        """Of the answer to a query that sets so many variables to 1, in rows; the number of rows left aside."""
        evaluator, query = self.evaluator, np.zeros(len(self.evaluator.variables), dtype=bool)
        query[:ones] = True
        each = np.array([self.noise.law.variance(scale) for scale in self.scales])
        return math.sqrt(float(evaluator.weights_at(query) ** 2 @ each[evaluator.terms.sizes]))


class PolynomialsRelease(Mechanism[PolynomialDesign]):
    """Every row is a polynomial in the query; the sum of all, with noise, answers every query [ThaUV12, Theorem 9].

    The noise is that of the exact norm of a row's coefficients, which the source's box leaves out. In the basis of
    products every coefficient has the same noise, as published; parities have the noise of low-order.
    """

    name = "polynomials"
    source = "ThaUV12"
    answers = (Polynomials,)

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[PolynomialDesign]:
        workload.check(domain)
        asked = of_kind(workload, Polynomials)
        if asked.own is not None:
            made, work = _own(domain, asked, price)
        elif asked.family == "decision_lists":
            made, work = _lists(domain, asked, price, rows)
        else:
            made, work = _bits(domain, asked, price)
        evaluator, law = made.evaluator, Law.of(price)
        degree, most = evaluator.terms.degree, evaluator.most
        numbers, bias = 1 + len(evaluator.terms), float(evaluator.gamma.max())
        stderr = made.stderr(most)
        near = f"bias at most {readable(float(f'{bias:.3g}'))}" if bias else "exact"
        return Design(
            by=self,
            summary=f"{counted(numbers - 1, 'coefficient')} of degree up to {degree} ({near}) with {law.noise}",
            price=price,
            numbers=numbers,
            parameters=made,
            words=("ones", "queries", "typical query", "worst query"),
            forecasts=(
                Forecast(
                    width=most,
                    tables=math.comb(len(evaluator.variables), most),
                    typical=stderr,
                    worst=stderr,
                    bias=bias,
                ),
            ),
            headline="a query's error",
            memory=150_000_000 + 100 * numbers,
            work=work,
        )

    def release(self, door: Door, domain: Domain, design: Design[PolynomialDesign]) -> PolynomialsModel:
        made = design.parameters
        seen = door.measure(made.statistic, made.noise)
        return PolynomialsModel(
            domain=domain,
            family=_family_of(made.statistic),
            law=made.noise.law,
            evaluator=made.evaluator,
            rows_scale=made.rows_scale,
            scales=made.scales,
            sums=seen.values,
        )


def _family_of(statistic: Statistic) -> str:
    return statistic.family.name if isinstance(statistic, PolynomialSums) else statistic.name


def products(domain: Domain, degree: int, price: Price) -> tuple[InteractionLayout, Noise]:
    """Products of at most `degree` bits, all with one scale of noise, as published; TooLarge beyond the cap."""
    layout = InteractionLayout(domain.sizes, _fitting(domain, degree), "monomial")
    return layout, uniform(Parities(layout), layout, unit=domain.unit, price=price)


def least_degree(question: Wide, basis: str) -> int:
    """The least degree at which the polynomial of the widest question has the bias that the source's figures use."""
    values, width = question.values(), question.width
    return next(t for t in range(1, width + 1) if t == width or bit_weights(values, t, basis).bias <= BIAS)


def _fitting(domain: Domain, degree: int) -> int:
    numbers = InteractionLayout.count(domain.sizes, degree)
    if numbers > MOST_NUMBERS:
        fits = max((t for t in range(1, degree) if InteractionLayout.count(domain.sizes, t) <= MOST_NUMBERS), default=0)
        raise TooLarge(order=degree, numbers=numbers, cap=MOST_NUMBERS, fits=fits, what="degree")
    return degree


def _bits(domain: Domain, asked: Polynomials, price: Price) -> tuple[PolynomialDesign, float]:
    """Any, all or at least r of two-valued columns: products of bits, or of signs."""
    question = asked.question
    degree = asked.degree or least_degree(question, asked.basis)
    if asked.basis == "monomial":
        layout, noise = products(domain, degree, price)
    else:
        layout = InteractionLayout(domain.sizes, _fitting(domain, degree))
        uses = wide_uses(layout, Law.of(price), question)
        noise = allocate(Parities(layout), layout, unit=domain.unit, price=price, uses=uses)
    known = [bit_weights(question.values_of(k), degree, asked.basis) for k in range(question.width + 1)]
    weights = np.array([one.weights for one in known])
    evaluator = Evaluator(
        variables=tuple(a.name for a in domain.closed),
        terms=QueryTerms(len(domain.sizes), degree, constant=False),
        signs=False,
        constant=weights[:, 0],
        weights=weights,
        gamma=np.array([one.bias for one in known]),
    )
    statistic = Parities(layout)
    scales = layout.scales(noise.law, noise.per_group)
    made = PolynomialDesign(
        statistic=statistic, noise=noise, evaluator=evaluator, rows_scale=scales.table[0], scales=scales.table
    )
    return made, 1e6 * (len(domain.sizes) * 4e-8 + layout.length * 4e-12)


def _own(domain: Domain, asked: Polynomials, price: Price) -> tuple[PolynomialDesign, float]:
    """A family of one's own: the same noise on every coefficient."""
    polynomials = asked.bound(domain)
    family = polynomials.family
    statistic = PolynomialSums(polynomials)
    private = domain.unit.private_rows
    if private and max(family.units) < FINE:
        noise = Noise.sharing(price, statistic, domain.unit, [OF_ROWS, 1 - OF_ROWS])
    else:
        noise = Noise.costing(price, statistic, domain.unit, [int(private), 1])
    evaluator = Evaluator(
        variables=tuple(family.variables),
        terms=family.terms,
        signs=family.signs,
        constant=np.zeros(family.most + 1),
        weights=np.array([family.units]),
        gamma=np.array(family.gammas),
    )
    rows_scale, scale = noise.per_group
    made = PolynomialDesign(
        statistic=statistic, noise=noise, evaluator=evaluator, rows_scale=rows_scale,
        scales=(scale,) * (family.degree + 1),
    )  # fmt: skip
    work = 1e6 * (len(domain.sizes) * 4e-8 + (0 if polynomials.listed else len(family.terms) * 2e-9))
    return made, work


def _published_lists(domain: Domain, asked: Polynomials, price: Price) -> tuple[PolynomialDesign, float]:
    """Decision lists in products of their inputs, all with one scale of noise [ThaUV12, Theorem 3]."""
    column, unit = asked.column(domain), domain.unit
    if column.most_rules > LONGEST_EXACT:
        raise BadPlan(TOO_LONG)
    orders = range(1, column.most_rules + 1)
    degree = asked.degree or next(t for t in orders if list_polynomials(column.most_rules, t).bias <= BIAS)
    numbers = 1 + InteractionLayout.count([2] * len(column.inputs), degree)
    if numbers > MOST_NUMBERS:
        raise BadPlan(f"degree {degree} needs {numbers:,} numbers and the cap is {MOST_NUMBERS:,}; use a lower degree")
    statistic = ListMonomialSums(column, degree)
    of_rows = OF_ROWS if unit.private_rows else Fraction(0)
    noise = Noise.sharing(price, statistic, unit, [of_rows, 1 - of_rows])
    rows_scale, scale = noise.per_group
    made = PolynomialDesign(
        statistic=statistic, noise=noise, evaluator=_list_evaluator(statistic, signs=False), rows_scale=rows_scale,
        scales=(scale,) * (statistic.order + 1),
    )  # fmt: skip
    return made, 1e6 * (SECONDS_PER_ROW + 2**column.most_rules * SECONDS_PER_SET)


def _list_evaluator(statistic: DecisionListSums, *, signs: bool) -> Evaluator:
    """A decision of 1 or -1 counts for twice its share."""
    inputs, m = statistic.attribute.inputs, statistic.inputs
    return Evaluator(
        variables=inputs,
        terms=QueryTerms(m, statistic.order),
        signs=signs,
        constant=np.full(m + 1, 0.5),
        weights=np.full((1, statistic.order + 1), 0.5 / 2**statistic.polynomials.grid),
        gamma=np.full(m + 1, float(statistic.polynomials.bias)),
    )


def _lists(domain: Domain, asked: Polynomials, price: Price, rows: int | None) -> tuple[PolynomialDesign, float]:
    """Decision lists in the parities of their inputs: what the mechanism decision-lists measures."""
    if asked.basis == "monomial":
        return _published_lists(domain, asked, price)
    design = DecisionListsRelease().design(domain, DecisionLists(order=asked.degree), price, rows)
    measured = design.parameters
    if isinstance(measured, LongLists):
        raise BadPlan(TOO_LONG)
    statistic, noise = measured
    made = PolynomialDesign(
        statistic=statistic, noise=noise, evaluator=_list_evaluator(statistic, signs=True),
        rows_scale=noise.per_group[0], scales=noise.per_group[1:],
    )  # fmt: skip
    return made, design.work
