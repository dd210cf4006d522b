"""Belief: what a curator's measurements say together. Public: it never sees a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..maths.distribution.measured import Measured
from ..maths.distribution.running import Running
from .plan import CuratorPlan

if TYPE_CHECKING:
    from ..models.weighted.weighted import WeightedModel

__all__ = ["MOST_CELLS", "Belief"]

# No group of attributes is joined to more cells.
MOST_CELLS = 1 << 22
# Passes over all answers where they are fitted at once.
PASSES = 5


class Belief:
    """A hypothesis with the measurements behind it.

    In the way `hypothesis` it is corrected with every paid answer. In the way `independent` nobody asks it before
    the last answer is paid, so it is fitted when it is first wanted.
    """

    def __init__(self, plan: CuratorPlan, *, rows: int, rows_stderr: float, start: Sequence[Measured]) -> None:
        self.plan, self.rows, self.rows_stderr = plan, rows, rows_stderr
        self._start, self._measured = list(start), list[Measured]()
        self._waiting: list[Measured] = []
        evidence = [one.evidence(rows=rows, grid=1, law=plan.law) for one in start]
        self._running = Running(plan.domain.sizes, cap=MOST_CELLS, start=evidence)

    def share(self, positions: tuple[int, ...], true: NDArray[np.bool_]) -> float:
        """The share of rows it expects a condition to be true for."""
        self._fit()
        return self._running.share(positions, true)

    def learn(self, one: Measured) -> list[float]:
        """Takes a paid answer in; returns the log-weights that changed, none if it has to stay outside."""
        if self.plan.way == "independent":
            self._waiting.append(one)
            return []
        if not self._running.can_learn(one.positions):
            return []
        self._measured.append(one)
        self._running.learn(one.evidence(rows=self.rows, grid=1, law=self.plan.law))
        return [float(item.theta[0]) for item in self._running.recent if item.theta is not None]

    def restore(self, kept: Iterable[tuple[Measured, Sequence[float]]]) -> None:
        """Takes in what an earlier process learned, as it learned it."""
        if self.plan.way == "independent":
            self._waiting += [one for one, _ in kept]
            return
        items = []
        for one, theta in kept:
            if theta:
                items.append(one.evidence(rows=self.rows, grid=1, law=self.plan.law))
                self._measured.append(one)
                for item, found in zip(items[-len(theta) :], theta, strict=True):
                    item.theta = np.array([found])
        self._running.restore(items)

    def check(self) -> None:
        """ValueError when what was restored is no distribution."""
        if not all(np.isfinite(group.table).all() for group in self._running.hypothesis.groups):
            raise ValueError("weights that are no distribution")

    def model(self) -> WeightedModel:
        """All of it as a model that answers any question."""
        from ..models.weighted.weighted import WeightedModel

        self._fit()
        return WeightedModel.of(
            self.plan.domain,
            [*self._start, *self._measured],
            [*self._running.start, *self._running.learned],
            law=self.plan.law,
            rows=self.rows,
            rows_stderr=self.rows_stderr,
            cap=MOST_CELLS,
        )

    def _fit(self) -> None:
        """Fits what is waiting, together with all that was learned before."""
        fresh = [one for one in self._waiting if self._joined(one)]
        self._waiting.clear()
        if fresh:
            self._measured += fresh
            self._running.learned += [one.evidence(rows=self.rows, grid=1, law=self.plan.law) for one in fresh]
            self._running.refit(self._running.learned, passes=PASSES)

    def _joined(self, one: Measured) -> bool:
        fits = self._running.can_learn(one.positions)
        if fits:
            self._running.hypothesis.join(one.positions)
        return fits
