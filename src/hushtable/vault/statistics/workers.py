"""Workers: threads for compiled loops that do not hold the interpreter lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["Workers"]


class Workers:
    """Runs tasks that do not hold the interpreter lock on some threads, of which the caller's is one."""

    def __init__(self, threads: int | None) -> None:
        self.count = (os.cpu_count() or 1) if threads is None else max(1, threads)
        self._pool = ThreadPoolExecutor(self.count - 1) if self.count > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

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
        others = [self._pool.submit(take) for _ in range(helpers)] if self._pool is not None else []
        take()
        for other in others:
            other.result()
