"""Whole table: noisy single columns and pairs at the resolution their noise can afford, and rows fitted to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..budget import Price
from ..domain import Domain
from ..errors import counted
from ..models.whole_table import WholeTableModel
from ..rake import resolution
from ..rake.audit import AUDIT_UNIT
from ..rake.carried import FIT_ROWS, carried
from ..rake.consistency import agree
from ..rake.levels import Ladder
from ..rake.ordering import likeness_order, profile_sets, unordered
from ..rake.outlook import CRUDE, ONE_WAYS, ONE_WAYS_AGAIN, PROFILES, ROWS, SCORES, Outlook, one_way_plan
from ..rake.rare_columns import may_be_rare
from ..rake.shares import Totals
from ..rake.tables import RawTable
from ..rake.triples import TRIPLES, second_round_pays, triples
from ..workloads.base import Workload
from ..workloads.whole_table import WholeTable
from .base import Design, Mechanism
from .rare_survey import first_look, release_rare
from .second_round import SECOND_ROUND, second_round
from .survey import Survey, law_of

if TYPE_CHECKING:
    from ..vault.door import Door

__all__ = ["PairRake"]

Floats = NDArray[np.float64]
# Standard errors above 0 from which on the number of rows counts as known.
SURELY = 3.0


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
        outlook = Outlook(domain, price, asked.audit, law_of(price))
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

    def release(self, door: Door, domain: Domain, design: Design) -> WholeTableModel:
        """See Mechanism. After the last measurement only the audit looks at rows again."""
        survey, asked = Survey(door, domain, design.price), cast(WholeTable, design.parameters)
        first: list[RawTable] = []
        if may_be_rare(domain.sizes, survey.law):
            first, columns_of = first_look(survey)
            if columns_of is not None:
                return release_rare(survey, first, columns_of, asked.audit)
        contrasted = survey.law == "gaussian"
        raw = first + _alone(survey)
        totals = Totals(len(domain.sizes), raw, survey.rows)
        rows, shares = max(totals.rows, 1.0), totals.shares()
        loose = unordered(domain)
        ladders = [Ladder(p, np.argsort(-p, kind="stable") if j in loose else None) for j, p in enumerate(shares)]
        sets = resolution.score_sets(ladders)
        pairs = [one.members for one in sets]
        distances, scale = survey.distances(sets, lambda one: one.expected(shares), rows, survey.share(SCORES))
        deviation = survey.deviation(scale) / AUDIT_UNIT
        scores = resolution.dependence(distances / AUDIT_UNIT, deviation, sets, shares, totals.variances, rows)
        if totals.rows < SURELY * math.sqrt(totals.rows_variance):
            scores[:] = 0.0  # a table that cannot be told from an empty one has no pairs
        raw = raw + _put_in_order(survey, ladders, pairs, scores, rows)
        spare = survey.share(asked.audit if survey.auditable else 0.0)
        by_pair = dict(zip(pairs, scores.tolist(), strict=True))
        candidates = triples(ladders)
        twice = second_round_pays(candidates, by_pair, rows, survey.pricing(survey.share(TRIPLES)))
        later = survey.share(SECOND_ROUND if twice else 0.0)
        rest, columns = survey.left - spare - later, _columns(raw, shares, rows)
        plan = resolution.plan_pairs(ladders, pairs, scores, rows, survey.pricing(rest), columns)
        said: list[str] = []
        if not plan.tables:
            said.append("the budget is too small for any pair of columns: they are released one by one, as independent")
        if plan.deviations:
            raw = raw + survey.tables([*plan.tables, *plan.again], plan.deviations, rest, contrasted=contrasted)
        agreed = agree(
            Totals(len(domain.sizes), [one for one in raw if one.alone], survey.rows), [o for o in raw if not o.alone]
        )
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


def _alone(survey: Survey) -> list[RawTable]:
    """Every column, and once more if what is seen is noise for a good part: groups and scores are made by it."""
    sizes, private = survey.domain.sizes, survey.domain.unit.neighbours == "add-remove"
    sets, shape = one_way_plan(sizes, survey.law, private_rows=private)
    contrasted = survey.law == "gaussian"
    raw = survey.tables(sets, shape, survey.share(ONE_WAYS + ROWS * private), contrasted=contrasted)
    rows = max(Totals(len(sizes), raw, survey.rows).rows, 1.0)
    pricing = survey.pricing(survey.left)
    noise = [pricing.loss(one.set) * math.sqrt(one.variance) / rows for one in raw if one.set.members]
    if float(np.mean(noise)) <= CRUDE:
        return raw
    return raw + survey.tables(sets, shape, survey.share(ONE_WAYS_AGAIN), contrasted=contrasted)


def _put_in_order(
    survey: Survey, ladders: list[Ladder], pairs: Sequence[tuple[int, ...]], scores: Floats, rows: float
) -> list[RawTable]:
    """Measures profiles of the values of unordered columns, and orders their ladders by these."""
    columns = unordered(survey.domain)
    shares = [ladder.shares for ladder in ladders]
    sets = profile_sets(columns, ladders, pairs, scores)
    if not sets:
        return []
    profiles = survey.tables(sets, [1.0] * len(sets), survey.share(PROFILES), contrasted=survey.law == "gaussian")
    for j in columns:
        ladders[j] = Ladder(shares[j], likeness_order(j, profiles, shares, rows))
    return profiles


def _columns(raw: Sequence[RawTable], shares: Sequence[Floats], rows: float) -> list[resolution.Column]:
    """What is known of each column so far, and how much better it is worth to be known."""
    found = {table.set.members: table.set for table in raw if table.alone and table.set.cells > 1}
    out = []
    for (j,), one in found.items():
        deviation = sum(1 / table.variance for table in raw if table.set.members == (j,)) ** -0.5
        large = float((rows * shares[j] > deviation).sum())
        # A column is in (d - 1) (d - 2) / 2 tables of three, a pair in d - 2.
        out.append(resolution.Column(one, deviation, large, (len(shares) - 1) / 2))
    return out
