"""Usual bars of a curator: how far answers of its hypothesis are off, as the table was asked now and then.

A free answer passed a noisy comparison with the table, so that it errs by about the noise of that, whatever is asked.
Besides, a few times in its life a curator compares its hypothesis with the table on many random tables at once, for one
number each time; the hypothesis gets better on average, so that an older number is rather too large than too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadState
from ..maths.distribution import Factored
from ..maths.distribution.kind_ratios import Comparison, KindRatios, deviations
from ..maths.weighted_rows.error_ratios import tables_to_sum
from ..mechanisms.summed_distance import compared
from ..models.weighted.calibration import WeightedCalibration
from ..vault.ledger.sealed_lines import Chain
from .plan import CuratorPlan

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["UsualBars", "bought", "due", "remembered_bars"]

# Tables of two and three columns are compared, whatever the hypothesis has joined; of one where there is no other.
# Errors of free answers over the standard deviation of their comparison, as on other tables (docs/curator.md).
PASSED = 1.15
# Root mean square errors of free answers on points over what raises the threshold, where most lies just below it.
UNSAID = 0.35
COMPARED = Comparison("any", 1, 5)


def due(plan: CuratorPlan, paid: int, bars: UsualBars, *, last: bool) -> int | None:
    """The place of the newest calibration that is due and was not bought, after so many paid answers; None: none is.

    `last`: no further answer can be paid for.
    """
    stages = plan.stages
    place = len(stages) - 1 if last else sum(paid >= stage for stage in stages) - 1
    return place if stages and place > bars.stage else None


def bought(door: Door, plan: CuratorPlan, distribution: Factored, rows: int, stage: int) -> dict[str, Any]:
    """Compares the hypothesis with the table; what the state remembers. Which tables is public chance, by the stage."""
    by_width = tables_to_sum(distribution.one_ways(), np.random.default_rng(stage))
    chosen = [table for tables in by_width[1:3] or by_width for table in tables]
    ratios = compared(
        door, plan.domain, plan.law, sets={COMPARED: chosen}, distribution=distribution, carriers=None, rows=rows,
        amount=plan.calibration_each,
    )  # fmt: skip
    return {"stage": stage, "sum": int(ratios.sums[0]), "expected": int(ratios.expected[0]), "scale": ratios.scales[0]}


@dataclass(frozen=True)
class UsualBars:
    """What the newest calibration says; nothing before the first."""

    plan: CuratorPlan
    stage: int = -1
    ratios: KindRatios | None = None

    def stderr(self, value: float, width: int, rows: float, *, free: bool) -> float:
        """In rows, of an answer of the hypothesis about so many columns; nan where nothing is known."""
        share = np.array([value / rows])
        known = [] if self.ratios is None else [rows * self.ratio(width, rows) * float(deviations(share, 0.0, rows)[0])]
        if free and self.plan.margin is not None:
            # Points miss some questions by up to what raises the threshold, and such answers pass as well.
            known.append(math.hypot(PASSED * self.plan.margin.deviation, UNSAID * self.plan.raised(round(rows))))
        # Both hold: an answer that is usually close was also compared.
        return 1 / math.sqrt(sum(1 / each**2 for each in known)) if known else math.nan

    def ratio(self, width: int, rows: float) -> float:
        """Errors over deviations by chance alone."""
        assert self.ratios is not None
        return self.ratios.ratio("any", width, rows).ratio

    def note(self, *, free: bool) -> str:
        """What the bar means, or why there is none."""
        if free and self.ratios is None:
            return "the bar is made to hold for 95% of free answers, as on other tables"
        if free:
            return "the bar is made to hold for 95% of free answers, as this curator has measured of many questions"
        if self.ratios is None:
            return "unknown: nothing says how far the hypothesis is off; " + self._why()
        return "the bar holds for 95% of questions, as this curator has measured of many about two and three columns"

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
    total, expected, scale = int(entry["sum"]), int(entry["expected"]), float(entry["scale"])
    stage = int(entry["stage"])
    if expected <= 0 or not 0 < scale <= 1e60 or not 0 <= stage < len(plan.stages) or abs(total) > 2**60:
        raise ValueError("a calibration that makes no sense")
    sums, usual = (np.array([number], dtype=np.int64) for number in (total, expected))
    return UsualBars(plan, stage, KindRatios((COMPARED,), sums, usual, (scale,), plan.law))
