"""The steps of a whole-table release after the first look: plan, measure, agree and fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...maths.weighted_rows.fit_rows import fit_rows
from ...maths.weighted_rows.fit_targets import FitTargets, agree
from ...maths.weighted_rows.grouped_sets import RawTable
from ...maths.weighted_rows.resolution import TablePlan, ordered, plan_pairs, ranges_of
from ...maths.weighted_rows.shares import ColumnTotals
from ...maths.weighted_rows.table_noise import TableNoise
from ...maths.weighted_rows.triples import TRIPLES, Steps, second_round_pays, triples
from ...models.whole_table.whole_table import WholeTableModel
from ...questions.workloads.whole_table import WholeTable
from .budget_shares import SECOND_ROUND
from .budgeted_door import BudgetedDoor
from .first_look import FirstLook, Scores
from .second_round import FittedRows, second_round

__all__ = ["Spending", "fit", "measured_pairs", "model_of", "planned"]

NO_PAIRS = "the budget is too small for any pair of columns: they are released one by one, as independent"


@dataclass(frozen=True, eq=False)
class Spending:
    """What the rest of the price goes to."""

    pairs: TablePlan
    for_pairs: Fraction
    triples: Sequence[Steps]
    """What a second round may choose from."""
    twice: bool
    """Whether there is a second round."""
    for_triples: Fraction
    for_calibration: Fraction
    workload: WholeTable

    @property
    def remarks(self) -> list[str]:
        """What answers say of it."""
        return [] if self.pairs.tables else [NO_PAIRS]


def planned(survey: BudgetedDoor, seen: FirstLook, scores: Scores, workload: WholeTable) -> Spending:
    """Which pairs to measure, how finely, and whether triples are worth a second round."""
    for_calibration = survey.share(workload.calibration)
    candidates = triples(seen.groupings)
    pricing = survey.pricing(survey.share(TRIPLES))
    twice = second_round_pays(candidates, scores.by_pair, seen.rows, pricing)
    for_triples = survey.share(SECOND_ROUND if twice else 0.0)
    rest = survey.left - for_calibration - for_triples
    pairs = plan_pairs(seen.groupings, scores.pairs, scores.dependence, seen.rows, survey.pricing(rest), seen.known(),
                       workload.focused(survey.domain))  # fmt: skip
    return Spending(pairs, rest, candidates, twice, for_triples, for_calibration, workload)


def measured_pairs(survey: BudgetedDoor, spending: Spending) -> list[RawTable]:
    """The planned pairs, and the single columns that are worth being measured again."""
    plan = spending.pairs
    if not plan.deviations:
        return []
    return survey.tables([*plan.tables, *plan.again], plan.deviations, spending.for_pairs)


def fit(survey: BudgetedDoor, tables: Sequence[RawTable], scores: Scores, spending: Spending) -> FittedRows:
    """Weighted rows for all tables at once; with a second round, for the triples that it measures too."""
    targets = _agreed(survey, tables)
    by_pair = scores.by_pair
    dependence = [by_pair[tuple(sorted(table.members))] for table in targets.sets]
    if spending.twice:
        return second_round(survey, targets, dependence, tables, spending.triples, spending.for_triples, scores.away,
                            spending.workload)  # fmt: skip
    wider = [table for table in tables if not table.alone]
    noise = TableNoise(survey.law, wider, ordered(survey.domain), ranges_of(survey.domain))
    released = [table.numbers for table in tables]
    done = fit_rows(survey.domain, targets, dependence, released, noise, distances=scores.away)
    return FittedRows([], done, [])


def _agreed(survey: BudgetedDoor, tables: Sequence[RawTable]) -> FitTargets:
    """What the tables say together: single columns first, and pairs that agree with them."""
    columns = [table for table in tables if table.alone]
    totals = ColumnTotals(len(survey.domain.sizes), columns, survey.rows, ordered(survey.domain), survey.found)
    return agree(totals, [table for table in tables if not table.alone])


def model_of(
    survey: BudgetedDoor, tables: Sequence[RawTable], scores: Scores, spending: Spending, fitted: FittedRows
) -> WholeTableModel:
    """All that was released, with the rows fitted to it."""
    return WholeTableModel(
        domain=survey.domain,
        law=survey.law,
        rows=survey.rows,
        tables=(*tables, *fitted.triples),
        scores=scores.distances,
        score_scale=scores.scale,
        cloud=fitted.fit.cloud,
        effective=fitted.fit.effective,
        replicates=fitted.fit.replicates,
        said=(*spending.remarks, *fitted.remarks),
    )
