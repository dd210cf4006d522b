"""HistogramModel: the noisy count of every cell of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadSynopsis
from ..interactions import Law
from .frame import Frame
from .linear import LinearModel

__all__ = ["HistogramModel"]


@dataclass(frozen=True, eq=False)
class HistogramModel(LinearModel):
    """Answers every question about any number of attributes without bias; good for small tables only."""

    kind = "histogram"
    scale: Fraction
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    def frame(self, positions: Sequence[int]) -> Frame:
        """See LinearModel: a marginal sums disjoint sets of cells, so its numbers are independent too."""
        sizes = self.domain.sizes
        others = tuple(i for i in range(len(sizes)) if i not in positions)
        table = self.cells.reshape(sizes).sum(axis=others) if others else self.cells.reshape(sizes)
        kept = [i for i in range(len(sizes)) if i in positions]
        table = table.transpose([kept.index(p) for p in positions])
        summed = prod(sizes[i] for i in others)
        one = float(self.scale)
        variance = one if self.law == "gaussian" else 2 * one**2
        fourth = 0.0 if self.law == "gaussian" else 12 * one**4
        return Frame(
            table.astype(np.float64),
            np.full(table.shape, variance * summed),
            np.full(table.shape, fourth * summed),
            (None,) * len(positions),
            rows=self.rows,
        )

    def parameters(self) -> dict[str, Any]:
        """See Model."""
        return {"law": self.law, "scale": str(self.scale), "rows": self.rows}

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """See Model."""
        return {"cells": self.cells}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        """See Model."""
        return {"cells": prod(domain.sizes)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> HistogramModel:
        """See Model."""
        law, scale, rows = parameters["law"], Fraction(parameters["scale"]), parameters["rows"]
        if law not in ("gaussian", "laplace") or scale <= 0 or not (rows is None or rows > 0):
            raise BadSynopsis("the synopsis has a noise scale or number of rows that makes no sense")
        return cls(domain=domain, law=cast(Law, law), scale=scale, cells=numbers["cells"], rows=rows)
