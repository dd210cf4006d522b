"""Means: the means of columns of numbers between declared bounds, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...domain import Domain
from ...errors import BadPlan
from ...maths.smooth.axes import Axis, axis_of
from .base import Workload

__all__ = ["MOST_COLUMNS", "Means"]

MOST_COLUMNS = 200


@dataclass(frozen=True)
class Means(Workload):
    """The mean over all rows of each of these columns, exact but for noise: no bins, whatever their edges.

    columns  names of columns of numbers: [age, income]
    """

    columns: tuple[str, ...]
    name = "means"

    def counted_ranges(self, domain: Domain) -> tuple[str, ...]:
        """None: means have no cells."""
        return ()

    def __post_init__(self) -> None:
        columns: Any = self.columns
        given = (columns,) if isinstance(columns, str) else columns
        if not isinstance(given, (tuple, list)) or not given or not all(isinstance(c, str) for c in given):
            raise BadPlan(f"columns is a list of names, means(columns=[age, income]), not {given!r}")
        object.__setattr__(self, "columns", tuple(given))
        twice = next((name for name in given if list(given).count(name) > 1), None)
        if twice is not None:
            raise BadPlan(f"{twice} is named twice; name each column once")
        if len(given) > MOST_COLUMNS:
            raise BadPlan(f"means of {len(given):,} columns, and at most {MOST_COLUMNS} are released together")

    def axes(self, domain: Domain) -> tuple[Axis, ...]:
        """The columns with their bounds; BadPlan where one is not there or no number."""
        return tuple(axis_of(domain, name) for name in self.columns)

    def check(self, domain: Domain) -> None:
        """Columns that are numbers with bounds."""
        self.axes(domain)
