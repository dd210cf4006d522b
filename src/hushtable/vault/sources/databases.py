"""Databases: what tables at an address share. Only declared columns are read, and no SQL but the program's own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar, Self

import pyarrow as pa

from ...addresses import TableAt
from ...domain import Domain
from ...domain.csv_text import Csv
from ...errors import BadData, BadPath, HushError
from ..held_codes import HeldCodes
from .base import BATCH_ROWS, Source

__all__ = ["DatabaseSource", "quoted"]


class DatabaseSource(Source):
    """One table or view. Within a snapshot all passes see the same rows; codes are held in memory where they fit.

    Numbers of a binned attribute are read as they are, everything else as the text that the database writes, so that a
    row is coded as the same row of a CSV file.
    """

    schemes: ClassVar[tuple[str, ...]]

    def __init__(self, data: TableAt, *, numbers: frozenset[str] = frozenset()) -> None:
        self._at, self._numbers = data, numbers
        self._connection: Any = None

    @classmethod
    def takes(cls, data: Any) -> bool:
        return isinstance(data, TableAt) and data.scheme in cls.schemes

    @classmethod
    def open(cls, data: Any, *, csv: Csv, numbers: frozenset[str]) -> Self:
        return cls(data, numbers=numbers)

    @property
    def label(self) -> str:
        """Table, scheme, host and database."""
        return self._at.label

    @cached_property
    def columns(self) -> Sequence[str]:
        """Names from the catalogue."""
        return list(self._types)

    @cached_property
    def _types(self) -> dict[str, str]:
        """The columns and their types."""
        with self._connected() as connection:
            types = self._look_up(connection)
        if not types:
            raise BadPath(f"there is no {self.label}, or this user may not see it; name a table or a view (--table)")
        return types

    def check(self, domain: Domain) -> None:
        super().check(domain)
        for name in domain.columns:
            if self._nested(self._types[name]):
                raise BadData(
                    f"column {name} of {self.label} holds lists or records, which have no text of their own; leave it "
                    "out of the domain, or read it through a view that takes one value of it"
                )

    def count(self) -> int:
        with self._connected() as connection:
            return self._count(connection)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._connected() as connection:
            for batch in self._read(connection, names):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One read-only transaction over all passes. Codes are held: a connection that is lost later costs nothing."""
        with self._opened() as connection:
            self._connection, self.held = connection, HeldCodes()
            try:
                yield
            finally:
                self._connection = self.held = None

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """The connection of the snapshot, or one for now; whatever a driver says is not repeated."""
        if self._connection is not None:
            with self._own_words():
                yield self._connection
        else:
            with self._opened() as connection:
                yield connection

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        connection = None
        with self._own_words():
            connection = self._connect()
        try:
            with self._own_words():
                yield connection
        finally:
            with self._quietly():
                connection.close()

    @contextmanager
    def _own_words(self) -> Iterator[None]:
        """Errors of a driver in one line of our own: theirs may quote a value or a password."""
        try:
            yield
        except self._errors() as error:
            raise self._in_words(error) from None

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        try:
            yield
        except self._errors():
            pass

    def _in_words(self, error: BaseException) -> HushError:
        if "_types" not in vars(self):  # its columns are not known yet, so nothing was charged
            return BadData(
                f"{self.label} cannot be opened: it is no database of this kind, is damaged, or does not answer"
            )
        return BadData(
            f"{self.label} cannot be read, or the connection was lost; what was charged stays spent, and `hush release "
            "--resume` goes on with it"
        )

    @abstractmethod
    def _errors(self) -> tuple[type[BaseException], ...]:
        """What the driver raises."""

    @abstractmethod
    def _connect(self) -> Any:
        """A connection in a read-only transaction with settings that no row and no machine decides."""

    @abstractmethod
    def _look_up(self, connection: Any) -> dict[str, str]:
        """The columns of the table and their types; none where there is no such table or view."""

    @abstractmethod
    def _nested(self, kind: str) -> bool:
        """Whether values of a type are lists or records."""

    @abstractmethod
    def _count(self, connection: Any) -> int:
        """The number of rows."""

    @abstractmethod
    def _read(self, connection: Any, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All rows of the named columns."""


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
