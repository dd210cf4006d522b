"""How well rows fit a domain, column by column. Not private: exact counts, for the owner's eyes only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..domain import Domain
from ..domain.attributes import Attribute, Uncoded
from ..domain.decision_list import DecisionList
from ..domain.vertex import Vertex
from ..errors import BadData
from ..maths.keys.keys import plain_value, scalar_text
from ..vault.sources import CsvSource, Progress, Source, open_source, watched
from ..words import listed

__all__ = ["ColumnFit", "fit_of", "require_fit"]


@dataclass(frozen=True, kw_only=True)
class ColumnFit:
    """How many values of one column the domain does not declare. Not private."""

    name: str
    rows: int
    blank: int
    """Nothing is written there."""
    undeclared: int
    """Something is written that the domain does not declare: it counts as `other`, or else as missing."""
    broken: int
    """The row has no such field: it is too short or too long, or a quote in it is not closed."""
    refused: bool
    """Whether a release is refused for this column (`missing: error`)."""

    @property
    def share(self) -> float:
        """The share of rows that were not read as the domain means them."""
        return (self.undeclared + self.broken) / self.rows if self.rows else 0.0


def fit_of(data: Any, domain: Domain, progress: Progress | None = None) -> list[ColumnFit]:
    """Reads all rows and counts. Not private: never publish it, nor let it decide what is published."""
    source = open_source(data, domain)
    source.check(domain)
    counts = np.zeros((len(domain.attributes), 4), dtype=np.int64)
    for batch in watched(source.batches(domain.names), progress):
        for i, attribute in enumerate(domain.attributes):
            counts[i] += _counts(attribute, batch.column(i), source)
    return [_fit(attribute, *row) for attribute, row in zip(domain.attributes, counts.tolist(), strict=True)]


def require_fit(data: Any, domain: Domain, *, most: float, progress: Progress | None = None) -> None:
    """BadData where more than the share `most` of a column does not fit. Not private: the refusal tells of the rows."""
    bad = [fit.name for fit in fit_of(data, domain, progress) if fit.share > most]
    if bad:
        raise BadData(
            f"more than {most:g} of the rows do not fit the domain in: {listed(bad)}; nothing was spent; "
            "`hush domain check DOMAIN --data FILE` counts them"
        )


def _fit(attribute: Attribute, rows: int, blank: int, undeclared: int, broken: int) -> ColumnFit:
    open_end = isinstance(attribute, Uncoded) and not isinstance(attribute, DecisionList)
    lost = blank + broken + (0 if attribute.other else undeclared)
    refused = attribute.missing == "error" and lost > 0 and not open_end
    return ColumnFit(name=attribute.name, rows=rows, blank=blank, undeclared=undeclared, broken=broken, refused=refused)


def _counts(attribute: Attribute, column: pa.Array, source: Source) -> tuple[int, int, int, int]:
    """Rows, blank, undeclared and broken."""
    broken = column.null_count if isinstance(source, CsvSource) else 0
    blank, undeclared = column.null_count - broken, 0
    for value, count in _distinct(column):
        if attribute.is_missing(value):
            blank += count
        elif not _declared(attribute, value):
            undeclared += count
    return len(column), blank, undeclared, broken


def _declared(attribute: Attribute, value: object) -> bool:
    if isinstance(attribute, DecisionList):
        return attribute.rules(value) is not None
    if isinstance(attribute, Vertex):
        return attribute.vertex(value) is not None
    return isinstance(attribute, Uncoded) or attribute.place(value) is not None


def _distinct(column: pa.Array) -> list[tuple[object, int]]:
    """Each distinct value that is there, and how often."""
    column = column.storage if isinstance(column, pa.ExtensionArray) else column
    try:
        coded = column if isinstance(column, pa.DictionaryArray) else pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values
        coded = pc.dictionary_encode(pa.array([scalar_text(value) for value in column], pa.large_string()))
    times = np.bincount(np.asarray(coded.indices.drop_null()), minlength=len(coded.dictionary))
    return [(plain_value(value), int(count)) for value, count in zip(coded.dictionary, times, strict=True)]
