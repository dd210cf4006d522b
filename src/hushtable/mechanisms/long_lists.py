"""Long decision lists: sums of polynomials of low degree, a rule each, and how far they are off on held-out inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..budget import Price
from ..domain import Domain
from ..domain.decision_list import DecisionList
from ..errors import BadPlan
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..maths.wide.bar import WideBar
from ..maths.wide.made_up_lists import error_on_made_up_lists
from ..maths.wide.prefix_polynomials import prefix_polynomials
from ..maths.wide.rule_polynomials import MOST_ORDER
from ..maths.wide.single_polynomials import CHANCES, single_polynomials
from ..models.decision_lists import DecisionListsModel
from ..vault.door.noise import Noise
from ..vault.statistics.decided_counts import DecidedCounts
from ..vault.statistics.long_lists import LongListSums
from ..words import counted, readable
from .base import Design, Forecast, Mechanism
from .wide_design import part_of, scale_for

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["POLYNOMIALS", "LongLists", "long_list_design", "release_long_lists"]

# The two ways to polynomials, by the name that asks for one of them.
POLYNOMIALS = {"prefix": prefix_polynomials, "single": single_polynomials}
# Numbers beyond which a release takes too long; and the measured cost of one set of rules of one row, seconds.
MOST_NUMBERS, SECONDS_PER_SET, SECONDS_PER_ROW = 2_000_000, 2e-8, 4e-5
# The share of the price that tells how far answers are off, and on how many inputs.
CALIBRATION, HELD_OUT = Fraction(3, 100), 100
# The share of the rest that tells the number of rows, where that is private.
OF_ROWS = Fraction(1, 50)
SEED = 17


@dataclass(frozen=True, eq=False, kw_only=True)
class LongLists:
    """What is measured, with which noise, and the price of the calibration."""

    statistic: LongListSums
    noise: Noise
    calibration: Price


def long_list_design(
    by: Mechanism[Any], domain: Domain, column: DecisionList, price: Price, rows: int | None, *,
    order: int | None, polynomials: str | None,
) -> Design[LongLists]:  # fmt: skip
    """At the order and by the polynomials that are given, or those of least noise and error of made-up lists, which
    need the rows."""
    fitting = [t for t in range(1, MOST_ORDER + 1) if _numbers(column, t) <= MOST_NUMBERS]
    if order is not None and order not in fitting:
        raise BadPlan(
            f"lists of {column.most_rules} rules over {len(column.inputs)} inputs take an order of at most "
            f"{max(fitting)}, not {order}"
        )
    if order is None and rows is None:
        raise BadPlan("lists of more than 8 rules need about how many rows there are: give rows, or order")
    ways = [way for name, way in POLYNOMIALS.items() if polynomials in (None, name)]
    compared = list[tuple[float, Design[LongLists]]]()
    for t in fitting if order is None else [order]:
        designs = [_designed(by, domain, LongListSums(column, way(column.most_rules, t)), price) for way in ways]
        compared += [(_expected(design, rows or 1), design) for design in designs]
        # Noise grows with the order, and no polynomials have much less than others.
        if compared[-len(ways)][1].error / 2 > min(error for error, _ in compared) * (rows or 1):
            break
    best = min(compared, key=lambda pair: pair[0])[1]
    return best if len(compared) == 1 else replace(best, outlook=(*best.outlook, _reason(compared, best)))


def _reason(compared: list[tuple[float, Design[LongLists]]], best: Design[LongLists]) -> str:
    """Why this one, beside all others: the error that was expected of each."""
    by_order: dict[int, list[str]] = {}
    for error, design in compared:
        polynomials = design.parameters.statistic.polynomials
        by_order.setdefault(polynomials.order, []).append(f"{error:.2g} by {polynomials.name}")
    others = "; ".join(f"order {order}: {', '.join(errors)}" for order, errors in by_order.items())
    chosen = best.parameters.statistic.polynomials
    return (
        f"order {chosen.order} by {chosen.name} has the least noise and error on made-up lists, as a share of the rows "
        f"({others})"
    )


def _numbers(column: DecisionList, order: int) -> int:
    return 1 + InteractionLayout.count([2] * len(column.inputs), order)


def _designed(by: Mechanism[Any], domain: Domain, statistic: LongListSums, price: Price) -> Design[LongLists]:
    law, polynomials = Law.of(price), statistic.polynomials
    calibration = part_of(price, CALIBRATION)
    rest, of_rows = part_of(price, 1 - CALIBRATION), OF_ROWS if domain.unit.private_rows else Fraction(0)
    noise = Noise.sharing(rest, statistic, domain.unit, [of_rows, 1 - of_rows])
    bias = float(polynomials.bias)
    stderr = math.sqrt(law.variance(noise.per_group[1]) * (statistic.length - 1)) / 2 ** (polynomials.grid + 1)
    return Design(
        by=by,
        summary=f"{statistic.length - 1:,} parities of at most {counted(statistic.order, 'input')} "
        f"({polynomials.name}, certified bias {readable(float(f'{bias:.3g}'))}) with {law.noise}",
        price=price,
        numbers=statistic.length,
        parameters=LongLists(statistic=statistic, noise=noise, calibration=calibration),
        forecasts=(Forecast(width=1, tables=1, typical=stderr, worst=stderr, bias=bias),),
        memory=150_000_000 + 40 * statistic.length,
        work=1e6 * (SECONDS_PER_ROW + int(polynomials.sets.sum()) * SECONDS_PER_SET),
        outlook=(
            f"{float(100 * CALIBRATION):g}% of the budget goes to held-out inputs, which say how far answers are off",
        ),
    )


def _expected(design: Design[LongLists], rows: int) -> float:
    """The noise, and the error that made-up lists have without noise, as a share of the rows."""
    statistic = design.parameters.statistic
    return design.forecasts[0].typical / rows + error_on_made_up_lists(statistic.polynomials, statistic.inputs)


def release_long_lists(door: Door, domain: Domain, made: LongLists) -> DecisionListsModel:
    """The sums, then the distance of the model from what lists decide at held-out inputs."""
    statistic, noise = made.statistic, made.noise
    seen = door.measure(statistic, noise)
    rows_scale, scale = noise.per_group
    model = DecisionListsModel(
        domain=domain,
        column=statistic.attribute,
        law=noise.law,
        order=statistic.order,
        grid=statistic.polynomials.grid,
        group_scales=(rows_scale, *[scale] * (statistic.order + 1)),
        polynomial_bias=statistic.polynomials.bias,
        sums=seen.values,
    )
    queries = np.array(list(_held_out(statistic.inputs)))
    rows = max(float(seen.values[0]), 1.0)
    guesses = [
        0.5 + float(model.signs(tuple(query)) @ seen.values[1:]) / 2 ** (model.grid + 1) / rows for query in queries
    ]
    bar_scale = scale_for(made.calibration, domain, blocks=1, questions=HELD_OUT)
    told = DecidedCounts(statistic.attribute, queries)
    distances = door.distances(told, np.rint(np.array(guesses) * rows).astype(np.int64), bar_scale, noise.law)
    bar = WideBar(law=noise.law, widths=(1,), questions=HELD_OUT, scale=bar_scale, distances=distances)
    return replace(model, bar=bar)


def _held_out(inputs: int) -> Iterator[NDArray[np.bool_]]:
    """A public sample: from a twentieth to three quarters of the inputs true."""
    source = np.random.default_rng([SEED, inputs])
    for number in range(HELD_OUT):
        yield source.random(inputs) < CHANCES[number % len(CHANCES)]
