"""The linear program: odds of every type at least expected loss, under the cuts found so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .cuts import Cuts
from .linear import attempt, solver_failed
from .metric import Floats, Numbers

__all__ = ["Extra", "Program", "Solved", "no_extra"]

TIGHT = 1e-9
OUT_OF_TIME = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Extra:
    """Columns beside the odds, and rows over both: parity between groups, and slack between them."""

    columns: int = 0
    cost: Floats = field(default_factory=lambda: np.empty(0))
    rows: Any = None
    """Sparse, over all columns; None where there is none."""
    bounds: Floats = field(default_factory=lambda: np.empty(0))
    slack_of: Numbers | None = None
    """For each type the column of its slack, or -1; None where no pair has slack."""
    side: Numbers | None = None
    """1 for the protected group, 2 for the other, 0 for neither; slack is between 1 and 2 alone."""


def no_extra() -> Extra:
    """Nothing but odds."""
    return Extra()


@dataclass(frozen=True, eq=False)
class Solved:
    """The best odds under some cuts, with a bound below which no fair rule can go."""

    odds: Floats
    extra: Floats
    bound: float
    prices: Floats
    """What a little more distance would save, one number a cut."""
    room: Floats
    """How far each cut is from binding."""


class Program:
    """Minimise sum cost * odds over odds that are distributions, with extra columns between 0 and 1."""

    def __init__(self, cost: Floats, extra: Extra) -> None:
        from scipy.sparse import csr_array

        self.types, self.actions = cost.shape
        self.extra = extra
        self.cost = np.concatenate([cost.ravel(), extra.cost])
        cells = self.types * self.actions
        starts = np.arange(0, cells + 1, self.actions)
        self._sums = csr_array((np.ones(cells), np.arange(cells), starts), shape=(self.types, len(self.cost)))

    def solve(self, cuts: Cuts, seconds: float) -> Solved | None:
        """The optimum under these cuts; None when the time is over first."""
        from scipy.sparse import vstack

        rows, bound = self._rows(cuts), cuts.bound
        if self.extra.rows is not None:
            rows, bound = vstack([rows, self.extra.rows]).tocsr(), np.concatenate([bound, self.extra.bounds])
        result = self._run(rows, bound, seconds)
        if result is None:
            return None
        prices = np.maximum(-np.asarray(result.ineqlin.marginals), 0.0)
        cells = self.types * self.actions
        odds = np.asarray(result.x[:cells]).reshape(self.types, self.actions)
        certified = self._certified(rows, bound, prices)
        return Solved(odds, np.asarray(result.x[cells:]), certified, prices[: len(cuts)], result.slack[: len(cuts)])

    def _certified(self, rows: Any, bound: Floats, prices: Floats) -> float:
        """A lower bound that holds for any prices of at least 0, however inexact the solver was (weak duality)."""
        reduced = self.cost + rows.T @ prices
        cells = self.types * self.actions
        best = reduced[:cells].reshape(self.types, self.actions).min(axis=1).sum()
        return float(best + np.minimum(reduced[cells:], 0.0).sum() - prices @ bound)

    def _rows(self, cuts: Cuts) -> Any:
        from scipy.sparse import csr_array

        line, action = np.nonzero(cuts.outcomes)
        first, second = (types[line] * self.actions + action for types in (cuts.first, cuts.second))
        lines, columns = [line, line], [first, second]
        values = [np.ones(len(line)), -cuts.factor[line]]
        slack = self.slack_columns(cuts.first, cuts.second)
        if slack is not None:
            has = np.flatnonzero(slack >= 0)
            lines.append(has)
            columns.append(slack[has])
            values.append(np.full(len(has), -1.0))
        where = (np.concatenate(lines), np.concatenate(columns))
        return csr_array((np.concatenate(values), where), shape=(len(cuts), len(self.cost)))

    def slack_columns(self, first: Numbers, second: Numbers) -> Numbers | None:
        """For each pair the column of the slack that it may use, -1 for none."""
        of, side = self.extra.slack_of, self.extra.side
        if of is None or side is None:
            return None
        crossing = side[first] * side[second] == 2
        return np.where(crossing, np.where(side[first] == 1, of[first], of[second]), -1)

    def _run(self, rows: Any, bound: Floats, seconds: float) -> Any:
        """HiGHS' dual simplex; its interior point method where that fails."""
        end = time.monotonic() + seconds
        equal: dict[str, Any] = {"A_eq": self._sums, "b_eq": np.ones(self.types), "bounds": (0, 1)}
        tight = {"primal_feasibility_tolerance": TIGHT, "dual_feasibility_tolerance": TIGHT}
        for method, presolve in (("highs-ds", False), ("highs-ipm", True)):
            left = end - time.monotonic()
            if left <= 0:
                return None
            options = {"presolve": presolve, "time_limit": left, **tight}
            result = attempt(self.cost, A_ub=rows, b_ub=bound, method=method, options=options, **equal)
            if result.status == 0:
                return result
            if result.status == OUT_OF_TIME:
                return None
        raise solver_failed(result)
