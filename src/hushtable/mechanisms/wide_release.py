"""Releasing wide questions: a first look, the order that it speaks for, the measurement, and how far it is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..laws import Law
from ..maths.wide.bar import NORMAL, Expected, WideBar
from ..maths.wide.held_out import as_drawn, draw_questions, with_rare_sides
from ..maths.wide.order_choice import Look, expected_errors, weigh
from ..maths.wide.shape import Symmetric
from ..maths.wide.tilted import independent_law
from ..models.linear.first_singles import FirstSingles
from ..models.linear.low_order import Guesses, LowOrderModel
from ..models.linear.wide import estimate_of
from ..vault.door.noise import Noise
from ..vault.statistics import ChosenTables, Parities, Residuals
from ..vault.statistics.wide_counts import WideCounts
from .wide_design import HELD_OUT, LOOKED_AT, NARROW, NoisyInteractions, WideDesign, scale_for
from .wide_orders import noise_by_order

if TYPE_CHECKING:
    from ..maths.interactions.layout import InteractionLayout
    from ..vault.door.door import Door
    from ..vault.statistics.base import Statistic

__all__ = ["measured", "release_wide", "statistic_of"]

Floats = NDArray[np.float64]
# How much shares differ is told by few of them: so much of the differences may be real even where none seem to be.
LEAST_KEPT = 0.25


def release_wide(door: Door, domain: Domain, design: WideDesign) -> LowOrderModel:
    """Every step is charged its share, whatever the released numbers say; they decide what is measured, not its price.

    With a first look the order is the one of least expected error on reference tables that are as dependent as the
    released numbers say. What the first look measured counts in the model too.
    """
    first, chosen = None, design.candidates[-1]
    if design.shares.looks:
        first = _first_look(door, domain, design)
        chosen = _chosen(design, _distance(door, domain, design, first))
    guesses: Guesses = "doubted" if chosen.interactions.binary else "single"
    model = replace(measured(door, domain, chosen), first=first, guesses=guesses)
    return _calibrated(door, domain, design, model)


def measured(door: Door, domain: Domain, design: NoisyInteractions) -> LowOrderModel:
    """Every interaction of at most so many attributes, once."""
    interactions, noise, width = design
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


def statistic_of(interactions: InteractionLayout) -> Statistic:
    """Parities where all attributes have two values, else residuals: the same numbers, counted faster."""
    return Parities(interactions) if interactions.binary else Residuals(interactions)


def _first_look(door: Door, domain: Domain, design: WideDesign) -> FirstSingles:
    """The tables of some single attributes."""
    positions = design.looked_at(domain)
    tables = ChosenTables(domain.sizes, [(position,) for position in positions])
    price = design.shares.price(design.shares.singles)
    noise = Noise.costing(price, tables, domain.unit, [1] * len(positions))
    sizes = tuple(domain.sizes[position] for position in positions)
    cells = door.measure(tables, noise).values
    # Attributes of one code tell nothing under replace, and stay exact; the scale is that of the others.
    return FirstSingles(law=noise.law, sizes=sizes, positions=positions, scale=max(noise.per_group), cells=cells)


def _distance(door: Door, domain: Domain, design: WideDesign, first: FirstSingles) -> Look:
    """How far wide questions are from what single attributes say: one number."""
    wide, rows = design.workload, max(first.rows, 1.0)
    drawn = draw_questions(domain.sizes, first.positions, width=wide.width, count=LOOKED_AT)
    questions = [as_drawn(conditions, wide.values()) for conditions in drawn]
    values = np.array(wide.values())
    chances, keep = _shrunk([_chances(question, first, rows) for question in questions], first.deviation(rows))
    guesses = [float(independent_law(own) @ values) for own in chances]
    price = design.shares.price(design.shares.questions)
    scale = scale_for(price, domain, blocks=1, questions=LOOKED_AT)
    statistic, law = WideCounts(domain.sizes, [questions]), Law.of(price)
    total = int(door.distances(statistic, _in_rows(guesses, rows), scale, law)[0])
    return Look(
        values=values,
        chances=chances,
        noise=np.array([0.0, first.deviation(rows) * np.sqrt(max(keep, LEAST_KEPT))]),
        distance=max(total, 0) / (LOOKED_AT * rows),
        deviation=law.stderr(scale) / (LOOKED_AT * rows),
        seed=abs(total),
        stray=first.deviation(rows) / np.sqrt(len(first.positions)),
    )


def _chances(question: Symmetric, first: FirstSingles, rows: float) -> Floats:
    """The released shares of a question's conditions."""
    return np.array([first.share(one, rows) for one in zip(question.positions, question.masks, strict=True)])


def _shrunk(chances: Sequence[Floats], deviation: float) -> tuple[list[Floats], float]:
    """Towards their mean, as far as they differ by noise alone; and which part of the differences is kept."""
    every = np.concatenate(chances)
    spread = float(every.var())
    keep = max(0.0, 1 - deviation**2 / spread) if spread > 0 else 0.0
    return [np.clip(every.mean() + keep * (own - every.mean()), 0.0, 1.0) for own in chances], keep


def _in_rows(shares: Sequence[float], rows: float) -> NDArray[np.int64]:
    return np.rint(np.array(shares) * rows).astype(np.int64)


def _chosen(design: WideDesign, look: Look) -> NoisyInteractions:
    """The candidate of least expected error."""
    rows = design.rows
    noises = {c.interactions.order: np.array(noise_by_order(c.interactions, c.noise, rows)) for c in design.candidates}
    errors = expected_errors(look, weigh(look), noises)
    return min(design.candidates, key=lambda candidate: errors[candidate.interactions.order])


def _calibrated(door: Door, domain: Domain, design: WideDesign, model: LowOrderModel) -> LowOrderModel:
    """With how far the model is off for held-out questions of the whole width, and of half of it if that is wide."""
    width, share = design.workload.width, design.shares.calibration
    if share == 0 or model.order >= width:
        return model
    widths = sorted({width} if width <= NARROW else {max(model.order + 1, width // 2), width})
    every = range(len(domain.sizes))
    blocks = [
        with_rare_sides(
            draw_questions(domain.sizes, every, width=own, count=HELD_OUT),
            lambda condition: _share(model, condition),
            design.workload.kinds_of(own),
        )
        for own in widths
    ]
    guesses = [[estimate_of(model, question) for question in block] for block in blocks]
    values = [guess.value for block in guesses for guess in block]
    price = design.shares.price(share)
    scale = scale_for(price, domain, blocks=len(widths), questions=HELD_OUT)
    statistic = WideCounts(domain.sizes, blocks)
    distances = door.distances(statistic, _in_rows(values, model.total), scale, model.law)
    expected = Expected(
        noise=tuple(NORMAL * _root_mean_square([guess.guess.stderr for guess in block]) for block in guesses),
        reach=tuple(_root_mean_square([guess.reach or 0.0 for guess in block]) for block in guesses),
        order=model.order,
        several=len(design.workload.kinds_of(width)) > 1,
    )
    return replace(model, bar=WideBar(model.law, tuple(widths), HELD_OUT, scale, distances, expected))


def _root_mean_square(numbers: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))


def _share(model: LowOrderModel, condition: tuple[int, tuple[bool, ...]]) -> float:
    position, mask = condition
    frame = model.frame([position])
    weights = np.array(mask, dtype=np.float64)
    return float(frame.moments(frame.coefficients(weights), relative=True).value)
