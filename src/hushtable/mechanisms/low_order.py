"""Low-order release: noisy interactions of all sets of at most `width` attributes."""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING, NamedTuple

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan, TooLarge
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..models.linear.low_order import LowOrderModel
from ..questions.workloads.base import Workload
from ..questions.workloads.marginals import Marginals
from ..questions.workloads.wide import Wide
from ..vault.statistics import Parities, Residuals
from ..words import counted
from .allocation import allocate, forecast
from .base import Design, Mechanism, of_kind
from .wide_orders import wide_forecast, wide_uses

if TYPE_CHECKING:
    from ..vault.door.door import Door
    from ..vault.door.noise import Noise
    from ..vault.statistics.base import Statistic

__all__ = ["MOST_NUMBERS", "LowOrder", "statistic_of"]

MOST_NUMBERS = 20_000_000
# The contrasts of an attribute are a dense square matrix.
MOST_VALUES = 4096
# Wide workloads look no further: beyond it noise always grows faster than bias falls.
MOST_ORDER = 8
# The lowest order is taken whose expected error is at most this many times the least one: its noise is surely less,
# while what a higher order gains depends on the table. Only even orders are guessed from: on real tables an odd one
# has the noise of the next and hardly less bias than the one below. docs/wide.md says what this was chosen on.
ALIKE = 2.5
# The whole width is measured where its noise is so much below what is expected of the best guess.
UNBIASED = 0.7
# Measured cost of one row in one table and of one row's parity, seconds (one core); see benchmarks/.
SECONDS_PER_CELL, SECONDS_PER_PARITY, SECONDS_PER_VALUE = 1.5e-9, 4e-12, 4e-8


class NoisyInteractions(NamedTuple):
    """Which interactions, their noise, and the width of the questions they are for."""

    interactions: InteractionLayout
    noise: Noise
    width: int


class LowOrder(Mechanism[NoisyInteractions]):
    """Measures every interaction once, at noise that is least for the workload's tables; answers are unbiased.

    gdp, zcdp: the residual method with Gaussian noise, optimal among unbiased Gaussian mechanisms for
    marginals [XiaHZK23]; on two-valued attributes the interactions are parities [ThaUV12, BarCDKMT07].
    pure: the same basis with discrete Laplace noise.
    """

    name = "low-order"
    source = "XiaHZK23"
    answers = (Marginals, Wide)
    speaks_first = True

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[NoisyInteractions]:
        """A wide workload is measured at an order with about the least expected error."""
        workload.check(domain)
        _check_sizes(domain)
        if isinstance(workload, Marginals):
            return self._at_order(domain, workload.width, price)
        wide = of_kind(workload, Wide)  # type: ignore[type-abstract]
        if rows is None:
            raise BadPlan(f"{workload} needs about how many rows there are: the order to measure depends on it")
        if wide.order is not None:
            return self._at_order(domain, wide.order, price, wide, rows)
        guesses, exact = self._designs(domain, price, wide, rows)
        least = min((design.error for design in guesses), default=inf)
        if exact is not None and exact.error <= UNBIASED * least:
            return exact
        return next(design for design in guesses if design.error <= ALIKE * least)

    def _designs(
        self, domain: Domain, price: Price, wide: Wide, rows: int
    ) -> tuple[list[Design[NoisyInteractions]], Design[NoisyInteractions] | None]:
        """Those that guess from few attributes at a time, and the one that measures the whole width, if it fits."""
        guesses: list[Design[NoisyInteractions]] = []
        orders = [1] if wide.width == 2 else range(2, min(wide.width - 1, MOST_ORDER) + 1, 2)
        try:
            for order in orders:
                guesses.append(self._at_order(domain, order, price, wide, rows))
            exact = self._at_order(domain, wide.width, price, wide, rows) if wide.width <= MOST_ORDER else None
        except TooLarge:
            exact = None
        if not guesses and exact is None:
            guesses.append(self._at_order(domain, 1, price, wide, rows))
        return guesses, exact

    def _at_order(
        self, domain: Domain, order: int, price: Price, wide: Wide | None = None, rows: int = 1
    ) -> Design[NoisyInteractions]:
        sizes = domain.sizes
        numbers = InteractionLayout.count(sizes, order)
        if numbers > MOST_NUMBERS:
            fits = max((t for t in range(1, order) if InteractionLayout.count(sizes, t) <= MOST_NUMBERS), default=0)
            raise TooLarge(order=order, numbers=numbers, cap=MOST_NUMBERS, fits=fits)
        interactions = InteractionLayout(sizes, order)
        law = Law.of(price)
        uses = None if wide is None else wide_uses(interactions, law, wide)
        noise = allocate(statistic_of(interactions), interactions, unit=domain.unit, price=price, uses=uses)
        forecasts = [forecast(interactions, noise, width) for width in range(1, order + 1)]
        if wide is not None:
            forecasts.append(wide_forecast(interactions, noise, wide, rows))
        kind = "parities" if interactions.binary else "interactions"
        return Design(
            by=self,
            summary=f"{numbers:,} {kind} of at most {counted(order, 'attribute')} with {law.noise}",
            price=price,
            numbers=numbers,
            parameters=NoisyInteractions(interactions, noise, order if wide is None else wide.width),
            forecasts=tuple(forecasts),
            headline="" if wide is None else "expected error",
            memory=_memory(interactions),
            work=_work(interactions),
        )

    def release(self, door: Door, domain: Domain, design: Design[NoisyInteractions]) -> LowOrderModel:
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


def statistic_of(interactions: InteractionLayout) -> Statistic:
    """Parities where all attributes have two values, else residuals: the same numbers, counted faster."""
    return Parities(interactions) if interactions.binary else Residuals(interactions)


def _memory(interactions: InteractionLayout) -> int:
    counted = 0 if interactions.binary else InteractionLayout.cells(interactions.sizes, interactions.order)
    return 150_000_000 + 40 * interactions.length + 24 * counted


def _work(interactions: InteractionLayout) -> float:
    """Seconds per million rows: reading and coding, then counting."""
    d, t = len(interactions.sizes), interactions.order
    sets = prod(range(d - t + 1, d + 1)) / prod(range(1, t + 1))
    count = interactions.length * SECONDS_PER_PARITY if interactions.binary else sets * SECONDS_PER_CELL
    return 1e6 * (d * SECONDS_PER_VALUE + count)
