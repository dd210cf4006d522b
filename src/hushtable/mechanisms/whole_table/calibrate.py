"""Calibration of a whole table: how wrong the finished model is, for its bars and for its certified limits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.error_ratios import (
    NOT_MEASURED,
    USUAL,
    ErrorRatios,
    expected_sums,
    model_tables,
    tables_to_sum,
)
from ...maths.weighted_rows.fit_rows import seeded
from ...models.whole_table.whole_table import WholeTableModel
from .budgeted_door import BudgetedDoor

__all__ = ["calibrated"]

# Of the calibration's share, the part that goes to distances of single tables, which certified limits are made of.
CERTIFIED = Fraction(1, 3)


def calibrated(survey: BudgetedDoor, model: WholeTableModel) -> WholeTableModel:
    """With how far it is from the table; all that is left is spent on it."""
    if model.replicates is not None:
        spare = survey.on_grid(survey.left * CERTIFIED) if survey.checkable else Fraction(0)
        model = replace(model, ratios=_ratios(survey, model, survey.left - spare))
    if survey.left > 0 and survey.checkable:
        model = replace(model, audit=survey.calibrated(model.cloud.table, model.total[0], survey.left))
    return model


def _ratios(survey: BudgetedDoor, model: WholeTableModel, amount: Fraction) -> ErrorRatios:
    """One number a width, an equal part for each.

    None for single columns: their bars are the noise of their counts. Where rare values are counted they are not.
    """
    assert model.replicates is not None
    rows, first = model.total[0], 0 if model.rare is not None else 1
    sets = tables_to_sum(model.cloud.shares, seeded([model.cloud.fixed_weights, *model.cloud.fixed_shares]))
    if len(sets) <= first:
        return NOT_MEASURED
    sums, scales = [0] * first, [1.0] * first
    expected = [0.0] * first + expected_sums(model.cloud, model.replicates, sets[first:], rows)
    each = survey.on_grid(amount / (len(sets) - first))
    for place, tables in enumerate(sets[first:], first):
        share = amount - each * (len(sets) - first - 1) if place == len(sets) - 1 else each
        total, scale = survey.summed(tables, model_tables(model.cloud, tables), rows, share)
        sums.append(total)
        scales.append(float(scale))
    in_units = np.rint(np.array(expected) * CALIBRATION_UNIT).astype(np.int64)
    return ErrorRatios(np.array(sums, dtype=np.int64), in_units, tuple(scales), survey.law, usual=USUAL)
