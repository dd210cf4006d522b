"""RunningPoints: a running distribution on listed rows alone, for domains with more cells than anyone could list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .fit import Evidence
from .points import on_points
from .running import Layout, Running, Truth

__all__ = ["RunningPoints"]

FIRST = np.zeros(1, dtype=np.int32)


class RunningPoints(Running):
    """The same fit over the listed rows. Nothing is ever joined, so that a condition may be about any attributes."""

    def __init__(self, sizes: Sequence[int], codes: NDArray[np.integer], *, start: Sequence[Evidence] = ()) -> None:
        self.codes = codes
        super().__init__(sizes, cap=codes.shape[1], start=start, distribution=on_points(sizes, codes))

    def share(self, positions: tuple[int, ...], true: Truth) -> float:
        return min(float(self.distribution.groups[0].table[self._where(positions, true)].sum()), 1.0)

    def can_learn(self, positions: tuple[int, ...], true: Truth) -> bool:
        """Whether it is true of some listed rows and not of all: else no weights of theirs have another share."""
        where = self._where(positions, true)
        return bool(where.any() and not where.all())

    def learn(self, item: Evidence) -> None:
        super().learn(item)
        recent = {id(own) for own in self.recent}
        self._chosen = {key: kept for key, kept in self._chosen.items() if key in recent}

    def begun(self, positions: Sequence[int]) -> list[Evidence]:
        """None: listed rows were drawn by the start's tables, and there may be a hundred of these."""
        return []

    def _cells(self, item: Evidence) -> tuple[Layout, NDArray[np.int32], bool]:
        known = self._chosen.get(id(item))
        if known is None:
            assert item.weights is not None
            where = self._where(item.positions, item.weights > 0.5)
            few = 2 * int(where.sum()) <= len(where)
            bases = np.flatnonzero(where if few else ~where).astype(np.int32)
            known = self._chosen[id(item)] = (Layout(self.distribution.groups[0], bases, FIRST, FIRST), bases, few)
        return known

    def _where(self, positions: tuple[int, ...], true: Truth) -> Truth:
        """The listed rows that a condition (flat over the codes at `positions`, C order) is true of."""
        _, at = self.distribution.groups[0].places(positions)
        return np.asarray(true[at])
