"""Parquet and Feather (Arrow) files: typed by their schema, which is public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from .base import BATCH_ROWS, once
from .files import FileSource
from .text_blocks import reading
from .views import without_views

__all__ = ["FeatherSource", "ParquetSource"]


# Batches that are read while one is looked at. More take memory and, on few cores, time.
AHEAD = 2


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
            scanner = self._dataset.scanner(
                columns=chosen,
                batch_size=BATCH_ROWS,
                batch_readahead=AHEAD,
                fragment_scan_options=self._as_it_comes(),
            )
            yield from map(without_views, scanner.to_batches())

    def _as_it_comes(self) -> Any:
        """No more of a row group at once than its batches need."""
        from pyarrow import dataset

        return dataset.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)


class FeatherSource(ParquetSource):
    """One file of Arrow's own form, as Feather and IPC files are."""

    name: ClassVar[str] = "feather"
    endings: ClassVar[tuple[str, ...]] = (".feather", ".arrow")
    form: ClassVar[str] = "ipc"

    def _as_it_comes(self) -> None:
        """There is nothing to say."""
