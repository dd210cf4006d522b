"""Whole table: noisy single columns and pairs at the resolution their noise can afford, and rows fitted to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ...budget import Price
from ...domain import Domain
from ...laws import Law
from ...maths.weighted_rows.fit_rows import FIT_ROWS
from ...maths.weighted_rows.grouped_sets import RawTable
from ...maths.weighted_rows.rare_design import LEAST_COLUMNS, may_be_rare
from ...maths.weighted_rows.resolution import FOCUS
from ...models.number_shapes import NumberShapes
from ...models.whole_table.whole_table import WholeTableModel
from ...questions.workloads.base import Workload
from ...questions.workloads.whole_table import WholeTable
from ...words import counted, listed
from ..base import Design, Mechanism, Trial, of_kind
from .budgeted_door import BudgetedDoor
from .calibrate import calibrated
from .first_look import FirstLook
from .forecast import WholeTableForecast
from .rare_values import first_look, release_rare
from .steps import fit, measured_pairs, model_of, planned

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["PairRake"]

# Rows and price of a trial: so much that nothing is lost in noise.
TRIAL_RICH = 1000


def _focus_line(workload: WholeTable) -> tuple[str, ...]:
    """What a focus does, for the plan."""
    names = workload.names_in_focus
    if not names:
        return ()
    more = "" if workload.target is None else f", and triples with {workload.target} are looked at first"
    return (f"  focus: errors of tables with {listed(names)} weigh {FOCUS:g} times as much as others{more}",)


class PairRake(Mechanism[WholeTable]):
    """Tables of three columns are nearly determined by those of two through maximum entropy [Csi75].

    So the budget goes to pairs, chosen and sized by cheap noisy scores of dependence; the rest is public: soft raking
    [DemS40] of weighted rows.
    """

    name = "pair-rake"
    source = "DemS40"
    answers = (WholeTable,)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[WholeTable]:
        """Which tables are measured is decided during the release, from released numbers."""
        workload.check(domain)
        asked = of_kind(workload, WholeTable)
        outlook = WholeTableForecast(domain, price, asked.calibration)
        pairs = math.comb(len(domain.sizes), 2)
        return Design(
            by=self,
            summary=f"{counted(len(domain.sizes), 'column')} and up to {counted(pairs, 'pair')} with "
            f"{outlook.law.noise}, and weighted rows fitted to them",
            price=price,
            numbers=sum(domain.sizes) + pairs + outlook.cells(rows),
            forecasts=(outlook.one_ways(),),
            memory=400_000_000 + 16 * FIT_ROWS * len(domain.sizes),
            work=1e6 * (len(domain.sizes) * 1.6e-7 + pairs * 4e-9),
            outlook=(*_focus_line(asked), *outlook.lines(rows)),
            fit_seconds=(1.0 + 0.06 * pairs) * (2 if rows is not None and outlook.second_round(rows) else 1),
            parameters=asked,
        )

    def trials(self, domain: Domain, design: Design[WholeTable]) -> Iterator[Trial]:
        """Few columns, but dependent ones, so that pairs and triples are measured."""
        from ...maths.weighted_rows.kernels import compile_seldom_met

        compile_seldom_met()
        sizes = [min(size, 6 if size <= 256 else size) for size in sorted(domain.sizes)[-3:]]
        yield self._trial(domain, design, [max(2, size) for size in sizes], lambda row, _: row)
        if may_be_rare(domain.sizes, Law.of(design.price)):
            # Each row has one of the rare values, but for every third, which has none.
            yield self._trial(domain, design, [2] * LEAST_COLUMNS, lambda row, j: row % (3 * LEAST_COLUMNS) == 3 * j)

    def _trial(
        self, like: Domain, design: Design[WholeTable], sizes: list[int], code: Callable[[int, int], int]
    ) -> Trial:
        values = [[f"v{i}" for i in range(size)] for size in sizes]
        made = Domain.from_dict({
            "table": like.table,
            "neighbours": like.unit.neighbours,
            "unit": like.unit.declared,
            "attributes": {
                f"c{j}": {"kind": "category", "values": own, "missing": "error"} for j, own in enumerate(values)
            },
        })  # fmt: skip
        rows = {
            f"c{j}": [own[int(code(row, j)) % len(own)] for row in range(TRIAL_RICH)] for j, own in enumerate(values)
        }
        price = Price(currency=design.price.currency, amount=Fraction(TRIAL_RICH))
        return Trial(
            domain=made,
            design=self.design(made, WholeTable(design.parameters.calibration), price, TRIAL_RICH),
            rows=rows,
        )

    def release(self, door: Door, domain: Domain, design: Design[WholeTable]) -> WholeTableModel:
        """After the last measurement only the calibration looks at rows again."""
        return _released(BudgetedDoor(door, domain, design.price), design.parameters)

    def release_found(
        self, door: Door, domain: Domain, design: Design[WholeTable], found: NumberShapes
    ) -> WholeTableModel:
        """With what the passes that found cells say of single columns."""
        return _released(BudgetedDoor(door, domain, design.price, found), design.parameters)


def _released(survey: BudgetedDoor, workload: WholeTable) -> WholeTableModel:
    first: list[RawTable] = []
    if may_be_rare(survey.domain.sizes, survey.law):
        first, rare = first_look(survey)
        if rare is not None:
            return release_rare(survey, first, rare, workload.calibration)
    seen = FirstLook.measured(survey, first)
    scores = seen.scored(survey)
    seen = seen.put_in_order(survey, scores)
    spending = planned(survey, seen, scores, workload)
    tables = [*seen.tables, *measured_pairs(survey, spending)]
    fitted = fit(survey, tables, scores, spending)
    model = model_of(survey, tables, scores, spending, fitted)
    return model if spending.for_calibration == 0 else calibrated(survey, model)
