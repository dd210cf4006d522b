"""Metrics over columns: how much a difference in each column counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .metric import Floats, Metric, Numbers

__all__ = ["ColumnMetric", "ComparedColumn"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedColumn:
    """One column: its labels, and what a difference between any two of them counts."""

    name: str
    labels: tuple[str, ...]
    table: Floats


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ColumnMetric(Metric):
    """What the columns count, added up or taken like legs of a right angle, divided by the scale."""

    kind = "columns"
    columns: tuple[ComparedColumn, ...]
    ignored: tuple[str, ...] = ()
    """Columns of the types that the policy does not mention."""
    combine: str = "sum"
    codes: Numbers
    """One line a type, one number a column."""
    places: tuple[int, ...] = field(default=())
    """Where the columns are among those of the types."""

    @property
    def size(self) -> int:
        """How many types there are."""
        return len(self.codes)

    def block(self, rows: Sequence[int] | Numbers) -> Floats:
        """From some types to all."""
        return self._from(self.codes[np.asarray(rows)])

    def from_new(self, people: Any) -> Floats:
        """New people are lines of labels, one for each column of the types."""
        codes = [[c.labels.index(line[p]) for c, p in zip(self.columns, self.places, strict=True)] for line in people]
        return self._from(np.array(codes, dtype=np.intp).reshape(len(people), len(self.columns)))

    def _from(self, codes: Numbers) -> Floats:
        power = 2 if self.combine == "euclidean" else 1
        total = np.zeros((len(codes), self.size))
        for number, column in enumerate(self.columns):
            total += column.table[codes[:, number]][:, self.codes[:, number]] ** power
        return np.asarray(total ** (1 / power) / self.scale)

    def to_dict(self) -> dict[str, Any]:
        """Columns with their tables; the types themselves are in the rule."""
        kept = [{"name": c.name, "labels": list(c.labels), "table": c.table.tolist()} for c in self.columns]
        return {"kind": self.kind, "scale": self.scale, "combine": self.combine, "columns": kept,
                "ignored": list(self.ignored)}  # fmt: skip
