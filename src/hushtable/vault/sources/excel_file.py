"""Excel files: the first sheet, whose first line names the columns; each line and each cell is read by itself."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import ClassVar
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from ...domain import Domain
from ...domain.attributes import canonical
from ...errors import BadData
from .base import once
from .excel_book import Workbook
from .excel_cells import Value, row_values
from .excel_pieces import pieces
from .files import FileSource

__all__ = ["ExcelSource"]

BLOCK_ROWS = 8192
MOST_COLUMNS = 16_384
DAMAGED = (BadZipFile, zlib.error, ParseError, KeyError, EOFError, OSError, ValueError, RuntimeError)


class ExcelSource(FileSource):
    """One file. Cells come as text: dates as 2024-01-31, numbers as they are stored and not as they are shown.

    A row is one `<row>` of the sheet, also where it is blank; lines that the file leaves out are none. A cell whose
    content contradicts its type (a number of letters, a date that is none, a text that is not there) is missing, and
    a row that is no XML or longer than 4 MiB has no values at all.
    """

    name: ClassVar[str] = "excel"
    endings: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    packable: ClassVar[bool] = False

    @contextmanager
    def _opened(self) -> Iterator[tuple[Workbook, Iterator[bytes]]]:
        """The workbook, and the lines of its first sheet; errors of libraries may quote a cell, so they stop here."""
        try:
            with ZipFile(self.path) as file:
                book = Workbook(file, self.path)
                with file.open(book.sheet) as sheet:
                    yield book, pieces(sheet, b"row")
        except DAMAGED:
            raise BadData(f"cannot read {self.path}: it is damaged or not what its ending says") from None

    @cached_property
    def columns(self) -> Sequence[str]:
        """The texts of the first line."""
        with self._opened() as (book, lines):
            first = row_values(next(lines, b""), MOST_COLUMNS, book.texts, book.formats)
        names = [_text(value) or "" for value in first]
        while names and not names[-1]:
            names.pop()
        if not names:
            raise BadData(f"{self.path} is empty or begins with an empty line; its first line must name the columns")
        return names

    def check(self, domain: Domain) -> None:
        """Without the words of the first line, which may be a row of a sheet that has no header."""
        known = set(self.columns)
        for name in domain.names:
            if name not in known:
                raise BadData(
                    f"the domain has {name} but the data have no such column; the first line of the first sheet of "
                    f"{self.path} must name the columns"
                )
        once(self.columns, domain.names, f"the first line of {self.path}")

    def count(self) -> int:
        with self._opened() as (_, lines):
            return max(sum(1 for _ in lines) - 1, 0)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Values are text, null where a row has no such cell."""
        once(self.columns, names, f"the first line of {self.path}")
        places, width = [list(self.columns).index(name) for name in names], len(self.columns)
        with self._opened() as (book, lines):
            next(lines, None)
            while block := list(islice(lines, BLOCK_ROWS)):
                rows = [row_values(line, width, book.texts, book.formats) for line in block]
                columns = [[_text(row[place]) for row in rows] for place in places]
                yield pa.RecordBatch.from_arrays([pa.array(c, pa.large_string()) for c in columns], names=list(names))


def _text(value: Value) -> str | None:
    text = canonical(value)
    return None if text is None else text.encode("utf-8", "replace").decode()
