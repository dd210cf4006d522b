"""True rows: all rows of a table in memory, as codes and numbers. Not private: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute, Ordered, number_in
from ..domain.dates import Date, Time, day_number, seconds_of
from ..maths.keys.keys import plain_value, scalar_text
from ..vault.sources import Progress, open_source, watched

__all__ = ["TrueRows", "read_rows"]

Codes = NDArray[np.uint16]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrueRows:
    """Codes of all closed attributes, one line each, and the values themselves. Not private."""

    domain: Domain
    codes: Codes
    columns: tuple[pa.ChunkedArray, ...]
    """As they are in the data, one a closed attribute."""

    @property
    def count(self) -> int:
        """How many rows there are that the domain has codes for."""
        return int(self.codes.shape[1])

    @cached_property
    def _numbers(self) -> dict[int, Floats]:
        return {}

    def numbers(self, position: int) -> Floats:
        """The numbers of an ordered column, by which it is compared; not a number where there is none."""
        if position not in self._numbers:
            attribute = self.domain.closed[position]
            own = np.concatenate([_mapped(chunk, _number_of(attribute)) for chunk in self.columns[position].chunks])
            self._numbers[position] = np.where(self.codes[position] < len(attribute.values), own, np.nan)
        return self._numbers[position]


def read_rows(data: Any, domain: Domain, progress: Progress | None = None) -> TrueRows:
    """Reads all rows; those without a code in a column that is `missing: error` are left out. Not private."""
    source = open_source(data, domain)
    source.check(domain.nameless)  # sampled rows have no column that tells people apart
    names = [attribute.name for attribute in domain.closed]
    codes, kept = [], []
    for batch in watched(source.batches(names), progress):
        own = np.array([_mapped(batch.column(i), a.code) for i, a in enumerate(domain.closed)])
        known = ~np.isnan(own).any(axis=0)
        codes.append(own[:, known].astype(np.uint16))
        kept.append(batch.filter(pa.array(known)))
    columns = tuple(pa.chunked_array([batch.column(i) for batch in kept]) for i in range(len(names)))
    return TrueRows(domain, np.concatenate(codes, axis=1), columns)


def _number_of(attribute: Attribute) -> Callable[[object], float | None]:
    assert isinstance(attribute, Ordered)
    if isinstance(attribute, Date):
        return lambda value: day_number(value, attribute.style)
    return seconds_of if isinstance(attribute, Time) else number_in


def _mapped(column: pa.Array, function: Callable[[Any], float | None]) -> Floats:
    """A function of every value, called once a distinct one; not a number where it has none."""
    column = column.storage if isinstance(column, pa.ExtensionArray) else column
    try:
        coded = column if isinstance(column, pa.DictionaryArray) else pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values
        coded = pc.dictionary_encode(pa.array([scalar_text(value) for value in column], pa.large_string()))
    values = [*(function(plain_value(value)) for value in coded.dictionary), function(None)]
    table = np.array([np.nan if value is None else float(value) for value in values])
    return np.asarray(table[np.asarray(pc.fill_null(coded.indices, len(values) - 1))])
