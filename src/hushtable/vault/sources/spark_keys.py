"""Keys that Spark gathered: counts of what occurs, grouped on the workers and fetched some thousand at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ...domain import Domain
from ...errors import BadData
from ..key_counts import Counts
from .spark_session import step
from .spark_task import Job, unpacked

__all__ = ["Gathered", "GatheredCounts"]

# Keys that the driver may hold at once.
MOST_KEYS = 1 << 24


class Gathered:
    """Keys of all rows, each once, with how often it occurs. They stay on the workers until they are asked for."""

    def __init__(
        self, parts: Any, domain: Domain, *, keep: Callable[[object, Any], Any], check: Callable[[str, Domain], None]
    ) -> None:
        from pyspark.sql import functions as f

        grouped = parts.groupBy("note", "key").agg(f.sum("count").alias("count"), f.first("value").alias("value"))
        self._grouped, self._domain, self._check = keep(object(), grouped), domain, check

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many keys there are, and how many rows."""
        from pyspark.sql import functions as f

        keys = rows = 0
        told = self._grouped.groupBy("note").agg(f.count("key").alias("keys"), f.sum("count").alias("rows"))
        for row in told.collect():
            self._check(row["note"], self._domain)
            keys, rows = row["keys"], row["rows"]
        return keys, rows

    def blocks(self) -> Iterator[pa.RecordBatch]:
        """Keys, values and counts, in the order of the keys."""
        if not self.size[0]:
            return
        ordered = self._grouped.select("key", "value", "count").orderBy("key")
        job = Job(domain=self._domain, names=("key", "value", "count"))
        for row in step(ordered, "pack", job).toLocalIterator():
            self._check(row["note"], self._domain)
            yield unpacked(row["value"])

    def into(self, total: Any) -> Any:
        """The total with all of them added, on the driver; BadData where they would not fit."""
        if self.size[0] > MOST_KEYS:
            raise BadData(
                f"the table has more than {MOST_KEYS:,} different rows or keys, which the driver cannot hold to be "
                "asked one by one; declare fewer columns or coarser bins, or release a synopsis instead"
            )
        for block in self.blocks():
            keys, values, counts = block.columns
            total.add_keyed(keys, values, np.asarray(counts))
        return total


class GatheredCounts:
    """Counts of keys as `Counts` has them, a block at a time, so that the driver never holds them all."""

    def __init__(self, gathered: Gathered, none: Callable[[], Counts]) -> None:
        self._gathered, self._none = gathered, none

    def rows(self) -> int:
        """How many rows were counted."""
        return self._gathered.size[1]

    def blocks(self) -> Iterator[Counts]:
        """The counts, some thousand keys each, in the order of their digests."""
        for block in self._gathered.blocks():
            counts = self._none()
            counts.add_keyed(block.column(0), block.column(1), np.asarray(block.column(2)))
            yield counts

    def here(self) -> Counts:
        """All of them."""
        counts: Counts = self._gathered.into(self._none())
        return counts
