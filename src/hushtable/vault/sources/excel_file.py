"""Excel files: the first sheet, whose first line names the columns; each cell is read by its own type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

import pyarrow as pa

from ...domain.attributes import canonical
from ...errors import BadData, BadQuestion
from ...extras import need
from .base import once
from .files import FileSource

__all__ = ["ExcelSource"]

BLOCK_ROWS = 8192


class ExcelSource(FileSource):
    """One file. Cells come as text: dates as 2024-01-31, numbers as they are stored and not as they are shown."""

    name: ClassVar[str] = "excel"
    endings: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    packable: ClassVar[bool] = False

    @contextmanager
    def _sheet(self) -> Iterator[Any]:
        """The first sheet, line by line; errors of the library may quote a cell, so they stop here."""
        try:
            need("openpyxl")
        except BadQuestion as error:
            raise BadData(f"{self.path} is an Excel file; {error}") from None
        import warnings

        from openpyxl import load_workbook  # type: ignore[import-untyped]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                book = load_workbook(self.path, read_only=True, data_only=True)
                try:
                    sheet = book.worksheets[0]
                    sheet.reset_dimensions()
                    yield sheet.iter_rows(values_only=True)
                finally:
                    book.close()
        except BadData:
            raise
        except Exception:  # whatever a damaged file makes of the library
            raise BadData(f"cannot read {self.path}: it is damaged or not what its ending says") from None

    @cached_property
    def columns(self) -> Sequence[str]:
        """The texts of the first line."""
        with self._sheet() as lines:
            first = next(lines, ())
        names = [canonical(value) or "" for value in first]
        while names and not names[-1]:
            names.pop()
        if not names:
            raise BadData(f"{self.path} is empty or begins with an empty line; its first line must name the columns")
        return names

    def count(self) -> int:
        with self._sheet() as lines:
            return max(sum(1 for _ in lines) - 1, 0)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Values are text, null where a row has no such cell."""
        once(self.columns, names, f"the first line of {self.path}")
        places = [list(self.columns).index(name) for name in names]
        with self._sheet() as lines:
            next(lines, None)
            while block := list(islice(lines, BLOCK_ROWS)):
                columns = [[_text(row[i]) if i < len(row) else None for row in block] for i in places]
                yield pa.RecordBatch.from_arrays([pa.array(c, pa.string()) for c in columns], names=list(names))


def _text(value: object) -> str | None:
    text = canonical(value)
    return None if text is None else text.encode("utf-8", "replace").decode()
