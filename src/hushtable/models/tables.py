"""TablesModel: the noisy cells of every table of t attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadSynopsis, TooWide
from ..interactions import Interactions, Law
from .frame import Frame
from .linear import LinearModel
from .reading import noise_scale, row_count

__all__ = ["TablesModel"]

MOST_FRAMES = 500


@dataclass(frozen=True, eq=False)
class TablesModel(LinearModel):
    """Answers every question about at most `order` attributes without bias.

    A smaller table is the margin of many released ones; their independent margins are averaged, each by the
    inverse of its variance.
    """

    kind = "tables"
    order: int
    group_scales: tuple[Fraction, ...]
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    @cached_property
    def interactions(self) -> Interactions:
        """Which tables there are, and where their cells stand."""
        return Interactions(self.domain.sizes, self.order)

    @cached_property
    def _scale(self) -> dict[tuple[int, ...], float]:
        keys = [key for key in self.interactions.groups if len(key) == self.order]
        return {key: float(s) for key, s in zip(keys, self.group_scales, strict=True)}

    @cached_property
    def _frames(self) -> dict[tuple[int, ...], Frame]:
        return {}

    def frame(self, positions: Sequence[int]) -> Frame:
        """See LinearModel."""
        if len(positions) > self.order:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=self.order)
        key = tuple(positions)
        if key not in self._frames:
            if len(self._frames) >= MOST_FRAMES:
                self._frames.clear()
            self._frames[key] = self._averaged(key)
        return self._frames[key]

    def _averaged(self, positions: tuple[int, ...]) -> Frame:
        """Inverse-variance mean of the margins of all tables that hold these attributes."""
        sizes = [self.domain.sizes[p] for p in sorted(positions)]
        numbers, precision, fourth = np.zeros(sizes), 0.0, 0.0
        for margin, variance, excess in self._margins(tuple(sorted(positions))):
            numbers = numbers + margin / variance
            precision += 1 / variance
            fourth += excess / variance**4
        ascending = sorted(positions)
        numbers = (numbers / precision).transpose([ascending.index(p) for p in positions])
        shape = numbers.shape
        return Frame(numbers, np.full(shape, 1 / precision), np.full(shape, fourth / precision**4),
                     (None,) * len(positions), rows=self.rows)  # fmt: skip

    def _margins(self, positions: tuple[int, ...]) -> Iterator[tuple[NDArray[np.float64], float, float]]:
        """Each margin with the variance and fourth cumulant of one of its cells."""
        sizes, first = self.domain.sizes, self.interactions.rank(range(self.order))
        others = [i for i in range(len(sizes)) if i not in positions]
        for more in combinations(others, self.order - len(positions)):
            members = tuple(sorted((*positions, *more)))
            start, end = self.interactions.table_starts[self.interactions.rank(members) - first :][:2]
            table = self.cells[start:end].reshape([sizes[m] for m in members])
            margin = table.sum(axis=tuple(members.index(m) for m in more)).astype(np.float64)
            scale = self._scale[tuple(sorted(sizes[m] for m in members))]
            summed = prod(sizes[m] for m in more)
            if self.law == "gaussian":
                yield margin, scale * summed, 0.0
            else:
                yield margin, 2 * scale**2 * summed, 12 * scale**4 * summed

    def parameters(self) -> dict[str, Any]:
        """See Model."""
        scales = [str(s) for s in self.group_scales]
        return {"order": self.order, "law": self.law, "group_scales": scales, "rows": self.rows}

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """See Model."""
        return {"tables": self.cells}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        """See Model."""
        order = parameters["order"]
        if not isinstance(order, int) or not 1 <= order <= max(1, len(domain.sizes)):
            raise BadSynopsis(f"the synopsis says order {order!r}, which its domain does not allow")
        return {"tables": Interactions.cells(domain.sizes, order)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> TablesModel:
        """See Model."""
        law, rows, order = parameters["law"], row_count(parameters["rows"]), parameters["order"]
        scales = tuple(noise_scale(s, parameters["law"]) for s in parameters["group_scales"])
        kinds = [key for key in Interactions(domain.sizes, order).groups if len(key) == order]
        if law not in ("gaussian", "laplace") or len(scales) != len(kinds) or min(scales) <= 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
        return cls(domain=domain, law=cast(Law, law), order=order, group_scales=scales, cells=numbers["tables"],
                   rows=rows)  # fmt: skip
