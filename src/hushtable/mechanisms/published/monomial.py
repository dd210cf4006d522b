"""Monomial: the published algorithm, kept to reproduce the sources and to show what the better basis gains."""

from __future__ import annotations

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan, TooLarge
from ...maths.interactions.layout import InteractionLayout
from ...maths.wide.polynomials import chebyshev_or
from ...questions.workloads.base import Workload
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.wide import Wide
from ...words import counted
from ..allocation import forecast, uniform
from ..base import Design, of_kind
from ..low_order import MOST_NUMBERS, LowOrder
from ..wide_design import NoisyInteractions, WideDesign
from ..wide_release import statistic_of

__all__ = ["Monomial"]

# The source asks for any constant bias; this is the one its figures use.
BIAS = 0.05


class Monomial(LowOrder):
    """Counts of "all ones" for every set of at most t bits, one Laplace scale for all, Chebyshev's polynomial.

    The same path as low-order with another basis; never chosen by the planner, because it is never better.
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
            order = _degree(width)
        numbers = InteractionLayout.count(domain.sizes, order)
        if numbers > MOST_NUMBERS:
            raise TooLarge(order=order, numbers=numbers, cap=MOST_NUMBERS, fits=0)
        interactions = InteractionLayout(domain.sizes, order, "monomial")
        noise = uniform(statistic_of(interactions), interactions, unit=domain.unit, price=price)
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


def _degree(width: int) -> int:
    """The least degree at which the published polynomial has the bias its figures use."""
    return next(t for t in range(1, width + 1) if t == width or chebyshev_or(width, t).bias <= BIAS)
