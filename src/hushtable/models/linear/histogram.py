"""HistogramModel: the noisy count of every cell of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion, BadSynopsis
from ...maths.interactions.noisy_table import Independent
from ...maths.linear.non_negative import nearest_non_negative
from ...questions.noises import Noises
from ..reading import noise_scale, read_law, row_count
from .linear import MOST_WEIGHTS, LinearModel

__all__ = ["HistogramModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HistogramModel(LinearModel):
    """Answers every question about any number of attributes without bias; good for small tables only."""

    kind = "histogram"
    rows_by = "histogram"
    scale: Fraction
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    def frame(self, positions: Sequence[int]) -> Independent:
        """A marginal sums disjoint sets of cells, so its numbers are independent too."""
        sizes = self.domain.sizes
        others = tuple(i for i in range(len(sizes)) if i not in positions)
        table = self.cells.reshape(sizes).sum(axis=others) if others else self.cells.reshape(sizes)
        kept = [i for i in range(len(sizes)) if i in positions]
        table = table.transpose([kept.index(p) for p in positions])
        summed = prod(sizes[i] for i in others)
        return Independent(
            table.astype(np.float64),
            (None,) * len(positions),
            self.rows,
            np.full(table.shape, self.law.variance(self.scale) * summed),
            np.full(table.shape, self.law.fourth(self.scale) * summed),
        )

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """Every cell of the whole table has a noise of its own, and a number of a frame is the sum of many."""
        if len(weights) * len(self.cells) > MOST_WEIGHTS:
            return None
        sizes, ascending = self.domain.sizes, sorted(positions)
        order = [positions.index(p) for p in ascending]
        turned = weights.transpose([0, *(1 + place for place in order)])
        shape = [size if p in positions else 1 for p, size in enumerate(sizes)]
        spread = np.broadcast_to(turned.reshape(len(weights), *shape), (len(weights), *sizes))
        each = self.law.stderr(self.scale) * spread.reshape(len(weights), -1).T
        return Noises(np.arange(len(self.cells)), each, self.law.kurtosis)

    def draw(self, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        """Cells with chances in proportion to the nearest table without negative counts."""
        cells, sums = self._chances
        # The sum of a drawn cell is the first above a uniform number, which never reaches the last sum.
        drawn = cells[np.searchsorted(sums, random.random(rows) * sums[-1], side="right")]
        return np.array(np.unravel_index(drawn, self.domain.sizes), dtype=np.uint16)

    @cached_property
    def _chances(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cells above 0 and the running sums of their counts. The whole sum is the public number of rows."""
        raw = self.cells.astype(np.float64)
        if self.rows is not None:
            # All cells are equally noisy, so this is the nearest table with the sum that is known to be right.
            raw += (self.rows - raw.sum()) / len(raw)
        counts = nearest_non_negative(raw, np.ones(len(raw)))
        cells = np.flatnonzero(counts)
        if not len(cells):
            raise BadQuestion(
                "the released number of rows cannot be told from 0, so there are no rows to draw; "
                "release the table with a larger budget"
            )
        return cells, np.cumsum(counts[cells])

    def parameters(self) -> dict[str, Any]:
        return {"law": self.law, "scale": str(self.scale), "rows": self.rows}

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"cells": self.cells}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"cells": prod(domain.sizes)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> HistogramModel:
        law, rows = read_law(parameters["law"]), row_count(parameters["rows"])
        scale = noise_scale(parameters["scale"], law)
        if scale <= 0:
            raise BadSynopsis("the synopsis has a noise law or scale that makes no sense")
        return cls(domain=domain, law=law, scale=scale, cells=numbers["cells"], rows=rows)
