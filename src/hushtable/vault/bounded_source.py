"""Bounded source: at most so many rows of each person, the same ones in every pass, as the domain declares."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadData
from .coded_blocks import CodedBlocks
from .person_rows import Choice, People, RowKeys, choose, first_halves, row_words
from .sources.base import LeftOut, Progress, Source, watched
from .statistics.base import T, Total

__all__ = ["BoundedSource", "bounded"]

# Rows whose people are told apart at a time: 25 bytes each. A larger table is read once for every so many.
PART_ROWS = 1 << 24


def bounded(source: Source, domain: Domain, secret: str) -> Source:
    """The source as a release reads it: with a `person` in the domain at most `rows` rows of each."""
    if domain.unit.person is None:
        return source
    return source.keeping(domain, secret) or BoundedSource(source, domain, secret)


class BoundedSource(Source):
    """The rows of a source that count. Which ones is found in a first pass, and a second pass has the same ones.

    The choice is kept by the place of a row, one bit each, so every pass must have the same people in the same order;
    it is checked, and rows that changed meanwhile are an error. Codes are held in memory where they fit, so that most
    statistics need no second pass.
    """

    def __init__(self, source: Source, domain: Domain, secret: str, *, part_rows: int = PART_ROWS) -> None:
        assert domain.unit.person is not None
        self._source, self._domain, self._person = source, domain, domain.unit.person
        self._keys, self._part_rows = RowKeys.of(secret), part_rows
        self._progress: Progress | None = None
        self._held: CodedBlocks | None = None
        self._order = b""

    @property
    def columns(self) -> Sequence[str]:
        """Those of the source but the one that tells people apart, which nobody reads."""
        return [name for name in self._source.columns if name != self._person]

    @property
    def label(self) -> str:
        """That of the source."""
        return self._source.label

    def snapshot(self) -> AbstractContextManager[object]:
        """That of the source."""
        return self._source.snapshot()

    def check_still(self) -> None:
        """As the source finds."""
        self._source.check_still()

    def count(self) -> int:
        """How many rows count."""
        return int(self.choice.kept.sum())

    def left_out(self) -> LeftOut:
        """What is left out. Not private."""
        rows, choice = len(self.choice.kept), self.choice
        return LeftOut(rows=rows, kept=self.count(), unnamed=rows - choice.named, people=choice.people, cut=choice.cut)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        kept, start, order = self.choice.kept, 0, hashlib.blake2b()
        for batch in self._source.batches([*names, self._person]):
            order.update(first_halves(batch.column(len(names)), self._keys).tobytes())
            mask = kept[start : start + batch.num_rows]
            start += batch.num_rows
            if start > len(kept):
                raise _changed()
            yield _those(batch.select(list(names)), mask)
        if start != len(kept) or order.digest() != self._order:
            raise _changed()
        self.check_still()

    def total(self, wanted: Total[T], domain: Domain, progress: Progress | None = None) -> T:
        self._progress = progress
        assert self.choice  # it is made in a pass that fills the held codes too
        if self._held is not None and CodedBlocks.serves(wanted, domain):
            return self._held.total(wanted)
        return super().total(wanted, domain, progress)

    @cached_property
    def choice(self) -> Choice:
        """Which rows count. Read in as many passes as keep memory bounded, each for some of the people."""
        rows = self._source.count()
        parts = max(1, -(-rows // self._part_rows))
        self._held = CodedBlocks.room_for(rows, self._domain)
        choice = self._choose(0, parts)
        for part in range(1, parts):
            more = self._choose(part, parts)
            choice = Choice(choice.kept & more.kept, *(a + b for a, b in zip(choice[1:], more[1:], strict=True)))
        if self._held is not None:
            self._held.keep(choice.kept)
        return choice

    def _choose(self, part: int, parts: int) -> Choice:
        """The choice among one part of the people; the rows of all others are kept for now."""
        found, places, start, order = list[People](), list[NDArray[np.intp]](), 0, hashlib.blake2b()
        for batch in watched(self._source.batches([*self._domain.names, self._person]), self._progress):
            codes, rest = row_words(batch, self._domain, self._keys)
            people = People.of(batch.column(len(self._domain.names)), codes, rest, self._keys)
            order.update(people.first.tobytes())
            if self._held is not None and part == 0:
                self._held.add(codes)
            if parts > 1:
                mine = np.flatnonzero(people.named & (people.first % np.uint64(parts) == part))
                people = people.at(mine)
                places.append(mine + start)
            found.append(people)
            start += batch.num_rows
        if part and order.digest() != self._order:
            raise _changed()
        self._order = order.digest()
        self.check_still()
        if not found:
            return Choice(np.ones(0, dtype=bool), 0, 0, 0)
        choice = choose(People.joined(found), self._domain.unit.rows)
        if parts == 1:
            return choice
        kept = np.ones(start, dtype=bool)
        kept[np.concatenate(places)] = choice.kept
        return choice._replace(kept=kept)


def _those(batch: pa.RecordBatch, kept: NDArray[np.bool_]) -> pa.RecordBatch:
    """The rows that are kept."""
    try:
        return batch.filter(pa.array(kept))
    except pa.ArrowNotImplementedError:  # of some types (lists of views, runs of equal values), whatever they hold
        ends = np.flatnonzero(np.diff(kept, prepend=False, append=False)).tolist()
        runs = [batch.slice(start, end - start) for start, end in zip(ends[::2], ends[1::2], strict=True)]
        whole = pa.Table.from_batches(runs, batch.schema).combine_chunks().to_batches()
        return whole[0] if whole else batch.slice(0, 0)


def _changed() -> BadData:
    return BadData(
        "the rows changed while they were read, or came in another order; what was charged stays spent: release from "
        "a table that rests"
    )
