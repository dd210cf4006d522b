"""CSV rows: synthetic rows as the text of a file that reads like the data."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..domain import Domain

__all__ = ["CsvRows"]


class CsvRows:
    """Changes what only text can say: how a missing number is written, and the decimal mark."""

    def __init__(self, domain: Domain) -> None:
        self.decimal = domain.csv.decimal
        self.missing = {
            column.name: column.missing_values[0] for column in domain.every_column if column.missing_values
        }

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """What the columns are in the file."""
        return self.batch(pa.RecordBatch.from_pylist([], schema=schema)).schema

    def batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with such columns as text."""
        columns = [self._column(name, batch.column(i)) for i, name in enumerate(batch.schema.names)]
        return pa.record_batch(columns, names=batch.schema.names)

    def _column(self, name: str, column: pa.Array) -> pa.Array:
        comma = self.decimal == "," and pa.types.is_floating(column.type)
        if name not in self.missing and not comma:
            return column
        text = column.cast(pa.string())
        if comma:
            text = pc.replace_substring(text, ".", ",")
        return pc.fill_null(text, self.missing[name]) if name in self.missing else text
