"""Low-order release: noisy interactions of all sets of at most `width` attributes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, cast

from ..allocation import allocate, forecast
from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan, TooLarge, counted
from ..interactions import Interactions, Law
from ..models.low_order import LowOrderModel
from ..vault.statistics import Parities, Residuals
from ..wide_plan import wide_forecast, wide_uses
from ..workloads.base import Workload
from ..workloads.marginals import Marginals
from ..workloads.wide import Wide
from .base import Design, Mechanism

if TYPE_CHECKING:
    from ..vault.door import Door
    from ..vault.statistics.base import Statistic

__all__ = ["MOST_NUMBERS", "LowOrder", "statistic_of"]

MOST_NUMBERS = 20_000_000
# The contrasts of an attribute are a dense square matrix.
MOST_VALUES = 4096
# Wide workloads look no further: beyond it noise always grows faster than bias falls.
MOST_ORDER = 8
# Among orders whose expected errors are this much alike the highest is taken: its certified bias is smaller.
ALIKE = 1.15
# Measuring the whole width leaves no bias at all; that is worth more than twice the error expected of a guess.
UNBIASED = 2.5
# Measured cost of one row in one table and of one row's parity, seconds (one core); see benchmarks/.
SECONDS_PER_CELL, SECONDS_PER_PARITY, SECONDS_PER_VALUE = 1.5e-9, 4e-12, 4e-8


class LowOrder(Mechanism):
    """Measures every interaction once, at noise that is least for the workload's tables; answers are unbiased.

    zcdp: the residual method with discrete Gaussian noise, optimal among unbiased Gaussian mechanisms for
    marginals [XiaHZK23]; on two-valued attributes the interactions are parities [ThaUV12, BarCDKMT07].
    pure: the same basis with discrete Laplace noise.
    """

    name = "low-order"
    source = "XiaHZK23"

    def suits(self, workload: Workload) -> bool:
        """Marginals of any width, and wide workloads."""
        return isinstance(workload, (Marginals, Wide))

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design:
        """See Mechanism. A wide workload is measured at the order with the least expected error."""
        workload.check(domain)
        _check_sizes(domain)
        if isinstance(workload, Marginals):
            return self._at_order(domain, workload.width, price)
        wide = cast(Wide, workload)
        if rows is None:
            raise BadPlan(f"{workload} needs about how many rows there are: the order to measure depends on it")
        if wide.order is not None:
            return self._at_order(domain, wide.order, price, wide, rows)
        designs = []
        for order in range(1, min(wide.width, MOST_ORDER) + 1):
            try:
                designs.append(self._at_order(domain, order, price, wide, rows))
            except TooLarge:
                break
        least = min(design.forecasts[-1].typical for design in designs)
        exact = designs[-1] if len(designs) == wide.width else None
        if exact is not None and exact.forecasts[-1].typical <= UNBIASED * least:
            return exact
        return [design for design in designs if design.forecasts[-1].typical <= ALIKE * least][-1]

    def _at_order(self, domain: Domain, order: int, price: Price, wide: Wide | None = None, rows: int = 1) -> Design:
        sizes = domain.sizes
        numbers = Interactions.count(sizes, order)
        if numbers > MOST_NUMBERS:
            fits = max((t for t in range(1, order) if Interactions.count(sizes, t) <= MOST_NUMBERS), default=0)
            raise TooLarge(order=order, numbers=numbers, cap=MOST_NUMBERS, fits=fits)
        interactions = Interactions(sizes, order)
        law: Law = "laplace" if price.currency == "pure" else "gaussian"
        uses = None if wide is None else wide_uses(interactions, law, wide)
        noise = allocate(statistic_of(interactions), interactions, law=law, unit=domain.unit, price=price, uses=uses)
        forecasts = [forecast(interactions, noise, width) for width in range(1, order + 1)]
        if wide is not None:
            forecasts.append(wide_forecast(interactions, noise, wide, rows))
        kind = "parities" if interactions.binary else "interactions"
        return Design(
            mechanism=self.name,
            summary=f"{numbers:,} {kind} of at most {counted(order, 'attribute')} with discrete {law.title()} noise",
            price=price,
            numbers=numbers,
            parameters=(interactions, noise, order if wide is None else wide.width),
            forecasts=tuple(forecasts),
            memory=_memory(interactions),
            work=_work(interactions),
        )

    def release(self, door: Door, domain: Domain, design: Design) -> LowOrderModel:
        """See Mechanism."""
        interactions, noise, width = design.parameters
        seen = door.measure(statistic_of(interactions), noise)
        return LowOrderModel(
            domain=domain,
            law=noise.law,
            order=interactions.order,
            group_scales=noise.per_group,
            coordinates=seen.values,
            width=width,
            basis=interactions.basis,
        )


def _check_sizes(domain: Domain) -> None:
    widest = max(domain.closed, key=lambda attribute: attribute.size)
    if widest.size > MOST_VALUES:
        raise BadPlan(
            f"{widest.name} has {widest.size:,} values and interactions take at most {MOST_VALUES:,}; "
            "use fewer bins or values, or the mechanism tables"
        )


def statistic_of(interactions: Interactions) -> Statistic:
    """Parities where all attributes have two values, else residuals: the same numbers, counted faster."""
    return Parities(interactions) if interactions.binary else Residuals(interactions)


def _memory(interactions: Interactions) -> int:
    counted = 0 if interactions.binary else Interactions.cells(interactions.sizes, interactions.order)
    return 150_000_000 + 40 * interactions.length + 24 * counted


def _work(interactions: Interactions) -> float:
    """Seconds per million rows: reading and coding, then counting."""
    d, t = len(interactions.sizes), interactions.order
    sets = prod(range(d - t + 1, d + 1)) / prod(range(1, t + 1))
    count = interactions.length * SECONDS_PER_PARITY if interactions.binary else sets * SECONDS_PER_CELL
    return 1e6 * (d * SECONDS_PER_VALUE + count)
