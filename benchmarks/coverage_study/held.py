"""Held: a source that reads its rows once and keeps the sums, so that many releases cost one reading."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hushtable import Domain
from hushtable.vault.sources import Progress, Source, open_source
from hushtable.vault.statistics.base import T, Total

__all__ = ["Held"]

MOST = 64
"""Sums kept; a hash of a random key is new in every release and must not fill the memory."""


class Held(Source):
    """Not private: a table in memory and the exact sums that were asked of it."""

    def __init__(self, rows: pa.Table) -> None:
        self._source = open_source(rows)
        self._sums: dict[bytes, Any] = {}

    @property
    def columns(self) -> Sequence[str]:
        """See Source."""
        return self._source.columns

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """See Source."""
        return self._source.batches(names)

    def count(self) -> int:
        """See Source."""
        return self._source.count()

    def total(self, wanted: Total[T], domain: Domain, progress: Progress | None = None) -> T:
        """Two statistics whose bytes are equal have equal sums; one without bytes is summed again."""
        try:
            key = pickle.dumps((type(wanted), wanted))
        except (pickle.PicklingError, TypeError, AttributeError):
            return self._source.total(wanted, domain, progress)
        if key not in self._sums:
            if len(self._sums) >= MOST:
                self._sums.clear()
            self._sums[key] = self._source.total(wanted, domain, progress)
        # Counts of keys are read only; arrays may be added to.
        kept: T = self._sums[key]
        return kept.copy() if isinstance(kept, np.ndarray) else kept
