"""Noise: one law and a scale for every group of sums, what that costs, and which scales cost a given price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...budget import Price, Unit
from ...errors import BadPlan
from ...laws import Law
from ..statistics.base import Statistic
from ..statistics.joint import JointStatistic

__all__ = ["JointNoise", "Noise", "joint_price", "price_of", "round_up", "sensitivity_of"]

SIGNIFICANT_BITS = 40


@dataclass(frozen=True, kw_only=True)
class Noise:
    """One law, one scale a group: the variance (Gaussian) or the scale b (Laplace); 0 leaves a group exact."""

    law: Law
    per_group: tuple[Fraction, ...]

    @classmethod
    def costing(
        cls, price: Price, statistic: Statistic, unit: Unit, shape: Sequence[Fraction | float], *, rounded: bool = True
    ) -> Noise:
        """Scales in the proportions of `shape`, stretched until a measurement costs the price, and not more.

        A price is inverse to a common factor of all scales, so one look at what the shape would cost is enough; where
        that is nothing, because no row can change the sums, they stay exact.
        `rounded` keeps the fractions short, at a price that is lower by less than 1 in 2^39.
        """
        rough = cls(law=Law.of(price), per_group=tuple(round_up(Fraction(scale)) for scale in shape))
        at_rough = price_of(statistic, rough, unit).amount
        stretch = at_rough / price.on_grid(up=False).amount
        stretched = (scale * stretch for scale in rough.per_group)
        return cls(law=rough.law, per_group=tuple(map(round_up, stretched) if rounded else stretched))

    @classmethod
    def sharing(cls, price: Price, statistic: Statistic, unit: Unit, shares: Sequence[Fraction]) -> Noise:
        """Each group gets its share of the price; one whose share is 0 stays exact, which it must be able to be.

        Every group is priced as if it were alone. No row can cost more than the sum of what it costs in each group,
        so all together cost the price at most.
        """
        law, whole = Law.of(price), price.on_grid(up=False).amount
        scales = [Fraction(0)] * len(shares)
        for group, share in enumerate(shares):
            if share:
                alone = [law.price(int(g == group), Fraction(1)) for g in range(len(shares))]
                scales[group] = round_up(_cost(statistic, law, alone, unit) / (whole * share))
        return cls(law=law, per_group=tuple(scales))


@dataclass(frozen=True, kw_only=True)
class JointNoise:
    """One scale b a group: P(v) proportional to exp(-g(v) / b), g the gauge of the group's body."""

    per_group: tuple[Fraction, ...]

    @classmethod
    def sharing(cls, price: Price, statistic: JointStatistic, unit: Unit, shares: Sequence[float]) -> JointNoise:
        """Each group gets its share of the price; one that no row can change stays exact and gets nothing."""
        noisy = [statistic.body(g, unit.open_relation).dimension > 0 for g in range(statistic.groups)]
        wanted = [Fraction(share) if depends else Fraction(0) for share, depends in zip(shares, noisy, strict=True)]
        whole = price.on_grid(up=False).amount
        moved = unit.gauge * statistic.largest_gauge * sum(wanted) / whole
        scales = [round_up(moved / share) if share else share for share in wanted]
        return cls(per_group=tuple(scales))


def joint_price(statistic: JointStatistic, noise: JointNoise, unit: Unit) -> Price:
    """The exact price: epsilon = sum over groups of the largest gauge of a person's change / b.

    A row changes a group by a gauge of at most G = `largest_gauge`, rounded up, and a person by at most `unit.gauge`
    times that, as gauges add up; a group is (gauge G / b)-DP by the law of its noise (see `Body`), and groups add up.
    """
    if len(noise.per_group) != statistic.groups:
        raise BadPlan(f"{statistic.name} has {statistic.groups} groups but {len(noise.per_group)} scales were given")
    total = Fraction(0)
    for group, scale in enumerate(noise.per_group):
        if statistic.body(group, unit.open_relation).dimension:
            if scale <= 0:
                raise BadPlan(f"group {group} of {statistic.name} depends on single rows and needs noise")
            total += unit.gauge * statistic.largest_gauge / scale
    return Price(currency="pure", amount=total)


def price_of(statistic: Statistic, noise: Noise, unit: Unit) -> Price:
    """The exact price of one measurement.

    Gaussian: rho = max over neighbours of sum of change^2 / (2 sigma^2)        [BunS16, Prop. 1.6; CanKS20]
    Laplace:  epsilon = max over neighbours of sum of |change| / b              [DwoMNS06]
    A person with m rows changes a sum m times as much (`Unit.changes`): epsilon times m, rho times m^2.
    """
    if len(noise.per_group) != statistic.groups:
        raise BadPlan(f"{statistic.name} has {statistic.groups} groups but {len(noise.per_group)} scales were given")
    for group, scale in enumerate(noise.per_group):
        alone = [Fraction(int(g == group)) for g in range(statistic.groups)]
        if scale < 0 or (scale == 0 and sensitivity_of(statistic, unit, power=1, weights=alone) > 0):
            raise BadPlan(f"group {group} of {statistic.name} depends on single rows and needs noise")
    weights = [noise.law.price(1, scale) if scale else Fraction(0) for scale in noise.per_group]
    return Price(currency=noise.law.currency, amount=_cost(statistic, noise.law, weights, unit))


def _cost(statistic: Statistic, law: Law, weights: Sequence[Fraction], unit: Unit) -> Fraction:
    """The most that a person can change the sums by, in the power of the law, each group times its weight."""
    return sensitivity_of(statistic, unit, power=law.power, weights=weights) * Fraction(unit.rows) ** law.power


def sensitivity_of(statistic: Statistic, unit: Unit, *, power: int, weights: Sequence[Fraction]) -> Fraction:
    """The largest weighted change that one of a person's rows can make: see `Unit.changes`."""
    return unit.most(lambda relation: statistic.sensitivity(power=power, weights=weights, neighbours=relation))


def round_up(value: Fraction) -> Fraction:
    """A little more noise, never less: the next fraction with 40 significant bits."""
    if value == 0:
        return value
    shift = SIGNIFICANT_BITS - (value.numerator.bit_length() - value.denominator.bit_length())
    scaled = value * Fraction(2) ** shift
    return Fraction(math.ceil(scaled)) / Fraction(2) ** shift
