"""Usual bars of a curator: how far answers of its hypothesis are off, as the table was asked now and then.

A free answer passed a noisy comparison with the table, so that it errs by about the noise of that, whatever is asked.
Besides, a few times in its life a curator compares its hypothesis with the table on many random tables at once, for one
number each time; the hypothesis gets better on average, so that an older number is rather too large than too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadState
from ..maths.distribution import Factored
from ..maths.distribution.kind_ratios import (
    DEPENDENCE,
    Comparison,
    KindRatios,
    deviations,
    pair_comparisons,
    tables_of_pairs,
)
from ..maths.weighted_rows.error_ratios import tables_to_sum
from ..mechanisms.summed_distance import compared
from ..models.weighted.calibration import WeightedCalibration, read_ratios
from ..vault.ledger.sealed_lines import Chain
from .plan import CuratorPlan
from .subject import Asked, Subject

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["UsualBars", "bought", "due", "remembered_bars"]

# Errors of free answers over the standard deviation of their comparison, as on other tables (docs/curator.md).
PASSED = 1.0
# Root mean square errors of free answers on points over what raises the threshold, where most lies just below it.
UNSAID = 0.35
# Tables of two and three columns are compared, whatever the hypothesis has joined; of one where there is no other, and
# as older versions did.
COMPARED = Comparison("any", 1, 5)
OLDER = {"sums": "sum", "expected": "expected", "scales": "scale"}


def due(plan: CuratorPlan, paid: int, bars: UsualBars, *, last: bool) -> int | None:
    """The place of the newest calibration that is due and was not bought, after so many paid answers; None: none is.

    `last`: no further answer can be paid for.
    """
    stages = plan.stages
    place = len(stages) - 1 if last else sum(paid >= stage for stage in stages) - 1
    return place if stages and place > bars.stage else None


def bought(door: Door, plan: CuratorPlan, distribution: Factored, rows: int, stage: int) -> dict[str, Any]:
    """Compares the hypothesis with the table; what the state remembers. Which tables is public chance, by the stage."""
    random = np.random.default_rng(stage)
    sets = tables_of_pairs(distribution, random, _by_pairs(plan, rows))
    if not sets:
        by_width = tables_to_sum(distribution.one_ways(), random)
        wide = [table for tables in by_width[1:3] for table in tables]
        sets = {DEPENDENCE: wide} if wide else {COMPARED: by_width[0]}
    ratios = compared(
        door, plan.domain, plan.law, sets=sets, distribution=distribution, carriers=None, rows=rows,
        amount=plan.calibration_each,
    )  # fmt: skip
    return {
        "stage": stage,
        "compared": [[each.kind, each.least, each.most, list(each.columns)] for each in ratios.comparisons],
        "sums": ratios.sums.tolist(),
        "expected": ratios.expected.tolist(),
        "scales": list(ratios.scales),
    }


def _by_pairs(plan: CuratorPlan, rows: int) -> tuple[Comparison, ...]:
    """What is compared where there are few columns, so that all that is not known may lie in one pair of them."""
    moved = Fraction(plan.domain.unit.moved) ** plan.law.power
    change = plan.law.stderr(plan.law.scale(moved, plan.calibration_each))
    return pair_comparisons(len(plan.domain.sizes), change, rows, plan.law)


@dataclass(frozen=True)
class UsualBars:
    """What the newest calibration says; nothing before the first."""

    plan: CuratorPlan
    stage: int = -1
    ratios: KindRatios | None = None

    def stderr(self, value: float, asked: Asked, subject: Subject, *, free: bool) -> float:
        """In rows, of what the hypothesis says to a question; nan where nothing is known."""
        known, rows = [], subject.rows
        if self.ratios is not None and self.ratios.apart:
            known.append(rows * float(self.ratios.by_parts(asked.parts, rows, subject.start_variance)[0]))
        elif self.ratios is not None:
            deviation = float(deviations(np.array([value / rows]), 0.0, rows)[0])
            known.append(rows * self.ratios.ratio("any", asked.width, rows).ratio * deviation)
        if free and self.plan.margin is not None:
            # Points miss some questions by up to what raises the threshold, and such answers pass as well.
            known.append(math.hypot(PASSED * self.plan.margin.deviation, UNSAID * self.plan.raised(round(rows))))
        # Both hold: an answer that is usually close was also compared.
        return 1 / math.sqrt(sum(1 / each**2 for each in known)) if known else math.nan

    def note(self, *, free: bool) -> str:
        """What the bar means, or why there is none."""
        if free and self.ratios is None:
            return "the bar is made to hold for 95% of free answers, as on other tables"
        if free:
            return "the bar is made to hold for 95% of free answers, as this curator has measured of many questions"
        if self.ratios is None:
            return "unknown: nothing says how far the hypothesis is off; " + self._why()
        of = "every pair of columns" if self.ratios.by_pairs else "many about two and three columns"
        return f"the bar holds for 95% of questions, as this curator has measured of {of}"

    def _why(self) -> str:
        if self.plan.workload is not None:
            return "lists of values have no random questions to compare"
        if self.plan.way == "independent":
            return "where every answer is paid for, none is kept for comparing it"
        return "rows and budget are too few to compare it with the table, or it was begun without a calibration"

    def calibration(self) -> WeightedCalibration | None:
        """For the frozen hypothesis."""
        if self.ratios is None:
            return None
        return WeightedCalibration(self.ratios, tuple(range(len(self.plan.domain.sizes))), replicates=False)


def remembered_bars(plan: CuratorPlan, state: Chain) -> UsualBars:
    """As the newest calibration in the state has them. BadState where no curator wrote it."""
    entries = [entry for entry in state.entries if entry["kind"] == "calibration"]
    if not entries:
        return UsualBars(plan)
    try:
        return read_bars(plan, entries[-1])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadState("the curator's state holds something that no curator wrote; put the right file back") from None


def read_bars(plan: CuratorPlan, entry: dict[str, Any]) -> UsualBars:
    """From what `bought` wrote."""
    stage = int(entry["stage"])
    if "sum" in entry:  # one number, as older versions wrote it
        entry = {name: [entry[own]] for name, own in OLDER.items()} | {"compared": [list(COMPARED[:3])]}
    told = {"scales": entry["scales"], "compared": entry["compared"]}
    ratios = read_ratios(told, np.array([*entry["sums"], *entry["expected"]], dtype=np.int64), plan.law)
    if not 0 <= stage < len(plan.stages) or not ratios.comparisons:
        raise ValueError("a calibration that makes no sense")
    return UsualBars(plan, stage, ratios)
