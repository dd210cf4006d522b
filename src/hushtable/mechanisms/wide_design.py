"""Wide designs: what a release of wide questions will measure in any case, and what released numbers may decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np

from ..budget import Price
from ..domain import Domain
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..questions.workloads.wide import Wide
from ..vault.door.noise import Noise, round_up
from ..words import readable
from .base import Design

__all__ = [
    "ALIKE",
    "HELD_OUT",
    "LOOKED_AT",
    "NARROW",
    "NoisyInteractions",
    "Shares",
    "WideDesign",
    "scale_for",
    "wide_design",
    "widened",
]

# Questions of one width that a model is held against, and that a first look compares with independent attributes.
HELD_OUT, LOOKED_AT = 100, 200
# Widths up to this are calibrated by their own questions alone; beyond, by those of half the width too.
NARROW = 8
# A first look takes this share of the price for single attributes, and this one, by the power of the law, for wide
# questions: with Gaussian noise it only has to tell strong dependence from weak, as pairs are measured in any case.
SINGLES = Fraction(4, 100)
QUESTIONS = {1: Fraction(2, 100), 2: Fraction(1, 100)}
# How many single attributes it takes, at least and in widths: few are told exactly, many stand for all.
FEWEST, WIDTHS = {1: 12, 2: 50}, {1: 1.5, 2: 3.0}
# Errors that are expected on reference tables are alike within this factor; docs/wide.md says what it was chosen on.
ALIKE = 2.5
# A distance whose noise is above this part of the rows says nothing: to a first look, and to a calibration.
LOOK_SAYS_NOTHING, BAR_SAYS_NOTHING = 0.02, 0.05
SAMPLE_SEED = 12


class NoisyInteractions(NamedTuple):
    """Which interactions, their noise, and the width of the questions they are for."""

    interactions: InteractionLayout
    noise: Noise
    width: int


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How a price is divided: a first look at single attributes and at questions, the calibration, all the rest."""

    whole: Price
    singles: Fraction
    questions: Fraction
    calibration: Fraction

    @classmethod
    def of(cls, price: Price, wide: Wide, domain: Domain, rows: int) -> Shares:
        """What there is no use for, or too few rows, gets nothing."""
        power = Law.of(price).power
        given = Fraction(wide.calibration_share).limit_denominator(10**6)
        questions = QUESTIONS[power]
        looks = wide.order is None and _noise(part_of(price, questions), LOOKED_AT, domain, rows) <= LOOK_SAYS_NOTHING
        checks = given > 0 and _noise(part_of(price, given / 2), HELD_OUT, domain, rows) <= BAR_SAYS_NOTHING
        return cls(
            whole=price,
            singles=SINGLES if looks else Fraction(0),
            questions=questions if looks else Fraction(0),
            calibration=given if checks else Fraction(0),
        )

    @property
    def looks(self) -> bool:
        """Whether there is a first look."""
        return self.singles > 0

    def without_look(self) -> Shares:
        """The same where nothing is to be decided."""
        return replace(self, singles=Fraction(0), questions=Fraction(0))

    def price(self, share: Fraction) -> Price:
        """A share of the whole."""
        return part_of(self.whole, share)

    def rest(self, *, whole_width: bool) -> Price:
        """What is left for the measurement itself; of the whole width there is nothing to calibrate."""
        calibration = 0 if whole_width else self.calibration
        return self.price(1 - self.singles - self.questions - calibration)


def part_of(price: Price, share: Fraction) -> Price:
    """A share of a price, on the grid of prices; the whole as it is."""
    return price if share == 1 else replace(price, amount=price.amount * share).on_grid(up=False)


def scale_for(price: Price, domain: Domain, *, blocks: int, questions: int) -> Fraction:
    """The scale of noise at which distances of so many blocks of questions cost a price."""
    law = Law.of(price)
    change = Fraction(questions * domain.unit.rows) ** law.power
    return round_up(law.scale(blocks * change, price.amount))


def _noise(price: Price, questions: int, domain: Domain, rows: int) -> float:
    """Standard error of a mean distance at this price, as a part of the rows."""
    if price.amount <= 0:
        return math.inf
    scale = scale_for(price, domain, blocks=1, questions=questions)
    return Law.of(price).stderr(scale) / (questions * rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class WideDesign:
    """The orders that may be measured, each at the rest of the price."""

    workload: Wide
    shares: Shares
    rows: int
    """About how many there are."""
    candidates: tuple[NoisyInteractions, ...]
    """By order; several only with a first look."""
    usual: int
    """The order that is expected when nothing is known of the table."""

    @property
    def orders(self) -> tuple[int, ...]:
        """How many attributes may be measured together."""
        return tuple(candidate.interactions.order for candidate in self.candidates)

    @property
    def noise(self) -> Noise:
        """That of the expected order."""
        return self.candidates[self.orders.index(self.usual)].noise

    def looked_at(self, domain: Domain) -> tuple[int, ...]:
        """The attributes of a first look: a public sample, the same for every release of such a domain."""
        d, power = len(domain.sizes), self.noise.law.power
        count = min(d, max(FEWEST[power], int(WIDTHS[power] * self.workload.width)))
        chosen = np.random.default_rng([SAMPLE_SEED, d, count]).choice(d, count, replace=False)
        return tuple(sorted(int(position) for position in chosen))


def widened(design: Design[NoisyInteractions]) -> Design[NoisyInteractions | WideDesign]:
    """The design of a single measurement as one of the two kinds there are."""
    return cast(Design[Any], design)


def wide_design(
    shares: Shares, wide: Wide, rows: int, designs: Sequence[Design[NoisyInteractions]]
) -> Design[NoisyInteractions | WideDesign]:
    """All of these, of which one will be carried out; the forecast is that of the one that is expected.

    That is the lowest even order whose expected error is at most ALIKE times the least: its noise is surely less, while
    what a higher order gains depends on the table.
    """
    likely = [design for design in designs if design.parameters.interactions.order % 2 == 0] or designs
    least = min(design.error for design in likely)
    usual = next(design for design in likely if design.error <= ALIKE * least)
    made = WideDesign(
        workload=wide,
        shares=shares,
        rows=rows,
        candidates=tuple(design.parameters for design in designs),
        usual=usual.parameters.interactions.order,
    )
    return replace(
        widened(usual),
        summary=usual.summary if len(designs) == 1 else _summary(made),
        price=shares.whole,
        numbers=max(design.numbers for design in designs),
        parameters=made,
        memory=max(design.memory for design in designs),
        work=max(design.work for design in designs),
        outlook=tuple(_outlook(made)),
    )


def _summary(design: WideDesign) -> str:
    kind = "parities" if design.candidates[0].interactions.binary else "interactions"
    orders = f"{design.orders[0]} to {design.orders[-1]} attributes, decided by released numbers"
    return f"{kind} of at most {orders}, with {design.noise.law.noise}"


def _outlook(design: WideDesign) -> Iterator[str]:
    """What may happen, before the data are opened."""
    shares, orders = design.shares, design.orders
    if len(orders) > 1:
        yield (
            f"order {orders[0]} to {orders[-1]}, decided by released numbers: {_percent(shares.singles)} of the budget "
            f"goes to single attributes and {_percent(shares.questions)} to wide questions, which say how strongly "
            f"attributes depend; the forecast is that of order {design.usual}"
        )
    if shares.calibration and min(orders) < design.workload.width:
        share = _percent(shares.calibration)
        yield f"{share} of the budget goes to held-out questions, which say how far wide answers are off"
    elif min(orders) < design.workload.width:
        why = "too few rows or too small a budget" if design.workload.calibration_share else "calibration=0"
        yield f"wide answers will have certified intervals only: {why}"


def _percent(share: Fraction) -> str:
    return f"{readable(float(100 * share))}%"
