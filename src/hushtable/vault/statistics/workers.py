"""Workers: threads for compiled loops that do not hold the interpreter lock, and memory that they keep."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Workers", "kept_words", "one_thread"]

# Words in a line of the cache, where kept memory starts: a vector that lies across two lines takes two loads.
LINE = 8


# How many threads a process uses where nothing else is said; None: one for each core.
_most: int | None = None


def one_thread() -> None:
    """From now on this process uses one, for whoever runs a process a core."""
    import pyarrow as pa

    global _most  # noqa: PLW0603
    _most = 1
    pa.set_cpu_count(1)


class Workers:
    """Runs tasks that do not hold the interpreter lock on some threads, of which the caller's is one."""

    def __init__(self, threads: int | None) -> None:
        self.count = (_most or os.cpu_count() or 1) if threads is None else max(1, threads)

    def run(self, work: Callable[..., object], tasks: Iterable[tuple[Any, ...]]) -> None:
        """Calls `work` with every task's arguments, begun in their order; returns when all are done."""
        waiting = deque(tasks)

        def take() -> None:
            while True:
                try:
                    task = waiting.popleft()
                except IndexError:
                    return
                work(*task)

        helpers = min(self.count, len(waiting)) - 1
        others = [_pool().submit(take) for _ in range(helpers)]
        take()
        for other in others:
            other.result()


@cache
def _pool() -> ThreadPoolExecutor:
    """One for all, since starting a thread takes as long as many a task, and a new thread has no memory yet."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), thread_name_prefix="hushtable")


# Threads do not survive a fork; a child starts its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


class _Kept(threading.local):
    def __init__(self) -> None:
        self.words: dict[str, NDArray[np.uint64]] = {}


_kept = _Kept()


def kept_words(name: str, count: int) -> NDArray[np.uint64]:
    """Room for so many words, with anything in it, which this thread keeps under this name from call to call.

    Because a page that is used for the first time costs more than counting its bits (measured on a virtual machine:
    4 microseconds, a third of all the time that `odd_counts` took).
    """
    words = _kept.words.get(name)
    if words is None or len(words) < count:
        words = np.empty(count + LINE, dtype=np.uint64)
        words = _kept.words[name] = words[-(words.ctypes.data // 8) % LINE :]
    return words[:count]
