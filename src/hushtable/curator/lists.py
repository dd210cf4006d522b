"""What a curator of lists believes, and what a synopsis for the same budget would give instead."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import HushError
from ..maths.distribution.lazy_weights import LazyWeights
from .plan import CuratorPlan

__all__ = ["ListBelief", "synopsis_error"]

# After a new answer the most recent ones are corrected again, so many times: they stay true while the weights move on.
RECENT, PASSES = 40, 2
# Few cells would make the first guess of every list large; many cost only their logarithm.
CELLS_PER_ROW = 20


class ListBelief:
    """Weights with the measurements behind them. Public: they never see a row."""

    def __init__(self, plan: CuratorPlan, *, rows: int) -> None:
        assert plan.workload is not None
        self.rows, self.rows_stderr = rows, plan.rows_stderr
        # One cell more than all corrections together can assign.
        most = plan.workload.size * plan.paid_answers + 1
        self.weights = LazyWeights(max(most, CELLS_PER_ROW * rows))
        # Where every answer is paid for, the weights are asked after the last one only, and one pass has to do.
        self._passes = PASSES if plan.way == "hypothesis" else 0
        self._seen: list[tuple[dict[bytes, float], float]] = []

    def share(self, question: Mapping[bytes, float]) -> float:
        """The share of rows it expects to have a key of the list."""
        return self.weights.share(question)

    def learn(self, question: Mapping[bytes, float], value: float) -> None:
        """Takes in a measured number of rows."""
        self._seen.append((dict(question), min(max(value / self.rows, 0.0), 1.0)))
        for one, share in [self._seen[-1], *self._seen[-RECENT:] * self._passes]:
            self.weights.correct(one, 4 * (share - self.weights.share(one)))


def synopsis_error(plan: CuratorPlan) -> float | None:
    """Forecast error, in rows, of lists of the planned size asked of a synopsis that costs the same."""
    from ..mechanisms.planner import plan as plan_release

    try:
        made = plan_release(plan.domain, workload=plan.workload, budget=plan.budget, rows=plan.rows)
    except HushError:
        return None
    return made.design.forecasts[-1].typical
