"""CSV files, read so that a row says the same whatever the other rows are."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...domain import Domain
from ...domain.csv_text import Csv
from ...errors import BadData
from .base import once
from .csv_cells import Marks, Rows, cells, rows_by_line, rows_over_lines
from .files import FileSource
from .text_blocks import count_lines, first_line, line_blocks

__all__ = ["CsvSource"]

MOST_COLUMNS, MOST_HEADER = 20_000, 4_000_000
SEPARATORS = ",;\t|"
NO_MARK = "\uffff"


class CsvSource(FileSource):
    """One file. The first line names the columns and shows the separator, unless that is declared.

    Every further line is a row, cut at the separators outside quotes. A quote counts at the beginning of a field;
    inside, it is doubled; it never reaches past its line (unless `multiline` is declared), and an unclosed one leaves
    that field and the rest of the row missing. Fields that a row lacks are missing; a row with more fields than
    columns, or longer than 4 MiB, has no values at all. There are no comments, and a backslash is a backslash.
    """

    name: ClassVar[str] = "csv"
    endings: ClassVar[tuple[str, ...]] = (".csv", ".tsv")

    def __init__(self, data: str | Path, *, csv: Csv | None = None, numbers: frozenset[str] = frozenset()) -> None:
        super().__init__(data)
        self._csv = csv or Csv()
        marked = self._csv.decimal == "," or bool(self._csv.thousands)
        self._with_marks = numbers if marked else frozenset[str]()

    @classmethod
    def open(cls, data: Any, *, csv: Csv, numbers: frozenset[str]) -> Self:
        return cls(data, csv=csv, numbers=numbers)

    @cached_property
    def _header(self) -> str:
        line = first_line(self.path, self._csv.encoding, MOST_HEADER)
        if line is not None and "\r" in line:
            raise BadData(f"the lines of {self.path} end in carriage returns alone; end them in line feeds")
        if line is None or max(line.count(mark) for mark in SEPARATORS) >= MOST_COLUMNS:
            raise BadData(f"the first line of {self.path} names more than {MOST_COLUMNS:,} columns; leave some out")
        if not line.strip():
            raise BadData(f"{self.path} is empty or begins with an empty line; its first line must name the columns")
        return line

    @cached_property
    def separator(self) -> str | None:
        """The declared one, or the mark that is most frequent outside the quotes of the first line; None: no mark."""
        if self._csv.separator is not None or ".tsv" in self.path.suffixes[-2:]:
            return self._csv.separator or "\t"
        outside = "".join(self._header.split(self._csv.quote)[::2]) if self._csv.quote else self._header
        most = max(SEPARATORS, key=outside.count)
        return most if most in outside else None

    @cached_property
    def columns(self) -> Sequence[str]:
        """The names in the first line, without spaces around them."""
        reader = csv.reader(
            [self._header],
            delimiter=self.separator or NO_MARK,
            quotechar=self._csv.quote or None,
            quoting=csv.QUOTE_MINIMAL if self._csv.quote else csv.QUOTE_NONE,
            skipinitialspace=True,
            strict=True,
        )
        try:
            return [name.strip() for name in next(reader)]
        except csv.Error:
            raise BadData(
                f"the first line of {self.path} has a quote that is not closed, or text behind a closed one; "
                "it must name the columns"
            ) from None

    def check(self, domain: Domain) -> None:
        """Without the words of the first line, which may be a row of a file that has no header."""
        columns = list(self.columns)
        for name in domain.columns:
            if name not in columns:
                between = f"separated by {self.separator!r}" if self.separator else "and no separator was found in it"
                raise BadData(
                    f"the domain has {name} but the data have no such column; the first line of a CSV file names "
                    f"the columns, {between} (csv: {{separator: ...}} in the domain, or --separator, says otherwise)"
                )
        once(columns, domain.columns, f"the first line of {self.path}")

    def count(self) -> int:
        if self._csv.multiline:
            return sum(len(rows.starts) for rows in self._rows())
        return max(count_lines(self.path) - 1, 0)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Values are text, null where a row has no such field."""
        columns, slots = list(self.columns), np.full(len(self.columns), -1)
        slots[[columns.index(name) for name in names]] = np.arange(len(names))
        for rows in self._rows():
            texts = cells(rows, self._marks, slots, len(names))
            arrays = [self._plain(t) if n in self._with_marks else t for n, t in zip(names, texts, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, names=list(names))

    def _plain(self, column: pa.Array) -> pa.Array:
        """Numbers as the rest of the program writes them, each by itself."""
        if self._csv.thousands:
            column = _without_thousands(column, self._csv.thousands, self._csv.decimal)
        return _with_points(column) if self._csv.decimal == "," else column

    @property
    def _marks(self) -> Marks:
        return Marks.of(self.separator, self._csv.quote)

    def _rows(self) -> Iterator[Rows]:
        blocks = _without_first_line(line_blocks(self.path, self._csv.encoding))
        return rows_over_lines(blocks, self._marks) if self._csv.multiline else rows_by_line(blocks)


def _without_first_line(blocks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(blocks, b"\n")
    yield first[first.index(b"\n") + 1 :]
    yield from blocks


def _without_thousands(column: pa.Array, mark: str, decimal: str) -> pa.Array:
    """1,234,567.5 without its marks; what has a mark elsewhere is no number and stays as it is."""
    grouped = pc.match_substring_regex(
        column, rf"^\s*[+-]?\d{{1,3}}({re.escape(mark)}\d{{3}})+({re.escape(decimal)}\d*)?\s*$"
    )
    return pc.if_else(grouped, pc.replace_substring(column, mark, ""), column)


def _with_points(column: pa.Array) -> pa.Array:
    """Numbers with a decimal comma as the rest of the program writes them; a point inside makes them no number."""
    points = pc.match_substring(column, ".")
    return pc.if_else(points, pa.scalar("no number", column.type), pc.replace_substring(column, ",", "."))
