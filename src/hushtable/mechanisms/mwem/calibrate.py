"""Calibration of mwem: how far the finished model is off, for the bars of answers that were not measured."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ...maths.distribution.kind_ratios import tables_to_compare
from ...maths.weighted_rows.fit_rows import seeded
from ...models.weighted.calibration import WeightedCalibration
from ...models.weighted.weighted import WeightedModel
from ..summed_distance import compared
from .design import Rounds

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["calibrated"]


def calibrated(door: Door, model: WeightedModel, plan: Rounds, amount: Fraction) -> WeightedModel:
    """With ratios of errors to deviations; those of other tables where nothing is spent.

    One number a comparison is measured. Which tables it is about follows from released numbers.
    """
    candidates = plan.candidates
    every = range(candidates.first, candidates.first + len(candidates))
    columns = tuple(sorted({p for c in every for p in candidates.positions(c)}))
    sets = tables_to_compare(
        model.distribution, seeded([model.theta]), plan.comparisons, columns=columns, ordered=plan.ordered,
        tables=[item.positions for item in model.measured if item.function is None], seen=model.seen,
    )  # fmt: skip
    usual = WeightedCalibration.usual(columns, model.law)
    if sets:
        ratios = compared(
            door, model.domain, model.law, sets=sets, distribution=model.distribution, carriers=model.carriers,
            rows=model.pooled.rows, amount=amount,
        )  # fmt: skip
        usual = replace(usual, ratios=ratios)
    return replace(model, calibration=usual)
