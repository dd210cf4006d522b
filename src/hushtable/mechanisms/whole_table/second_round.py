"""Second round: a model of pairs is compared with all triples, and those in which it is most wrong are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT
from ...maths.weighted_rows.first_model import FirstModel
from ...maths.weighted_rows.fit_rows import RowFit
from ...maths.weighted_rows.fit_targets import FitTargets
from ...maths.weighted_rows.grouped_sets import RawTable
from ...maths.weighted_rows.repair import PairDistances
from ...maths.weighted_rows.triples import TRIPLE_SCORES, Steps, plan_triples, scored, shortfall
from ...questions.workloads.whole_table import WholeTable
from ...words import counted
from .budgeted_door import BudgetedDoor

__all__ = ["FittedRows", "second_round"]


@dataclass(frozen=True, eq=False)
class FittedRows:
    """Rows fitted to what was measured."""

    triples: list[RawTable]
    """What a second round measured for it."""
    fit: RowFit
    remarks: list[str]
    """What answers say of it."""


def second_round(
    survey: BudgetedDoor,
    agreed: FitTargets,
    dependence: Sequence[float],
    raw: Sequence[RawTable],
    candidates: Sequence[Steps],
    amount: Fraction,
    away: PairDistances,
    workload: WholeTable,
) -> FittedRows:
    """Fits pairs, scores all triples against that, measures the worst, and fits both. Spends at most the amount."""
    finer = [grouped for steps in candidates for grouped in steps]
    model = FirstModel.of(survey.domain, agreed, dependence, raw, finer, away)
    sets, rows = scored(candidates), agreed.rows
    for_scores = survey.share(TRIPLE_SCORES)
    distances, scale = survey.distances(sets, model.shares, rows, for_scores)
    deviation = survey.law.stderr(scale) / CALIBRATION_UNIT
    scores = shortfall(
        distances / CALIBRATION_UNIT, deviation, [model.shares(triple) for triple in sets], rows, model.fitted.carriers
    )
    rest = amount - for_scores
    focus, target = workload.focused(survey.domain), workload.targeted(survey.domain)
    plan = plan_triples(candidates, scores, rows, survey.pricing(rest), len(survey.domain.sizes), focus, target)
    if not plan.tables:  # what is left goes to the calibration
        return FittedRows([], model.weighted_rows(), [])
    tables = survey.tables(plan.tables, plan.deviations, rest)
    remark = (
        f"a second round measured {counted(len(tables), 'table')} of three columns, in which pairs alone said least"
    )
    return FittedRows(tables, model.corrected(tables), [remark])
