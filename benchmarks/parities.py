"""Parities: all sets of at most 3 and 4 of 100 columns over 50,000 rows, against numpy and the machine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import comb
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._limit import loops
from hushtable.vault.statistics import kernels

FIGURES = ("parities-3-vs-numpy", "parities-3-vs-limit", "parities-3-threads", "parities-4")
ROWS, WIDTH = 50_000, 100
WORDS = -(-ROWS // 64)
REPEATS = 40


def run() -> Iterator[dict[str, Any]]:
    """Times are the best of several; what is compared was measured in the same run, turn by turn.

    The limit is that of counting each set by itself. Sets that share their counts may take less.
    """
    codes = random_codes()
    one, two = best(lambda: kernels.odd_counts(codes, 3, 1), lambda: kernels.odd_counts(codes, 3, 2))
    limit = sum(comb(WIDTH, i) for i in (1, 2, 3)) * WORDS / words_per_second()
    (four,) = best(lambda: kernels.odd_counts(codes, 4, 1), repeats=2)
    ours, numpy = against_numpy()
    yield figure("parities-3-vs-numpy", ours, "s", baseline=numpy, ratio=numpy / ours, bar="ratio >= 8")
    yield figure("parities-3-vs-limit", one, "s", baseline=limit, ratio=one / limit, bar="ratio <= 1.5")
    yield figure("parities-3-threads", two, "s", baseline=one, ratio=one / two, bar="ratio >= 1.6")
    yield figure("parities-4", four, "s", baseline=one, ratio=four / one, bar="ratio <= 30")


def random_codes() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 2, (WIDTH, ROWS), dtype=np.uint8)


def against_numpy() -> tuple[float, float]:
    """Ours and the best numpy version, from the fresh process with the median ratio of seven.

    numpy's time depends on where its temporaries happen to lie (0.17 to 0.26 s seen in different processes, steady
    within one), so one process says little.
    """
    command = [sys.executable, "-m", "benchmarks.parities"]
    seen = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(7)]
    middle = sorted(seen, key=lambda pair: pair[1] / pair[0])[3]
    return middle[0], middle[1]


def compare() -> None:
    """Prints seconds of ours (best of many) and of the better numpy version (best of several)."""
    codes = random_codes()
    (ours,) = best(lambda: kernels.odd_counts(codes, 3, 1))
    print(json.dumps([ours, min(best(lambda: by_rows(codes), lambda: by_columns(codes), repeats=4))]))


def best(*works: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Least seconds of each work, taken in turns, after one round that warms up."""
    times: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(repeats):
        for work, seen in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            seen.append(time.perf_counter() - start)
    return [min(seen) for seen in times]


def packed(codes: np.ndarray) -> np.ndarray:
    padded = np.zeros((WIDTH, WORDS * 8), dtype=np.uint8)
    padded[:, : -(-ROWS // 8)] = np.packbits(codes, axis=1)
    return padded.view(np.uint64)


def by_rows(codes: np.ndarray) -> None:
    """The plain way in numpy: one bit count for each pair of upper members, a row a column of the table."""
    words = packed(codes)
    for c in range(2, WIDTH):
        for b in range(1, c):
            np.bitwise_count(words[:b] ^ (words[b] ^ words[c])).sum(axis=1, dtype=np.uint32)


def by_columns(codes: np.ndarray) -> None:
    """The same with the words of all columns side by side, so that numpy adds whole vectors."""
    words = np.ascontiguousarray(packed(codes).T)
    for c in range(2, WIDTH):
        for b in range(1, c):
            np.bitwise_count(words[:, :b] ^ (words[:, b] ^ words[:, c])[:, None]).sum(axis=0, dtype=np.uint32)


def words_per_second() -> float:
    """The machine's limit: words xored and counted a second without leaving the cache, by the better loop."""
    plain, carry_save = loops(WORDS, 20_000)
    first, second = best(plain[0], carry_save[0])
    return max(plain[1] / first, carry_save[1] / second)


if __name__ == "__main__":
    compare()
