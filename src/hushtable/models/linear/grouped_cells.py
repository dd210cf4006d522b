"""Grouped cells: what the models share whose noise has one radius for all cells of a group of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ...maths.geometry.column_groups import groups_of_columns
from ..base import Model
from ..reading import noise_scale, row_count

__all__ = ["GroupedCells"]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupedCells(Model):
    """The cells of a table a column, in groups of columns, each with a scale of noise."""

    groups: tuple[tuple[int, ...], ...]
    """Columns of each group, by their positions; the cells stand in this order."""
    scales: tuple[Fraction, ...]
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    def parameters(self) -> dict[str, Any]:
        return {
            "groups": [list(group) for group in self.groups],
            "scales": [str(scale) for scale in self.scales],
            "rows": self.rows,
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"cells": self.cells}

    @staticmethod
    def read(
        parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]], sizes: Sequence[int], *, unit: int = 1
    ) -> dict[str, Any]:
        """The fields above, of a file; BadSynopsis where they do not fit columns of these sizes."""
        rows, groups = row_count(parameters["rows"]), groups_of_columns(parameters["groups"], sizes)
        scales = tuple(noise_scale(scale, Law.LAPLACE, unit=unit) for scale in parameters["scales"])
        if groups is None or len(scales) != len(groups) or min(scales) <= 0:
            raise BadSynopsis("the synopsis has groups of columns or noise scales that do not fit its columns")
        return {"groups": groups, "scales": scales, "cells": numbers["cells"], "rows": rows}
