"""Monomial: the published algorithm, kept to reproduce the sources and to show what the better basis gains."""

from __future__ import annotations

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...questions.workloads.base import Workload
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.wide import AnyOf, Wide
from ...words import counted
from ..allocation import forecast
from ..base import Design, of_kind
from ..low_order import LowOrder
from ..polynomials import least_degree, products
from ..wide_design import NoisyInteractions, WideDesign

__all__ = ["Monomial"]


class Monomial(LowOrder):
    """Counts of "all ones" for every set of at most t bits, one Laplace scale for all, Chebyshev's polynomial.

    The general sanitizer (`polynomials`) with the family of Lemma 11, asked in SQL's words; never chosen by the
    planner, because it is never better.
    """

    name = "monomial"
    source = "ThaUV12"
    by_name_only = True
    speaks_first = False

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[NoisyInteractions | WideDesign]:
        """Two-valued attributes and a pure epsilon only, as published."""
        workload.check(domain)
        if set(domain.sizes) != {2} or price.currency != "pure":
            raise BadPlan("the mechanism monomial takes two-valued attributes and a pure epsilon, as published")
        if isinstance(workload, Marginals):
            order = width = workload.width
        else:
            width = of_kind(workload, Wide).width  # type: ignore[type-abstract]
            order = least_degree(AnyOf(width), "monomial")
        interactions, noise = products(domain, order, price)
        numbers = interactions.length
        return Design(
            by=self,
            summary=f"{numbers:,} monomials of at most {counted(order, 'attribute')} with discrete Laplace noise",
            price=price,
            numbers=numbers,
            parameters=NoisyInteractions(interactions, noise, width),
            headline="" if isinstance(workload, Marginals) else "expected error",
            forecasts=tuple(forecast(interactions, noise, w) for w in range(1, order + 1)),
            memory=150_000_000 + 60 * numbers,
            work=1e6 * (len(domain.sizes) * 4e-8 + numbers * 4e-12),
        )
