"""Whole table: noisy single columns and pairs at the resolution their noise can afford, and rows fitted to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from ...budget import Price
from ...domain import Domain
from ...maths.weighted_rows.carried import FIT_ROWS, carried
from ...maths.weighted_rows.consistency import agree
from ...maths.weighted_rows.ordering import ordered
from ...maths.weighted_rows.rare_columns import LEAST_COLUMNS, may_be_rare
from ...maths.weighted_rows.resolution import plan_pairs
from ...maths.weighted_rows.shares import Totals
from ...maths.weighted_rows.tables import RawTable
from ...maths.weighted_rows.triples import TRIPLES, second_round_pays, triples
from ...models.whole_table.whole_table import WholeTableModel
from ...questions.workloads.base import Workload
from ...questions.workloads.whole_table import WholeTable
from ...words import counted
from ..base import Design, Mechanism, Trial
from .budgeted_door import BudgetedDoor, law_of
from .first_look import FirstLook
from .forecast import WholeTableForecast
from .rare_values import first_look, release_rare
from .second_round import SECOND_ROUND, second_round

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["PairRake"]

# Rows and price of a trial: so much that nothing is lost in noise.
TRIAL_RICH = 1000
NO_PAIRS = "the budget is too small for any pair of columns: they are released one by one, as independent"


class PairRake(Mechanism):
    """Tables of three columns are nearly determined by those of two through maximum entropy [Csi75].

    So the budget goes to pairs, chosen and sized by cheap noisy scores of dependence; the rest is public: soft raking
    [DemS40] of weighted rows.
    """

    name = "pair-rake"
    source = "DemS40"

    def suits(self, workload: Workload) -> bool:
        """The whole table only."""
        return isinstance(workload, WholeTable)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design:
        """See Mechanism. Which tables are measured is decided during the release, from released numbers."""
        workload.check(domain)
        asked = cast(WholeTable, workload)
        outlook = WholeTableForecast(domain, price, asked.audit, law_of(price))
        pairs = math.comb(len(domain.sizes), 2)
        return Design(
            mechanism=self.name,
            summary=f"{counted(len(domain.sizes), 'column')} and up to {counted(pairs, 'pair')} with discrete "
            f"{law_of(price).title()} noise, and weighted rows fitted to them",
            price=price,
            numbers=sum(domain.sizes) + pairs + outlook.cells(rows),
            forecasts=(outlook.one_ways(),),
            memory=400_000_000 + 16 * FIT_ROWS * len(domain.sizes),
            work=1e6 * (len(domain.sizes) * 1.6e-7 + pairs * 4e-9),
            outlook=outlook.lines(rows),
            fit_seconds=(1.0 + 0.06 * pairs) * (2 if rows is not None and outlook.second_round(rows) else 1),
            parameters=asked,
        )

    def trials(self, domain: Domain, design: Design) -> Iterator[Trial]:
        """See Mechanism. Few columns, but dependent ones, so that pairs and triples are measured."""
        sizes = [min(size, 6 if size <= 256 else size) for size in sorted(domain.sizes)[-3:]]
        yield self._trial(domain, design, [max(2, size) for size in sizes], lambda row, _: row)
        if may_be_rare(domain.sizes, law_of(design.price)):
            # Each row has one of the rare values, but for every third, which has none.
            yield self._trial(domain, design, [2] * LEAST_COLUMNS, lambda row, j: row % (3 * LEAST_COLUMNS) == 3 * j)

    def _trial(self, like: Domain, design: Design, sizes: list[int], code: Callable[[int, int], int]) -> Trial:
        values = [[f"v{i}" for i in range(size)] for size in sizes]
        made = Domain.from_dict({
            "table": like.table,
            "neighbours": like.unit.neighbours,
            "unit": {"rows": like.unit.rows},
            "attributes": {
                f"c{j}": {"kind": "category", "values": own, "missing": "error"} for j, own in enumerate(values)
            },
        })  # fmt: skip
        rows = {
            f"c{j}": [own[int(code(row, j)) % len(own)] for row in range(TRIAL_RICH)] for j, own in enumerate(values)
        }
        price = Price(currency=design.price.currency, amount=Fraction(TRIAL_RICH))
        return Trial(domain=made, design=self.design(made, design.parameters, price, TRIAL_RICH), rows=rows)

    def release(self, door: Door, domain: Domain, design: Design) -> WholeTableModel:
        """See Mechanism. After the last measurement only the audit looks at rows again."""
        survey, asked = BudgetedDoor(door, domain, design.price), cast(WholeTable, design.parameters)
        first: list[RawTable] = []
        if may_be_rare(domain.sizes, survey.law):
            first, columns_of = first_look(survey)
            if columns_of is not None:
                return release_rare(survey, first, columns_of, asked.audit)
        seen = FirstLook.measured(survey, first)
        pairs, scores, distances, scale = seen.scored(survey)
        raw = seen.raw + seen.put_in_order(survey, pairs, scores)
        by_pair = dict(zip(pairs, scores.tolist(), strict=True))
        spare = survey.share(asked.audit if survey.auditable else 0.0)
        candidates = triples(seen.ladders)
        twice = second_round_pays(candidates, by_pair, seen.rows, survey.pricing(survey.share(TRIPLES)))
        later = survey.share(SECOND_ROUND if twice else 0.0)
        rest = survey.left - spare - later
        plan = plan_pairs(seen.ladders, pairs, scores, seen.rows, survey.pricing(rest), seen.known())
        said = [] if plan.tables else [NO_PAIRS]
        if plan.deviations:
            raw = raw + survey.tables([*plan.tables, *plan.again], plan.deviations, rest)
        alone = Totals(len(domain.sizes), [one for one in raw if one.alone], survey.rows, ordered(domain))
        agreed = agree(alone, [one for one in raw if not one.alone])
        dependence = [by_pair[tuple(sorted(one.members))] for one in agreed.sets]
        if twice:
            second = second_round(survey, agreed, dependence, raw, candidates, later)
            cloud, effective, raw, said = second.cloud, second.effective, raw + second.tables, said + second.said
        else:
            cloud, effective = carried(domain, agreed, dependence, [one.numbers for one in raw])
        model = WholeTableModel(domain=domain, law=survey.law, rows=survey.rows, tables=tuple(raw), scores=distances,
                                score_scale=scale, cloud=cloud, effective=effective, said=tuple(said))  # fmt: skip
        if spare == 0:
            return model
        return replace(model, audit=survey.audit(model.cloud.table, model.total[0], survey.left))
