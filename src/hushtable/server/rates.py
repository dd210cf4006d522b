"""Rates: how many requests one person may send, as a bucket that fills slowly and may be emptied at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from .problems import TooBusy

__all__ = ["Rates"]

MOST_PEOPLE = 10_000


class Rates:
    """One bucket a person."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._mutex = threading.Lock()

    def take(self, person: str) -> None:
        """One request; TooBusy when the bucket is empty."""
        with self._mutex:
            now = self._clock()
            level, then = self._buckets.get(person, (float(self._burst), now))
            level = min(level + max(now - then, 0.0) * self._rate, self._burst)
            if level < 1:
                raise TooBusy(f"more than {self._rate:g} requests a second for a while; wait a moment and go on")
            if len(self._buckets) >= MOST_PEOPLE and person not in self._buckets:
                self._buckets.clear()
            self._buckets[person] = (level - 1, now)
