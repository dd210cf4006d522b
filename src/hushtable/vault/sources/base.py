"""Source: rows as Arrow batches. The only thing a new kind of source must provide."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pyarrow as pa

from ...domain import Domain
from ...domain.csv_text import Csv
from ...errors import BadData
from ...words import listed, suggestion
from ..held_codes import HeldCodes, coding_of
from ..statistics.base import T, Total, add_up

__all__ = ["BATCH_ROWS", "LeftOut", "Progress", "Source", "once", "watched"]

BATCH_ROWS = 131_072

# Called with the number of rows read so far. Timing is not protected; see docs/known-weaknesses.md.
Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """What keeping few rows of each person leaves out. Not private."""

    rows: int
    kept: int
    unnamed: int
    """Rows that name nobody: each counts as a person of its own."""
    people: int
    cut: int
    """People who have more rows than are kept."""


class Source(ABC):
    """A table somewhere. `columns` may be read before anything is charged: names are public, rows are not.

    How a row is read depends on that row and on what is declared (the domain, the schema or first line of the source),
    never on other rows, their order or number; and no row can make reading fail. Every price rests on this: one
    person changes one row of codes. `tests/contract/test_sources.py` holds every source to it.

    `Vault(data, domain)` asks every source in this folder whether it `takes` the data, and opens them with the one
    that does. A source from elsewhere is given to the vault as an object and needs neither `name` nor `takes`.
    """

    name: ClassVar[str]
    held: HeldCodes | None = None
    """Codes of all rows, within a snapshot of a source that holds them: a later pass then reads nothing."""

    def __init__(self, data: Any) -> None:
        """Of data that it takes."""
        super().__init__()

    @classmethod
    def takes(cls, data: Any) -> bool:
        """Whether it reads such data: by their type, their scheme or their ending, never by what is in them."""
        return False

    @classmethod
    def open(cls, data: Any, *, csv: Csv, numbers: frozenset[str]) -> Self:
        """Of data that it takes; `csv` says how text is written, `numbers` which columns have its decimal mark."""
        return cls(data)

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """Names of all columns."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All rows, only the named columns, in that order, in batches of bounded size."""

    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    @property
    def label(self) -> str:
        """What to call it in a message or a journal: where it is, without a password and without anything of rows."""
        return "the table"

    def snapshot(self) -> AbstractContextManager[object]:
        """Held over all passes of one release, which must see the same rows in the same order: see `Vault.release`."""
        return nullcontext()

    def check_still(self) -> None:
        """BadData where rows are known to have changed since the snapshot began; asked after every pass."""
        return

    def keeping(self, domain: Domain, secret: str) -> Source | None:
        """The rows of it that count where few of each person do, if it can choose them itself; see `bounded`."""
        return None

    def left_out(self) -> LeftOut:
        """What keeping few rows of each person leaves out, of a source that does. Not private."""
        raise NotImplementedError(f"{type(self).__name__} keeps all rows")

    def check(self, domain: Domain) -> None:
        """BadData when a column of the domain is not in the source. Columns the domain leaves out are never read."""
        known = list(self.columns)
        for name in domain.columns:
            if name not in known:
                raise BadData(
                    f"the domain has {name} but the data have no such column; they have {listed(known)}."
                    f"{suggestion(name, known)}"
                )

    def total(self, wanted: Total[T], domain: Domain, progress: Progress | None = None) -> T:
        """The total over all rows, from held codes where there are some. A source that computes elsewhere may override
        this."""

        def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            return watched(self.batches(names), progress)

        held, coding = self.held, coding_of(wanted, domain)
        if held is not None and coding is not None:
            return held.total(wanted, coding, batches)
        return add_up(
            wanted, (wanted.accumulate(wanted.read(batch, domain)) for batch in batches(wanted.columns(domain)))
        )


def once(columns: Sequence[str], names: Sequence[str], where: object) -> None:
    """BadData where a column that is to be read stands there twice."""
    times = Counter(columns)
    for name in names:
        if times[name] > 1:
            raise BadData(f"{where} has two columns named {name}; name each column once")


def watched(batches: Iterator[pa.RecordBatch], progress: Progress | None) -> Iterator[pa.RecordBatch]:
    """The batches, telling how many rows went by."""
    rows = 0
    for batch in batches:
        yield batch
        rows += batch.num_rows
        if progress:
            progress(rows)
