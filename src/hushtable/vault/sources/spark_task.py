"""Spark tasks: the steps of a source that run on the workers of a cluster, where the rows are.

A step takes Arrow batches and gives rows of four columns, `key`, `value`, `count` and `note`. The note is a signature,
by which the driver sees that all came from the same package and domain, or says in words what went wrong: a task never
fails by itself, as Spark would write into its logs what it failed on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import HushError
from ..coding import empty_codes, encode_batch
from ..person_rows import People, RowKeys, choose, row_words
from ..statistics.base import Codes, Sums, Total, add_up
from ..statistics.workers import one_thread
from .base import BATCH_ROWS

__all__ = ["FAILED", "REFUSED", "SCHEMA", "Job", "bucket_of", "keyed_batches", "packed", "run", "signature", "unpacked"]

SCHEMA = "key binary, value binary, count long, note string"
ARROW = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("count", pa.int64()), ("note", pa.string())])
FAILED, REFUSED = "failed: ", "refused: "
# Sums travel in pieces of a megabyte, so that they are merged by many tasks and fit into any message.
CHUNK = 1 << 17
# Keys that travel in one batch, and rows of many columns in one value.
KEYS, PACKED_ROWS = 1 << 16, 1 << 15
# More than this is packed in two halves, as one value has less than 2 GB.
PACKED_BYTES = 1 << 28
# Rows of people that are put into buckets at a time: more make larger pieces.
SPREAD_ROWS = 1 << 18

Batches = Iterable[pa.RecordBatch]
Rows = Iterator[pa.RecordBatch]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a step needs: the domain, which columns come in which form, and what is to be made of them."""

    domain: Domain
    holds: str = "columns"
    """How rows come: `columns` of a table, `packed` ones (pieces of Arrow), or `codes`."""
    names: tuple[str, ...] = ()
    """The columns that come, in their order."""
    wanted: Total[Any] | None = None
    keys: RowKeys | None = None
    buckets: int = 1


def run(step: str, job: Job, batches: Batches) -> Rows:
    """One step over one partition, which never fails: what goes wrong is the note of a row."""
    try:
        one_thread()
        yield from STEPS[step](job, batches)
    except HushError as error:  # its words never depend on a row
        yield _row(note=REFUSED + str(error))
    except Exception as error:
        yield _row(note=FAILED + type(error).__name__)


def signature(domain: Domain) -> str:
    """The version of the package and the digest of the domain."""
    from ... import __version__

    return f"{__version__} {domain.digest}"


def _row(
    *, key: bytes | None = None, value: bytes | memoryview | None = None, count: int = 0, note: str
) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array([key], pa.binary()), pa.array([value], pa.binary()), pa.array([count]), pa.array([note])],
        schema=ARROW,
    )


def packed(batch: pa.RecordBatch) -> bytes:
    """A batch as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def halved(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The same rows in batches that are not too large to be packed, unless one row is."""
    if batch.nbytes <= PACKED_BYTES or batch.num_rows <= 1:
        yield batch
        return
    half = batch.num_rows // 2
    yield from halved(batch.slice(0, half))
    yield from halved(batch.slice(half))


def unpacked(value: Any) -> pa.RecordBatch:
    """And back."""
    with pa.ipc.open_stream(pa.py_buffer(value)) as reader:
        return reader.read_next_batch()


class _Signed:
    """Rows of an earlier step: those with its signature, and one row each of the notes that are no signature."""

    def __init__(self, batches: Batches, domain: Domain) -> None:
        self._batches, self._sign, self.notes = batches, signature(domain), set[str]()

    def __iter__(self) -> Iterator[tuple[bytes | None, pa.Buffer, int]]:
        for batch in self._batches:
            keys, values, counts, notes = batch.columns
            for place, note in enumerate(notes.to_pylist()):
                if note != self._sign:
                    self.notes.add(str(note))
                elif values[place].is_valid:
                    yield keys[place].as_py(), values[place].as_buffer(), counts[place].as_py()


def _blocks(batches: Batches, rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of about so many, as Spark's are small."""
    waiting, count = list[pa.RecordBatch](), 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= rows:
            yield from pa.Table.from_batches(waiting).combine_chunks().to_batches(max_chunksize=rows)
            waiting, count = [], 0
    if count:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches(max_chunksize=rows)


class _Read:
    """The rows of a partition as they come: batches of columns, or codes; and the notes that were among them."""

    def __init__(self, job: Job, batches: Batches) -> None:
        self._job, self._batches = job, batches
        self._signed = None if job.holds == "columns" else _Signed(batches, job.domain)

    @property
    def notes(self) -> Iterable[str]:
        """What went wrong in an earlier step; known at the end."""
        return self._signed.notes if self._signed else ()

    def tables(self, rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """Batches of the columns."""
        if self._signed is None:
            named = (batch.rename_columns(list(self._job.names)) for batch in self._batches)
            return _blocks(named, rows)
        return _blocks((unpacked(value) for _, value, _ in self._signed), rows)

    def read(self, wanted: Total[Any]) -> Iterator[tuple[Any, int]]:
        """What is summed reads them, and how many rows they are."""
        if self._job.holds == "codes":
            assert self._signed is not None
            for _, value, count in self._signed:
                yield _codes(value, count, self._job.domain), count
            return
        names = list(wanted.columns(self._job.domain))
        for batch in self.tables():
            yield wanted.read(batch.select(names), self._job.domain), batch.num_rows


def _codes(value: pa.Buffer, count: int, domain: Domain) -> Codes:
    kind = empty_codes(domain.sizes).dtype
    codes: Codes = np.frombuffer(value, dtype=kind).reshape(len(domain.sizes), count)  # type: ignore[assignment]
    return codes


def _code(job: Job, batches: Batches) -> Rows:
    """Codes of the closed columns, a block of rows a value."""
    read, sign = _Read(job, batches), signature(job.domain)
    names = [attribute.name for attribute in job.domain.closed]
    for batch in read.tables():
        codes = encode_batch(batch.select(names), job.domain)
        yield _row(value=codes.tobytes(), count=batch.num_rows, note=sign)
    yield from (_row(note=note) for note in read.notes)


def _pack(job: Job, batches: Batches) -> Rows:
    """The named columns as they are, many rows a value."""
    read, sign = _Read(job, batches), signature(job.domain)
    for batch in read.tables(PACKED_ROWS):
        for part in halved(batch.select(list(job.names))):
            yield _row(value=packed(part), count=part.num_rows, note=sign)
    yield from (_row(note=note) for note in read.notes)


def _sum(job: Job, batches: Batches) -> Rows:
    """The total of the partition, in pieces with keys; where these meet they add up."""
    assert job.wanted is not None
    read, rows = _Read(job, batches), 0

    def blocks() -> Iterator[object]:
        nonlocal rows
        for block, count in read.read(job.wanted):  # type: ignore[arg-type]
            rows += count
            yield job.wanted.accumulate(block)  # type: ignore[union-attr]

    partial = add_up(job.wanted, blocks())
    yield from (_row(note=note) for note in read.notes)
    if rows:
        yield from _pieces(partial, rows, signature(job.domain))


def _pieces(partial: Any, rows: int, sign: str) -> Rows:
    if not isinstance(partial, np.ndarray):
        keys, values, counts = partial.keyed()
        yield from keyed_batches(keys, values, counts, sign)
        return
    for number, start in enumerate(range(0, max(len(partial), 1), CHUNK)):
        piece = np.ascontiguousarray(partial[start : start + CHUNK], dtype=np.int64)
        yield _row(key=number.to_bytes(4, "big"), value=piece.tobytes(), count=0 if number else rows, note=sign)


def keyed_batches(keys: pa.Array, values: pa.Array | None, counts: Sums, sign: str) -> Rows:
    """Keys with what belongs to each, some thousand at a time."""
    for start in range(0, len(keys), KEYS):
        part = keys.slice(start, KEYS).cast(pa.binary())
        told = pa.nulls(len(part), pa.binary()) if values is None else values.slice(start, KEYS).cast(pa.binary())
        yield pa.RecordBatch.from_arrays(
            [part, told, pa.array(counts[start : start + KEYS]), pa.array([sign] * len(part))], schema=ARROW
        )


def _merge(job: Job, batches: Batches) -> Rows:
    """Pieces of sums with the same key added up."""
    sums, rows, signed = dict[bytes, Sums](), 0, _Signed(batches, job.domain)
    for key, value, count in signed:
        piece = np.frombuffer(value, dtype=np.int64)
        assert key is not None
        rows += count
        if key in sums:
            sums[key] += piece
        else:
            sums[key] = piece.copy()
    yield from (_row(note=note) for note in signed.notes)
    for key, total in sums.items():
        yield _row(key=key, value=total.tobytes(), count=rows, note=signature(job.domain))
        rows = 0


def bucket_of(first: NDArray[np.uint64], buckets: int) -> NDArray[np.int64]:
    """Which bucket a person's rows go to: the same for all rows of one, and about as many people in each."""
    return ((first >> np.uint64(32)) * np.uint64(buckets) >> np.uint64(32)).astype(np.int64)


def _spread(job: Job, batches: Batches) -> Rows:
    """Rows with the digests of whose they are and what they say, in pieces by bucket; the person's name stays here."""
    assert job.keys is not None
    domain, sign = job.domain, signature(job.domain)
    for batch in _Read(job, batches).tables(SPREAD_ROWS):
        rows = batch.select(list(domain.names))
        people = People.of(batch.column(domain.unit.person), *row_words(rows, domain, job.keys), job.keys)
        # Rows without a person go anywhere: by what they say, so that they spread.
        bucket = bucket_of(np.where(people.named, people.first, people.content), job.buckets)
        order = np.argsort(bucket, kind="stable")
        ends = np.searchsorted(bucket[order], np.arange(job.buckets), side="right")
        told = rows.take(pa.array(order))
        digests = [pa.array(column[order]) for column in people]
        whole = pa.RecordBatch.from_arrays([*told.columns, *digests], names=[*domain.names, *_digest_names(domain)])
        start = 0
        for number, end in enumerate(ends.tolist()):
            if end > start:
                for piece in halved(whole.slice(start, end - start)):
                    yield _row(key=number.to_bytes(4, "big"), value=packed(piece), count=piece.num_rows, note=sign)
            start = end


def _digest_names(domain: Domain) -> list[str]:
    """Names that no column of the domain has."""
    longest = max(map(len, domain.names), default=0)
    return [f"{'_' * longest}{field}" for field in People._fields]


def _chosen(job: Job, signed: _Signed) -> Iterator[tuple[pa.Table, Any]]:
    """The rows of each bucket, and which of them count."""
    pieces = defaultdict[bytes, list[pa.RecordBatch]](list)
    for key, value, _ in signed:
        assert key is not None
        pieces[key].append(unpacked(value))
    for bucket in sorted(pieces):
        table = pa.Table.from_batches(pieces.pop(bucket))
        digests = [table.column(len(job.domain.names) + place).to_numpy() for place in range(len(People._fields))]
        yield table.select(range(len(job.domain.names))), choose(People(*digests), job.domain.unit.rows)


def _keep(job: Job, batches: Batches) -> Rows:
    """At most so many rows of each person, packed."""
    signed, sign = _Signed(batches, job.domain), signature(job.domain)
    for table, choice in _chosen(job, signed):
        for batch in table.filter(pa.array(choice.kept)).combine_chunks().to_batches(max_chunksize=PACKED_ROWS):
            for part in halved(batch) if batch.num_rows else ():
                yield _row(value=packed(part), count=part.num_rows, note=sign)
    yield from (_row(note=note) for note in signed.notes)


def _tally(job: Job, batches: Batches) -> Rows:
    """How many rows there are, count, and name somebody; how many people there are, and are cut."""
    signed, sums = _Signed(batches, job.domain), np.zeros(5, dtype=np.int64)
    for table, choice in _chosen(job, signed):
        sums += [table.num_rows, int(choice.kept.sum()), choice.named, choice.people, choice.cut]
    yield from (_row(note=note) for note in signed.notes)
    yield from _pieces(sums, int(sums[0]), signature(job.domain))


STEPS: dict[str, Callable[[Job, Batches], Rows]] = {
    "code": _code, "pack": _pack, "sum": _sum, "merge": _merge, "spread": _spread, "keep": _keep, "tally": _tally,
}  # fmt: skip
