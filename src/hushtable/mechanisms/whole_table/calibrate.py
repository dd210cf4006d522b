"""Calibration of a whole table: how wrong the finished model is, for its bars and for its certified limits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.error_ratios import ErrorRatios, expected_sums, model_tables, tables_to_sum
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
    """One number a width. Narrow tables have fewer cells and smaller sums: each width gets half of what is left."""
    assert model.replicates is not None
    rows, sums, scales = model.total[0], list[int](), list[float]()
    sets = tables_to_sum(model.cloud.shares, seeded([model.cloud.fixed_weights, *model.cloud.fixed_shares]))
    expected = expected_sums(model.cloud, model.replicates, sets, rows)
    for place, tables in enumerate(sets):
        share = amount if place == len(sets) - 1 else survey.on_grid(amount / 2)
        total, scale = survey.summed(tables, model_tables(model.cloud, tables), rows, share)
        amount -= share
        sums.append(total)
        scales.append(float(scale))
    in_units = np.rint(np.array(expected) * CALIBRATION_UNIT).astype(np.int64)
    return ErrorRatios(np.array(sums, dtype=np.int64), in_units, tuple(scales), survey.law)
