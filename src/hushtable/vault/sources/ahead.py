"""Ahead: the next batch is fetched while one is coded, so that a server does not wait for us, nor we for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

__all__ = ["ahead"]


def ahead(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches, or the same error, in the same order; they are fetched in a thread of their own, one ahead.

    Whoever stops early waits for the one that is on its way, so that nobody reads from a connection that is closed.
    """
    source = iter(batches)
    with ThreadPoolExecutor(1, thread_name_prefix="hushtable-ahead") as fetcher:
        coming = fetcher.submit(next, source, None)
        while (batch := coming.result()) is not None:
            coming = fetcher.submit(next, source, None)
            yield batch
