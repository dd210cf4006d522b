"""Spark: a DataFrame whose rows are summed where they are. The driver gets sums, never rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ...addresses import SparkPath
from ...domain import Domain
from ...errors import BadData, HushError
from ..coded_blocks import CodedBlocks
from ..key_counts import Counts
from ..statistics.base import Sums, T, Total
from .base import Progress, Source, once
from .spark_keys import Gathered, GatheredCounts
from .spark_session import opened, step, unreadable, words_of
from .spark_task import CHUNK, FAILED, REFUSED, Job, signature, unpacked

__all__ = ["SparkSource"]

# Bytes of sums that may travel between workers: tasks with larger sums take more partitions each.
MOST_SENT = 1 << 34
LEAST_TASKS = 64
# Tasks that add up what the others found.
MERGERS = 32


class SparkSource(Source):
    """A DataFrame, classic or of Spark Connect. In a snapshot rows are coded once, and later passes read the codes."""

    name: ClassVar[str] = "spark"

    def __init__(self, data: Any) -> None:
        self._path = data.path if isinstance(data, SparkPath) else None
        self._frame = opened(data) if isinstance(data, SparkPath) else data
        self._held: dict[object, Any] | None = None
        self._rows: int | None = None

    @classmethod
    def takes(cls, data: Any) -> bool:
        return isinstance(data, SparkPath) or is_frame(data)

    @property
    def label(self) -> str:
        """Its path, if it has one."""
        return self._path or "the Spark table"

    @property
    def columns(self) -> Sequence[str]:
        """Names from the schema."""
        with self._own_words():
            return list(self._frame.columns)

    def check(self, domain: Domain) -> None:
        super().check(domain)
        once(self.columns, domain.columns, self.label)
        with self._own_words():
            declared = [field for field in self._frame.schema if field.name in domain.columns]
            bad = [field.name for field in declared if unreadable(field.dataType)]
        if bad:
            raise BadData(
                f"column {bad[0]} of {self.label} has a type that Spark cannot hand to Python (Arrow); leave it out of "
                "the domain, or give it as text: df.withColumn(name, df[name].cast('string'))"
            )

    def count(self) -> int:
        with self._own_words():
            return int(self._frame.count())

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Rows on the driver, a partition at a time: for the owner's own checks; releases sum on the workers."""
        once(self.columns, names, self.label)
        domain = Domain.from_dict({"table": "t", "attributes": {name: {"kind": "open"} for name in names or ["t"]}})
        frame, job = self._table(domain, tuple(names))
        with self._own_words():
            for row in step(frame, "pack", job).toLocalIterator():
                self._check_note(row["note"], job.domain)
                yield unpacked(row["value"])

    def total(self, wanted: Total[T], domain: Domain, progress: Progress | None = None) -> T:
        """Summed by the workers, and merged by some of them; the driver gets the merged total."""
        zeros = wanted.zeros()
        with self._own_words():
            frame, job = self._rows_for(wanted, domain)
            if isinstance(zeros, np.ndarray):
                return self._sums(frame, job, zeros, progress)  # type: ignore[return-value]
            found = Gathered(step(frame, "sum", job), domain, keep=self._keep, check=self._check_note)
            if isinstance(zeros, Counts):
                return GatheredCounts(found, wanted.zeros)  # type: ignore[return-value, arg-type]
            whole: T = found.into(zeros)
            return whole

    def snapshot(self) -> AbstractContextManager[object]:
        """Holds codes on the workers over all passes. That rows changed shows in their number alone."""
        return self._holding()

    @contextmanager
    def _holding(self) -> Iterator[None]:
        self._held, self._rows = {}, None
        try:
            yield
        finally:
            held, self._held = self._held, None
            for frame in held.values():
                with _quietly():
                    frame.unpersist()

    def keeping(self, domain: Domain, secret: str) -> Source:
        from ..bounded_spark import BoundedSparkSource

        return BoundedSparkSource(self, domain, secret)

    def _keep(self, name: object, frame: Any) -> Any:
        """Held until the snapshot ends; outside of one it is made again whenever it is asked for."""
        if self._held is None:
            return frame
        if name not in self._held:
            self._held[name] = frame.persist()
        return self._held[name]

    def _table(self, domain: Domain, names: tuple[str, ...]) -> tuple[Any, Job]:
        """The columns of the table, and a job that reads them."""
        with self._own_words():
            # Under plain names, as Spark takes a dot in one for a part of a record; a job knows the real ones.
            chosen = self._frame.select([self._frame[quoted(name)].alias(f"c{i}") for i, name in enumerate(names)])
        return chosen, Job(domain=domain, names=names)

    def _rows_for(self, wanted: Total[T], domain: Domain) -> tuple[Any, Job]:
        """What a total reads: held codes or columns, which are made now; outside of a snapshot the table itself."""
        names = tuple(wanted.columns(domain))
        frame, job = self._table(domain, names)
        if self._held is None:
            return frame, Job(domain=domain, holds=job.holds, names=names, wanted=wanted)
        coded = CodedBlocks.serves(wanted, domain)
        frame = self._keep("codes" if coded else names, step(frame, "code" if coded else "pack", job))
        return frame, Job(domain=domain, holds="codes" if coded else "packed", names=names, wanted=wanted)

    def _sums(self, frame: Any, job: Job, zeros: Sums, progress: Progress | None, what: str = "sum") -> Sums:
        most = max(LEAST_TASKS, MOST_SENT // max(zeros.nbytes, 1))
        parts = step(frame.coalesce(most), what, job)
        pieces = -(-max(len(zeros), 1) // CHUNK)
        merged = step(parts.repartition(min(pieces, MERGERS), parts["key"]), "merge", Job(domain=job.domain))
        rows = 0
        for row in merged.collect():
            self._check_note(row["note"], job.domain)
            start = int.from_bytes(row["key"], "big") * CHUNK
            zeros[start : start + CHUNK] += np.frombuffer(bytes(row["value"]), dtype=np.int64)
            rows += row["count"]
        self._same_number(rows)
        if progress:
            progress(rows)
        return zeros

    def _same_number(self, rows: int) -> None:
        if self._held is None:
            return
        if self._rows not in (None, rows):
            raise BadData(
                "the rows changed while they were read; what was charged stays spent: release from a table that rests, "
                "such as one version of a versioned table"
            )
        self._rows = rows

    def _check_note(self, note: str, domain: Domain) -> None:
        """BadData unless a worker has the same package and domain as the driver, and all went well there."""
        ours = signature(domain)
        if note == ours:
            return
        if note.startswith(REFUSED):
            raise BadData(note.removeprefix(REFUSED))
        if note.startswith(FAILED):
            raise BadData(f"a task failed on Spark's workers ({note.removeprefix(FAILED)}); nothing of it was counted")
        raise BadData(
            f"Spark's workers have hushtable {note.partition(' ')[0]} and the driver {ours.partition(' ')[0]}, or they "
            "read the domain otherwise; give both the same package"
        )

    @contextmanager
    def _own_words(self) -> Iterator[None]:
        """Errors of Spark in one line of our own: its own words may quote a value."""
        try:
            yield
        except HushError:
            raise
        except Exception as error:
            raise words_of(error, self.label) from None


def is_frame(data: Any) -> bool:
    """Whether it is a DataFrame of Spark, of either kind."""
    kinds = [kind for kind in type(data).__mro__ if kind.__name__ == "DataFrame"]
    return any(kind.__module__.startswith("pyspark.sql") for kind in kinds)


def quoted(name: str) -> str:
    """A name as Spark has it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def _quietly() -> Iterator[None]:
    try:
        yield
    except Exception:  # what is held goes with the session anyway
        return
