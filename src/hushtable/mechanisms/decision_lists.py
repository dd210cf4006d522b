"""Decision lists: noise on the parities of the rows' lists; one release answers every input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..budget import Price, Unit
from ..domain import Domain
from ..domain.decision_list import DecisionList
from ..errors import BadPlan
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..models.decision_lists import DecisionListsModel
from ..questions.workloads.base import Workload
from ..questions.workloads.decision_lists import LONGEST_EXACT, DecisionLists
from ..vault.door.noise import Noise
from ..vault.statistics.decision_lists import DecisionListSums
from ..words import counted, readable
from .allocation import least_variance_root
from .base import Design, Forecast, Measuring, Mechanism, of_kind, options_text
from .long_lists import POLYNOMIALS, LongLists, long_list_design, release_long_lists

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["SECONDS_PER_ROW", "SECONDS_PER_SET", "DecisionListsRelease"]

MOST_NUMBERS = 20_000_000
# Measured cost of one set of rules of one row and of reading one list that no other row has, seconds (one core).
SECONDS_PER_SET, SECONDS_PER_ROW = 1e-8, 1.2e-5
ROUNDS = 300


@dataclass(frozen=True)
class DecisionListsRelease(Mechanism[Measuring[DecisionListSums] | LongLists]):
    """Rows are decision lists, questions are inputs [ThaUV12, Sec. 4.3].

    By Parseval one row's coefficients have length 1 together, however many sets there are, so the noise of one
    number does not grow with the number of inputs; an answer adds up all of them with signs. Long sets are many, and
    a decision list has little weight on them, so each size of set has its own noise, which makes the answer's
    variance least at the given price.

    Lists of more than 8 rules are sums of polynomials, a rule each, and how far that is off is measured (`LongLists`).
    """

    polynomials: str | None = None
    """Of lists of more than 8 rules: those of ORs of the first rules (prefix), or the one linear program of least bias
    (single); what a forecast finds better unless given."""

    name = "decision-lists"
    source = "ThaUV12"
    answers = (DecisionLists,)

    def __post_init__(self) -> None:
        if self.polynomials is not None and self.polynomials not in POLYNOMIALS:
            raise BadPlan(f"polynomials must be {' or '.join(POLYNOMIALS)}, not {self.polynomials!r}")

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[Measuring[DecisionListSums] | LongLists]:
        """Where the order is open: the one with the narrowest intervals, exact if rows are not known."""
        workload.check(domain)
        asked = of_kind(workload, DecisionLists)
        column = asked.column(domain)
        if column.most_rules > LONGEST_EXACT:
            made = long_list_design(
                self, domain, column, price, rows, order=asked.order, polynomials=self.polynomials
            )  # fmt: skip
            return cast(Design[Any], replace(made, options=options_text(self)))
        if self.polynomials is not None:
            raise BadPlan(
                f"lists of up to {LONGEST_EXACT} rules have the best polynomial for each pattern of decisions; leave "
                f"polynomials={self.polynomials} out"
            )
        highest = _highest_order(len(column.inputs), asked.order or column.most_rules, given=asked.order is not None)
        best = self._at_order(domain, column, highest, price)
        if asked.order is None and rows is not None:
            for order in range(highest - 1, 0, -1):
                lower = self._at_order(domain, column, order, price)
                best = min(best, lower, key=lambda design: _half_width(design, rows))
                # Lower orders have more bias still.
                if lower.forecasts[0].bias > _half_width(best, rows):
                    break
        return cast(Design[Any], best)

    def _at_order(
        self, domain: Domain, column: DecisionList, order: int, price: Price
    ) -> Design[Measuring[DecisionListSums]]:
        statistic = DecisionListSums(column, order)
        numbers = statistic.length
        law = Law.of(price)
        noise = _allocate(statistic, unit=domain.unit, price=price)
        bias = float(statistic.polynomials.bias)
        lists = f"bias at most {readable(float(f'{bias:.3g}'))}" if bias else "exact"
        return Design(
            by=cast(Mechanism[Any], self),
            summary=f"{numbers - 1:,} parities of at most {counted(order, 'input')} ({lists}) "
            f"with {law.noise}",
            price=price, numbers=numbers, parameters=Measuring(statistic, noise), memory=150_000_000 + 40 * numbers,
            forecasts=(_forecast(statistic, noise),),
            work=1e6 * (SECONDS_PER_ROW + 2**column.most_rules * SECONDS_PER_SET),
        )  # fmt: skip

    def release(
        self, door: Door, domain: Domain, design: Design[Measuring[DecisionListSums] | LongLists]
    ) -> DecisionListsModel:
        if isinstance(design.parameters, LongLists):
            return release_long_lists(door, domain, design.parameters)
        statistic, noise = design.parameters
        seen = door.measure(statistic, noise)
        polynomials = statistic.polynomials
        return DecisionListsModel(
            domain=domain,
            column=statistic.attribute,
            law=noise.law,
            order=statistic.order,
            grid=polynomials.grid,
            group_scales=noise.per_group,
            polynomial_bias=polynomials.bias,
            sums=seen.values,
        )


def _highest_order(inputs: int, wanted: int, *, given: bool) -> int:
    """The order wanted, if its numbers are not too many; else the next that fits, or BadPlan where it was given."""
    fits = max(t for t in range(1, wanted + 1) if InteractionLayout.count([2] * inputs, t) < MOST_NUMBERS)
    if fits < wanted and given:
        numbers = 1 + InteractionLayout.count([2] * inputs, wanted)
        raise BadPlan(f"order {wanted} needs {numbers:,} numbers and the cap is {MOST_NUMBERS:,}; use order={fits}")
    return fits


def _half_width(design: Design[Any], rows: int) -> float:
    """Half of a 95% interval, as a fraction: what bias and noise make together."""
    (forecast,) = design.forecasts
    return forecast.bias + 1.96 * forecast.typical / rows


def _sizes(statistic: DecisionListSums) -> list[int]:
    """How many sets each order has."""
    return [comb(statistic.inputs, i) for i in range(statistic.order + 1)]


def _allocate(statistic: DecisionListSums, *, unit: Unit, price: Price) -> Noise:
    """The scales of least variance of an answer at the given price; the number of rows only where it is private."""
    law, private = Law.of(price), unit.private_rows
    costs = np.array(sorted(statistic.polynomials.norms(law.power)), dtype=np.float64)
    uses = [float(size) / 4**statistic.polynomials.grid for size in _sizes(statistic)]
    if private:
        costs, uses = np.insert(costs, 0, 1.0, axis=1), [1.0, *uses]
    shape = _least_variance(costs, uses, law)
    return Noise.costing(price, statistic, unit, shape if private else [0.0, *shape])


def _least_variance(costs: NDArray[np.float64], uses: Sequence[float], law: Law) -> list[float]:
    """Scales that minimise sum of use x variance with sum of cost / scale at most 1 for every kind of row.

    At the optimum some mixture p of the rows' kinds has variance_g = p.cost_g / use_g (Gaussian) or scale_g^3
    proportional to it (Laplace). The mixture is found by raising the share of kinds that pay more than the mean.
    """
    root, mixture = least_variance_root(law), np.full(len(costs), 1 / len(costs))
    for _ in range(ROUNDS):
        scales = (mixture @ costs / np.array(uses)) ** root
        paid = costs @ (1 / scales)
        mixture = mixture * paid / (mixture @ paid)
    return [float(s) for s in (mixture @ costs / np.array(uses)) ** root]


def _forecast(statistic: DecisionListSums, noise: Noise) -> Forecast:
    """One table over all inputs; every cell of it has the same error, that of a count.

    Half of a private number of rows is in every count, and its share of bias again.
    """
    each = [noise.law.variance(scale) for scale in noise.per_group]
    sets = sum(variance * size for variance, size in zip(each[1:], _sizes(statistic), strict=True))
    bias = float(statistic.polynomials.bias)
    stderr = math.sqrt((0.5 + bias) ** 2 * each[0] + sets / 4 ** (statistic.polynomials.grid + 1))
    return Forecast(width=1, tables=1, typical=stderr, worst=stderr, bias=bias)
