"""Allocation: how much noise each group of interactions gets, and what error that makes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

from ..budget import Price, Unit
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..vault.door.noise import Noise, sensitivity_of
from .base import Forecast

if TYPE_CHECKING:
    from ..vault.statistics.base import Statistic

__all__ = ["allocate", "forecast", "least_variance_root", "uniform"]

# No order of interactions gets less than this share of the budget, whatever the workload makes of it; the
# number of rows (order 0) is one number and needs less.
LEAST_SHARE, LEAST_SHARE_OF_ROWS = 0.05, 0.01


def allocate(
    statistic: Statistic,
    interactions: InteractionLayout,
    *,
    unit: Unit,
    price: Price,
    uses: Sequence[float] | None = None,
) -> Noise:
    """The scales that minimise a total squared error at the given price.

    `uses` says how much each group's scale adds to that total; by default the total is that of all cells of all
    tables of the largest order.

    With cost p_g and use v_g of group g the minimum of sum v_g s_g under sum p_g / (2 s_g) = rho has variance
    s_g ~ sqrt(p_g / v_g); with Laplace noise, sum v_g b_g^2 under sum p_g / b_g, scale b_g ~ (p_g / v_g)^(1/3).
    """
    law = Law.of(price)
    costs = []
    for group in range(len(interactions.groups)):
        alone = [Fraction(int(g == group)) for g in range(len(interactions.groups))]
        costs.append(float(sensitivity_of(statistic, unit, power=law.power, weights=alone)))
    if uses is None:
        uses = [use(interactions, law, group, interactions.order) for group in range(len(costs))]
    root = least_variance_root(law)
    shape = [(p / v) ** root if p > 0 and v > 0 else 0.0 for p, v in zip(costs, uses, strict=True)]
    shape = _with_floor(shape, costs, [len(key) for key in interactions.groups])
    return Noise.costing(price, statistic, unit, shape)


def least_variance_root(law: Law) -> float:
    """Scales of least total variance at a price go like (cost / use) to this power; `allocate` says why."""
    return 1 / 2 if law.power == 2 else 1 / 3


def uniform(statistic: Statistic, interactions: InteractionLayout, *, unit: Unit, price: Price) -> Noise:
    """One Laplace scale for all groups, as published; the number of rows stays exact where it is public."""
    return Noise.costing(price, statistic, unit, [int(unit.private_rows), *[1] * (len(interactions.groups) - 1)])


def _with_floor(scales: Sequence[float], costs: Sequence[float], orders: Sequence[int]) -> list[float]:
    """Raises the share of an order that would get almost nothing, by lowering its scale."""
    spent = [0.0] * (max(orders) + 1)
    for scale, cost, order in zip(scales, costs, orders, strict=True):
        spent[order] += cost / scale if scale else 0.0
    lift = []
    for order, mine in enumerate(spent):
        least = (LEAST_SHARE if order else LEAST_SHARE_OF_ROWS) * sum(spent)
        lift.append(least / mine if 0 < mine < least else 1.0)
    return [scale / lift[order] for scale, order in zip(scales, orders, strict=True)]


def use(interactions: InteractionLayout, law: Law, group: int, width: int) -> float:
    """How much a unit scale in one group adds to the summed variance of all cells of all tables of a width.

    A table B spreads the interaction of A evenly over the attributes in B but not in A, which divides its
    variance by their sizes; Gaussian noise has unit variance in every one of prod(m - 1) orthonormal directions.
    """
    key = interactions.groups[group]
    if len(key) > width:
        return 0.0
    rest = Counter(interactions.sizes) - Counter(key)
    beyond = _elementary((interactions.functions(size).cells[0] for size in rest.elements()), width - len(key))
    each = prod(sum(_directions(interactions, size, law)) for size in key)
    return interactions.sets_in(group) * each * beyond * law.unit_variance


def _rounded(interactions: InteractionLayout, noise: Noise, width: int) -> float:
    """What rounding every noisy coordinate adds to the summed variance of all cells of all tables of a width."""
    if not noise.law.rounding:
        return 0.0
    sizes, total = interactions.sizes, 0.0
    for group, key in enumerate(interactions.groups):
        if len(key) <= width and noise.per_group[group]:
            rest = Counter(sizes) - Counter(key)
            beyond = _elementary((interactions.functions(m).cells[0] for m in rest.elements()), width - len(key))
            total += interactions.sets_in(group) * prod(sum(interactions.functions(m).cells[1:]) for m in key) * beyond
    return noise.law.rounding * total


def _directions(interactions: InteractionLayout, size: int, law: Law) -> list[float]:
    """Summed variance of an attribute's cells due to each function of unit scale: 1 each for contrasts (Gaussian)."""
    functions = interactions.functions(size)
    units = functions.norms if law.power == 2 else [step**2 for step in functions.steps]
    return [weight * unit for weight, unit in zip(functions.cells[1:], units[1:], strict=True)]


def _elementary(values: Iterable[float], degree: int) -> float:
    """Sum over all choices of `degree` values of their product."""
    totals = [1.0] + [0.0] * degree
    for value in values:
        for i in range(degree, 0, -1):
            totals[i] += totals[i - 1] * value
    return totals[degree]


def forecast(interactions: InteractionLayout, noise: Noise, width: int) -> Forecast:
    """The errors of all questions of a width, in rows. No data needed: the noise is independent of them."""
    power = 1 if noise.law.power == 2 else 2
    scales = [float(s) ** power for s in noise.per_group]
    total = sum(use(interactions, noise.law, g, width) * s for g, s in enumerate(scales))
    total += _rounded(interactions, noise, width)
    cells = _elementary((float(size) for size in interactions.sizes), width)
    worst = max(_worst(interactions, noise.law, scales, kind) for kind in _kinds(interactions, width))
    return Forecast(
        width=width,
        tables=comb(len(interactions.sizes), width),
        typical=math.sqrt(total / cells),
        worst=math.sqrt(worst),
    )


def _kinds(interactions: InteractionLayout, width: int) -> list[tuple[int, ...]]:
    return [key for key in interactions.groups if len(key) == width]


def _worst(interactions: InteractionLayout, law: Law, scales: Sequence[float], kind: tuple[int, ...]) -> float:
    """Bound on the variance of any 0/1 question on a table of this kind.

    A question f of N cells has squared length at most N, and taking its complement changes nothing but the
    part on the empty set, so at most N / 4 lies outside that part; each part is weighed by its own variance.
    Without orthogonality the parts do not share the length, so they are added.
    """
    number = {key: g for g, key in enumerate(interactions.groups)}
    cells, parts = prod(kind), [0.0]
    for size in range(1, len(kind) + 1):
        for members in combinations(range(len(kind)), size):
            key = tuple(kind[i] for i in members)
            spread = prod(interactions.functions(kind[i]).cells[0] for i in range(len(kind)) if i not in members)
            largest = prod(max(_directions(interactions, s, law), default=0.0) for s in key)
            part = scales[number[tuple(sorted(key))]] * largest * spread * law.unit_variance
            rounded = prod(max(interactions.functions(s).cells[1:], default=0.0) for s in key)
            parts.append(part + law.rounding * spread * rounded)
    most = max(parts) / 4 if interactions.basis == "contrast" else sum(parts)
    return most * cells + scales[0] * law.unit_variance + law.rounding * bool(scales[0])
