"""Long decision lists: sums of prefix ORs of low degree, and how far they are off on held-out inputs."""

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
from ..maths.wide.prefix_polynomials import MOST_ORDER, PrefixPolynomials
from ..models.decision_lists import DecisionListsModel
from ..vault.door.noise import Noise
from ..vault.statistics.decided_counts import DecidedCounts
from ..vault.statistics.long_lists import LongListSums
from ..words import counted, readable
from .base import Design, Forecast, Mechanism
from .wide_design import part_of, scale_for

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["LongLists", "long_list_design", "release_long_lists"]

# Numbers beyond which a release takes too long; and the measured cost of one set of rules of one row, seconds.
MOST_NUMBERS, SECONDS_PER_SET, SECONDS_PER_ROW = 2_000_000, 2e-8, 4e-5
# The share of the price that tells how far answers are off, and on how many inputs.
CALIBRATION, HELD_OUT = Fraction(3, 100), 100
# The share of the rest that tells the number of rows, where that is private.
OF_ROWS = Fraction(1, 50)
# Made-up lists and inputs that an order is chosen on, before any row is read.
REFERENCE, AT, CHANCE = 20_000, 12, 0.25
SEED = 17


@dataclass(frozen=True, eq=False, kw_only=True)
class LongLists:
    """What is measured, with which noise, and the price of the calibration."""

    statistic: LongListSums
    noise: Noise
    calibration: Price


def long_list_design(
    by: Mechanism[Any], domain: Domain, column: DecisionList, order: int | None, price: Price, rows: int | None
) -> Design[LongLists]:
    """At the order that is given, or the one of least noise and error of made-up lists; that needs the rows."""
    fitting = [t for t in range(1, MOST_ORDER + 1) if _numbers(column, t) <= MOST_NUMBERS]
    if order is not None and order not in fitting:
        raise BadPlan(
            f"lists of {column.most_rules} rules over {len(column.inputs)} inputs take an order of at most "
            f"{max(fitting)}, not {order}"
        )
    if order is None and rows is None:
        raise BadPlan("lists of more than 8 rules need about how many rows there are: give rows, or order")
    designs = [_at_order(by, domain, column, t, price) for t in (fitting if order is None else [order])]
    best = min(designs, key=lambda design: _expected(design, rows or 1))
    if order is None:
        others = ", ".join(f"order {d.parameters.statistic.order}: {_expected(d, rows or 1):.2g}" for d in designs)
        why = f"the order has the least noise and error on made-up lists, as a share of the rows ({others})"
        best = _with_outlook(best, why)
    return best


def _with_outlook(design: Design[LongLists], text: str) -> Design[LongLists]:
    return replace(design, outlook=(*design.outlook, text))


def _numbers(column: DecisionList, order: int) -> int:
    return 1 + InteractionLayout.count([2] * len(column.inputs), order)


def _at_order(by: Mechanism[Any], domain: Domain, column: DecisionList, order: int, price: Price) -> Design[LongLists]:
    statistic, law = LongListSums(column, order), Law.of(price)
    calibration = part_of(price, CALIBRATION)
    rest, of_rows = part_of(price, 1 - CALIBRATION), OF_ROWS if domain.unit.private_rows else Fraction(0)
    noise = Noise.sharing(rest, statistic, domain.unit, [of_rows, 1 - of_rows])
    bias = float(statistic.polynomials.bias)
    stderr = math.sqrt(law.variance(noise.per_group[1]) * (statistic.length - 1)) / 2 ** (
        statistic.polynomials.grid + 1
    )
    return Design(
        by=by,
        summary=f"{statistic.length - 1:,} parities of at most {counted(order, 'input')} (prefix ORs, certified bias "
        f"{readable(float(f'{bias:.3g}'))}) with {law.noise}",
        price=price,
        numbers=statistic.length,
        parameters=LongLists(statistic=statistic, noise=noise, calibration=calibration),
        forecasts=(Forecast(width=1, tables=1, typical=stderr, worst=stderr, bias=bias),),
        memory=150_000_000 + 40 * statistic.length,
        work=1e6 * (SECONDS_PER_ROW + int(statistic.polynomials.sets.sum()) * SECONDS_PER_SET),
        outlook=(
            f"{float(100 * CALIBRATION):g}% of the budget goes to held-out inputs, which say how far answers are off",
        ),
    )


def _expected(design: Design[LongLists], rows: int) -> float:
    """The noise, and the error that made-up lists have without noise, as a share of the rows."""
    return design.forecasts[0].typical / rows + _reference_error(design.parameters.statistic.polynomials)


def _reference_error(polynomials: PrefixPolynomials) -> float:
    """How far made-up lists of positive literals are off at inputs of which a quarter is true: a mean distance.

    Public: the lists are drawn, not read. Each input has its own chance to speak for 1.
    """
    source, k = np.random.default_rng(SEED), polynomials.length
    liked, ors = source.random(k), _ors(polynomials) / 2.0**polynomials.grid
    tested = source.random((REFERENCE, k)).argsort(axis=1)
    decisions = np.where(source.random((REFERENCE, k)) < liked[tested], 1.0, -1.0)
    decisions = np.column_stack([decisions, -decisions[:, -1]])
    changes, lists, distances = decisions[:, :-1] - decisions[:, 1:], np.arange(REFERENCE), []
    for _ in range(AT):
        true = (source.random(k) < CHANCE)[tested]
        ones = true.cumsum(axis=1)
        exact = np.where(ones[:, -1] > 0, decisions[lists, true.argmax(axis=1)], decisions[:, -1])
        near = decisions[:, -1] + (changes * ors[np.arange(1, k + 1), ones]).sum(axis=1)
        distances.append(abs(float((near - exact).mean())) / 2)
    return float(np.mean(distances))


def _ors(polynomials: PrefixPolynomials) -> NDArray[np.float64]:
    """Entry (rules, ones): the polynomial of the OR of so many rules where so many are true."""
    from ..maths.wide.krawtchouk import krawtchouk

    k = polynomials.length
    out = np.zeros((k + 1, k + 1))
    for rules in range(1, k + 1):
        t = min(polynomials.order, rules)
        out[rules, : rules + 1] = polynomials.ors[rules, : t + 1] @ krawtchouk(rules, t)
    return out


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
    """A public sample: half of the inputs true, or a quarter, or all but a quarter."""
    source = np.random.default_rng([SEED, inputs])
    for number in range(HELD_OUT):
        yield source.random(inputs) < (0.5, 0.25, 0.5, 0.75)[number % 4]
