"""Running: a distribution that is asked all the time and corrected now and then, one condition at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .factored import Factored, Group
from .fit import Evidence, fit

__all__ = ["Running"]

Truth = NDArray[np.bool_]
# Earlier measurements that are fitted again with a new one, and how often.
WINDOW, PASSES = 60, 2
# Distributions of at most so many cells are fitted until they hardly move.
SMALL, SMALL_PASSES = 4096, 20
# ... unless measurements contradict each other, which drives log-weights apart for ever.
FAR = 50.0
# Tables of the start are fitted again where they have at most so many cells together.
MOST_BEGUN = 4096
# Passes over the tables that the distribution starts from: each has attributes of its own, so that few are needed.
START_PASSES = 20
# Sets of attributes whose layout is remembered.
MOST_LAYOUTS = 4096


class Layout(NamedTuple):
    """Where the cells of a few attributes lie in their group's table."""

    group: Group
    bases: NDArray[np.int32]
    """The first cell of each combination of codes (C order)."""
    outer: NDArray[np.int32]
    inner: NDArray[np.int32]
    """A combination's cells are base + outer[o] + inner[i]."""


class Running:
    """Starts from noisy tables, then learns from 0/1 conditions; the same fit as `fit`, but for single sums.

    A condition touches only the cells where it is true, or only those where it is not, whichever are fewer.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        cap: int,
        start: Sequence[Evidence] = (),
        distribution: Factored | None = None,
    ) -> None:
        self.distribution = distribution or Factored(sizes, cap=cap)
        self.start = list(start)
        self.learned: list[Evidence] = []
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._chosen: dict[int, tuple[Layout, NDArray[np.int32], bool]] = {}
        # numba loads with the first distribution, not with this file.
        from . import running_kernel

        self._kernel = running_kernel
        fit(self.distribution, self.start, passes=START_PASSES)

    def share(self, positions: tuple[int, ...], true: Truth) -> float:
        """The share of rows for which a condition (flat over the codes at `positions`, C order) is true."""
        layout = self._layout(positions)
        if layout is None:
            return min(float(self.distribution.table(positions).ravel()[true].sum()), 1.0)
        return min(float(self._kernel.total(layout.group.table, layout.bases[true], layout.outer, layout.inner)), 1.0)

    def can_learn(self, positions: tuple[int, ...], true: Truth) -> bool:
        """Whether the attributes can be joined within the cap."""
        return self.distribution.cells(positions) <= self.distribution.cap

    @property
    def recent(self) -> list[Evidence]:
        """The newest measurement and those that are fitted again with it."""
        return self.learned[-WINDOW - 1 :]

    def learn(self, item: Evidence) -> None:
        """Takes a new measurement in, and fits it together with the last ones."""
        group = self.distribution.join(item.positions)
        self.learned.append(item)
        begun = self.begun(item.positions)
        for number in range(SMALL_PASSES if begun and group.table.size <= SMALL else PASSES):
            if number >= PASSES and max(_largest(each) for each in self.recent) > FAR:
                break
            self.refit(self.recent, passes=1)
            fit(self.distribution, begun, passes=1)

    def begun(self, positions: Sequence[int]) -> list[Evidence]:
        """The start's tables that are fitted again with a measurement of these attributes: those of its group.

        Without it what is learned of several attributes moves each of them away from what was measured of it alone.
        """
        members = {p for group in self.distribution.spanned(positions) for p in group.members}
        found = [item for item in self.start if members.issuperset(item.positions)]
        return found if sum(len(item.target) for item in found) <= MOST_BEGUN else []

    def refit(self, items: Sequence[Evidence], *, passes: int) -> None:
        """Fits conditions that were learned before, the newest first."""
        for _ in range(passes):
            # Dividing a whole table after every step would cost more than the steps: its sum is kept instead.
            sums = {id(group): 1.0 for group in self.distribution.groups}
            for item in reversed(items):
                self._step(item, sums)
            for group in self.distribution.groups:
                group.table /= group.table.sum()

    def restore(self, items: Sequence[Evidence], begun: Mapping[int, Sequence[float]] | None = None) -> None:
        """Takes in measurements with the log-weights that an earlier run found for them.

        `begun` has those of the start's tables, by their place, where they were fitted again.
        """
        for place, theta in (begun or {}).items():
            start = self.start[place]
            if start.theta is None or len(theta) != len(start.theta):
                raise ValueError("log-weights of another table")
            self.distribution.multiply(start.positions, np.exp(np.array(theta) - start.theta))
            start.theta = np.array(theta)
        for item in items:
            assert item.theta is not None
            self.distribution.multiply(item.positions, np.exp(item.exponent(item.theta)))
            self.learned.append(item)

    def _step(self, item: Evidence, sums: dict[int, float]) -> None:
        """One log-weight solved exactly, by the same rule as `fit`."""
        assert item.theta is not None
        layout, bases, true = self._cells(item)
        group, theta = layout.group, float(item.theta[0])
        move, sums[id(group)] = self._kernel.correct(
            group.table,
            bases,
            layout.outer,
            layout.inner,
            true,
            sums[id(group)],
            float(item.target[0]),
            theta,
            item.give,
        )
        item.theta = np.array([theta + move])

    def _cells(self, item: Evidence) -> tuple[Layout, NDArray[np.int32], bool]:
        """The cells where a condition is true, or those where it is not if they are fewer; and which of the two."""
        layout = self._layout(item.positions)
        assert layout is not None, "learning joins the attributes"
        known = self._chosen.get(id(item))
        if known is None or known[0] is not layout:
            assert item.weights is not None
            true = item.weights > 0.5
            few = 2 * int(true.sum()) <= len(true)
            known = self._chosen[id(item)] = (layout, layout.bases[true if few else ~true], few)
        return known

    def _layout(self, positions: tuple[int, ...]) -> Layout | None:
        """None while the attributes lie in several groups."""
        groups = self.distribution.spanned(positions)
        if len(groups) > 1:
            return None
        known = self._layouts.get(positions)
        if known is None or known.group is not groups[0]:
            if len(self._layouts) >= MOST_LAYOUTS:
                self._layouts.clear()
            known = self._layouts[positions] = _layout(groups[0], positions)
        return known


def _largest(item: Evidence) -> float:
    return 0.0 if item.theta is None else float(np.abs(item.theta).max())


def _layout(group: Group, positions: tuple[int, ...]) -> Layout:
    from .kernels import places

    step = {p: prod(group.sizes[i + 1 :]) for i, p in enumerate(group.members)}
    size = dict(zip(group.members, group.sizes, strict=True))
    high, low = places([size[p] for p in positions], [step[p] for p in positions])
    free = [p for p in group.members if p not in positions]
    outer, inner = places([size[p] for p in free], [step[p] for p in free])
    return Layout(group, (high[:, None] + low).ravel(), outer, inner)
