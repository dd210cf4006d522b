"""Low-order release: noisy interactions of all sets of at most `width` attributes."""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING, cast

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan, TooLarge
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..models.linear.low_order import LowOrderModel
from ..questions.workloads.base import Workload
from ..questions.workloads.marginals import Marginals
from ..questions.workloads.wide import Wide
from ..words import counted
from .allocation import allocate, forecast
from .base import Design, Mechanism, of_kind
from .wide_design import ALIKE, NoisyInteractions, Shares, WideDesign, wide_design, widened
from .wide_orders import wide_forecast, wide_uses, worth_a_look
from .wide_release import measured, release_wide, statistic_of

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["MOST_NUMBERS", "LowOrder"]

MOST_NUMBERS = 20_000_000
# The contrasts of an attribute are a dense square matrix.
MOST_VALUES = 4096
# Wide workloads look no further: beyond it noise always grows faster than bias falls.
MOST_ORDER = 8
# Where nothing is decided by the data only even orders are guessed from: on real tables an odd one has the noise of the
# next and hardly less bias than the one below. docs/wide.md says what this was chosen on.
# The whole width is measured where its noise is so much below what is expected of the best guess.
UNBIASED = 0.7
# Measured cost of one row in one table and of one row's parity, seconds (one core); see benchmarks/.
SECONDS_PER_CELL, SECONDS_PER_PARITY, SECONDS_PER_VALUE = 1.5e-9, 4e-12, 4e-8


class LowOrder(Mechanism[NoisyInteractions | WideDesign]):
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
    ) -> Design[NoisyInteractions | WideDesign]:
        """A wide workload is measured at an order with about the least expected error, or one decided by a look."""
        workload.check(domain)
        _check_sizes(domain)
        if isinstance(workload, Marginals):
            return widened(self._at_order(domain, workload.width, price))
        wide = of_kind(workload, Wide)  # type: ignore[type-abstract]
        if rows is None:
            raise BadPlan(f"{workload} needs about how many rows there are: the order to measure depends on it")
        shares = Shares.of(price, wide, domain, rows)
        if not shares.looks:
            return wide_design(shares, wide, rows, self._expected(domain, shares, wide, rows))
        designs = self._every(domain, shares, wide, rows)
        kept = worth_a_look([design.parameters for design in designs], wide, rows)
        if len(kept) == 1:
            shares = shares.without_look()
            return wide_design(shares, wide, rows, [self._at_share(domain, kept[0], shares, wide, rows)])
        designs = [design for design in designs if design.parameters.interactions.order in kept]
        return wide_design(shares, wide, rows, designs)

    def _expected(self, domain: Domain, shares: Shares, wide: Wide, rows: int) -> list[Design[NoisyInteractions]]:
        """The one order that is best when nothing is known of the table, or that the workload names."""
        if wide.order is not None:
            return [self._at_share(domain, wide.order, shares, wide, rows)]
        guesses, exact = self._designs(domain, shares, wide, rows)
        least = min((design.error for design in guesses), default=inf)
        if exact is not None and exact.error <= UNBIASED * least:
            return [exact]
        return [next(design for design in guesses if design.error <= ALIKE * least)]

    def _every(self, domain: Domain, shares: Shares, wide: Wide, rows: int) -> list[Design[NoisyInteractions]]:
        """All orders that fit, up to the whole width."""
        designs = []
        for order in range(1, min(wide.width, MOST_ORDER) + 1):
            try:
                designs.append(self._at_share(domain, order, shares, wide, rows))
            except TooLarge:
                break
        return designs or [self._at_share(domain, 1, shares, wide, rows)]

    def _designs(
        self, domain: Domain, shares: Shares, wide: Wide, rows: int
    ) -> tuple[list[Design[NoisyInteractions]], Design[NoisyInteractions] | None]:
        """Those that guess from few attributes at a time, and the one that measures the whole width, if it fits."""
        guesses: list[Design[NoisyInteractions]] = []
        orders = [1] if wide.width == 2 else range(2, min(wide.width - 1, MOST_ORDER) + 1, 2)
        try:
            for order in orders:
                guesses.append(self._at_share(domain, order, shares, wide, rows))
            exact = self._at_share(domain, wide.width, shares, wide, rows) if wide.width <= MOST_ORDER else None
        except TooLarge:
            exact = None
        if not guesses and exact is None:
            guesses.append(self._at_share(domain, 1, shares, wide, rows))
        return guesses, exact

    def _at_share(self, domain: Domain, order: int, shares: Shares, wide: Wide, rows: int) -> Design[NoisyInteractions]:
        """One order, at what the price leaves for it."""
        return self._at_order(domain, order, shares.rest(whole_width=order >= wide.width), wide, rows)

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
            by=cast(Mechanism[NoisyInteractions], self),
            summary=f"{numbers:,} {kind} of at most {counted(order, 'attribute')} with {law.noise}",
            price=price,
            numbers=numbers,
            parameters=NoisyInteractions(interactions, noise, order if wide is None else wide.width),
            forecasts=tuple(forecasts),
            headline="" if wide is None else "expected error",
            memory=_memory(interactions),
            work=_work(interactions),
        )

    def release(self, door: Door, domain: Domain, design: Design[NoisyInteractions | WideDesign]) -> LowOrderModel:
        made = design.parameters
        return release_wide(door, domain, made) if isinstance(made, WideDesign) else measured(door, domain, made)


def _check_sizes(domain: Domain) -> None:
    widest = max(domain.closed, key=lambda attribute: attribute.size)
    if widest.size > MOST_VALUES:
        raise BadPlan(
            f"{widest.name} has {widest.size:,} values and interactions take at most {MOST_VALUES:,}; "
            "use fewer bins or values, or the mechanism tables"
        )


def _memory(interactions: InteractionLayout) -> int:
    counted = 0 if interactions.binary else InteractionLayout.cells(interactions.sizes, interactions.order)
    return 150_000_000 + 40 * interactions.length + 24 * counted


def _work(interactions: InteractionLayout) -> float:
    """Seconds per million rows: reading and coding, then counting."""
    d, t = len(interactions.sizes), interactions.order
    sets = prod(range(d - t + 1, d + 1)) / prod(range(1, t + 1))
    count = interactions.length * SECONDS_PER_PARITY if interactions.binary else sets * SECONDS_PER_CELL
    return 1e6 * (d * SECONDS_PER_VALUE + count)
