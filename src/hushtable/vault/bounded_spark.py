"""Bounded Spark source: at most so many rows of each person of a table on a cluster, chosen by its workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..domain import Domain
from .person_rows import RowKeys
from .sources.base import LeftOut
from .sources.spark import SparkSource
from .sources.spark_session import step
from .sources.spark_task import Job

__all__ = ["BoundedSparkSource"]

# Rows of people that are looked at together on a worker.
BUCKET_ROWS = 1 << 18


class BoundedSparkSource(SparkSource):
    """At most so many rows of each person of a Spark table, chosen on the workers by the same hash as anywhere."""

    def __init__(self, source: SparkSource, domain: Domain, secret: str) -> None:
        super().__init__(source._frame)
        self._path, self._domain, self._keys = source._path, domain, RowKeys.of(secret)
        self._source = source

    @property
    def columns(self) -> Sequence[str]:
        """Those of the source but the one that tells people apart, which nobody reads."""
        return [name for name in super().columns if name != self._domain.unit.person]

    def count(self) -> int:
        return self.left_out().kept

    def snapshot(self) -> AbstractContextManager[object]:
        """That of the source."""
        return self._source.snapshot()

    def left_out(self) -> LeftOut:
        with self._own_words():
            frame, job = self._by_person()
            rows, kept, named, people, cut = self._sums(frame, job, np.zeros(5, np.int64), None, "tally").tolist()
        return LeftOut(rows=rows, kept=kept, unnamed=rows - named, people=people, cut=cut)

    def _keep(self, name: object, frame: Any) -> Any:
        return self._source._keep(("people", name), frame)

    def _same_number(self, rows: int) -> None:
        """Nothing to compare: all rows are counted here, or those that count."""

    def _by_person(self) -> tuple[Any, Job]:
        """The rows of each person in one place."""
        domain, person = self._domain, self._domain.unit.person
        assert person is not None
        frame, _ = super()._table(domain, (*domain.names, person))
        buckets = 1 + self._source.count() // BUCKET_ROWS
        job = Job(domain=domain, names=(*domain.names, person), keys=self._keys, buckets=buckets)
        spread = step(frame, "spread", job)
        return spread.repartition(buckets, spread["key"]), Job(domain=domain)

    def _table(self, domain: Domain, names: tuple[str, ...]) -> tuple[Any, Job]:
        frame, job = self._by_person()
        return step(frame, "keep", job), Job(domain=self._domain, holds="packed", names=names)
