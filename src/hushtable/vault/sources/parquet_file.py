"""Parquet and Feather (Arrow) files: typed by their schema, which is public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from .base import BATCH_ROWS, once
from .files import FileSource
from .text_blocks import reading

__all__ = ["FeatherSource", "ParquetSource"]


class ParquetSource(FileSource):
    """One file. A value is read by the type that the schema gives its column."""

    name: ClassVar[str] = "parquet"
    endings: ClassVar[tuple[str, ...]] = (".parquet",)
    packable: ClassVar[bool] = False
    form: ClassVar[str] = "parquet"

    @cached_property
    def _dataset(self) -> Any:
        from pyarrow import dataset, fs

        with reading(self.path):
            return dataset.dataset(str(self.path.absolute()), format=self.form, filesystem=fs.LocalFileSystem())

    @property
    def columns(self) -> Sequence[str]:
        """Names from the schema."""
        return list(self._dataset.schema.names)

    def count(self) -> int:
        with reading(self.path):
            return int(self._dataset.count_rows())

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        from pyarrow import dataset

        once(self.columns, names, self.path)
        chosen = {name: dataset.field(name) for name in names}
        with reading(self.path):
            yield from self._dataset.scanner(columns=chosen, batch_size=BATCH_ROWS).to_batches()


class FeatherSource(ParquetSource):
    """One file of Arrow's own form, as Feather and IPC files are."""

    name: ClassVar[str] = "feather"
    endings: ClassVar[tuple[str, ...]] = (".feather", ".arrow")
    form: ClassVar[str] = "ipc"
