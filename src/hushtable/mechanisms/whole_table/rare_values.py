"""Rare values: a wide table of two-valued columns whose rows have few unusual values, measured by these."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ...budget import touched
from ...maths.weighted_rows.fit_rows import fit_rows
from ...maths.weighted_rows.grouped_sets import RawTable
from ...maths.weighted_rows.rare_design import FIRST, LENGTHS, Lengths, RareColumns, RareDesign, split
from ...maths.weighted_rows.rare_noise import RareNoise
from ...maths.weighted_rows.rare_targets import RareMeasured, agree_rare
from ...maths.weighted_rows.row_lengths import row_lengths
from ...maths.weighted_rows.shares import ColumnTotals
from ...models.whole_table.whole_table import WholeTableModel
from .budgeted_door import BudgetedDoor
from .calibrate import calibrated
from .first_look import MIN_SIGMAS
from .forecast import one_way_plan

__all__ = ["first_look", "measured_sums", "release_rare"]

# Of fewer rows most rare values drown in noise, and replicates, which start from what the model has kept, show too
# little: at 200 and 2,000 rows 62 to 79% of 95% intervals held. Answers then have the bound of the audit instead.
ENOUGH_ROWS = 10_000

# Mean count of a rare value, in units of the least noise, from which on the tables of pairs are sound enough to be
# fitted firmly; below, the fit would take long to find rows for what is noise.
ENOUGH = 50.0


def first_look(survey: BudgetedDoor) -> tuple[list[RawTable], RareColumns | None]:
    """Every column, roughly; and which are rare, if rows have few rare values."""
    unit = survey.domain.unit
    alone = one_way_plan(survey.domain.sizes, survey.law, private_rows=unit.private_rows, rows_share=1.0)
    raw = survey.tables(*alone, survey.share(FIRST))
    totals = ColumnTotals(len(survey.domain.sizes), raw, survey.rows)
    if totals.rows < MIN_SIGMAS * math.sqrt(totals.rows_variance):
        return raw, None
    columns = split(shares := totals.shares())
    if columns is None or not columns.rare:
        return raw, None
    mean = totals.rows * float(np.mean([shares[j].min() for j in columns.rare]))
    return raw, columns if mean >= ENOUGH * _unit(survey, survey.whole) else None


def _unit(survey: BudgetedDoor, amount: Fraction) -> float:
    """Standard deviation of a sum that one row changes by 1, at this price."""
    unit = survey.domain.unit
    return unit.rows * math.sqrt(touched(unit.neighbours)) / math.sqrt(2 * float(amount))


def release_rare(
    survey: BudgetedDoor, raw: list[RawTable], columns: RareColumns, calibration: float
) -> WholeTableModel:
    """Lengths of rows, then all sums at once, then the fit and the calibration."""
    rows = max(ColumnTotals(len(survey.domain.sizes), raw, survey.rows).rows, 1.0)
    measured = measured_sums(survey, columns, rows, survey.share(calibration))
    agreed = agree_rare(measured, rows)
    apart = [
        float(np.abs(counts - rows * table.expected(agreed.shares)).sum()) / (2 * rows)
        for table, counts in zip(agreed.sets, agreed.counts, strict=True)
    ]
    done = fit_rows(survey.domain, agreed, apart, [measured.lengths, measured.sums], RareNoise(survey.law, measured),
                    row_lengths(columns, measured.believed(rows), len(survey.domain.sizes)))  # fmt: skip
    replicates = done.replicates if rows >= ENOUGH_ROWS else None
    model = WholeTableModel(domain=survey.domain, law=survey.law, rows=survey.rows, tables=tuple(raw),
                            scores=np.zeros(0, dtype=np.int64), score_scale=None, cloud=done.cloud,
                            effective=done.effective, replicates=replicates, rare=measured)  # fmt: skip
    return model if survey.left <= 0 or calibration == 0 else calibrated(survey, model)


def measured_sums(survey: BudgetedDoor, columns: RareColumns, rows: float, spare: Fraction) -> RareMeasured:
    """The two measurements; `spare` is left for the calibration."""
    from ...vault.statistics.rare_sums import RareLengths, RareSums

    seen, noise = survey.sums(RareLengths(columns), [Fraction(1)], survey.share(LENGTHS))
    believed = Lengths.of(seen, survey.law.variance(noise[0]), rows)
    rest = survey.left - spare
    design = RareDesign.of(believed, columns, _unit(survey, rest))
    statistic = RareSums(columns, design.single.tolist(), design.both.tolist())
    sums, scales = survey.sums(statistic, survey.scales(design.deviations), rest)
    return RareMeasured(columns, design.single, design.both, seen, noise[0], sums, scales, survey.law)
