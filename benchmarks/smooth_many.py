"""Smooth questions on six columns together: time of a release of a million rows, of an answer, and what bars hold."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from benchmarks._figure import figure

FIGURES = ("smooth-many",)
ROWS, SMALL, COLUMNS, ASKED, RELEASES = 1_000_000, 20_000, 6, 60, 10


def run() -> Iterator[dict[str, Any]]:
    """Not private: the rows are simulated, and answers are compared with them."""
    seconds, answering = _times(simulated(ROWS))
    yield figure("smooth-many-release", seconds, f"CPU seconds for {ROWS:,} rows of six columns", baseline=60,
                 ratio=seconds / 60, bar="ratio <= 1")  # fmt: skip
    yield figure("smooth-many-ask", answering, "CPU milliseconds an answer about six columns", baseline=50,
                 ratio=answering / 50, bar="ratio <= 1")  # fmt: skip
    held, error, half = _bars(simulated(SMALL))
    yield figure("smooth-many-held", held, "share inside 95% intervals", baseline=0.95, ratio=half / error,
                 bar="value >= 0.93")  # fmt: skip


def simulated(rows: int) -> NDArray[np.float64]:
    """Columns that share a factor."""
    source = np.random.default_rng(3)
    return np.clip(0.6 * source.normal(size=(rows, 1)) + 0.8 * source.normal(size=(rows, COLUMNS)), -3, 3)


def _begun(x: NDArray[np.float64]) -> tuple[ht.Vault, ht.Plan]:
    names = [f"x{i}" for i in range(COLUMNS)]
    number = {"kind": "number", "between": [-3, 3], "bins": 4, "missing": "error"}
    domain = ht.Domain.from_dict({"table": "t", "attributes": dict.fromkeys(names, number)})
    plan = ht.plan(domain, rows=len(x), workload=ht.Smooth(columns=tuple(names)),
                   budget=ht.Budget(epsilon=1, delta="1e-9"))  # fmt: skip
    return ht.Vault(pa.table(dict(zip(names, x.T, strict=True))), domain), plan


def _asked() -> list[tuple[str, NDArray[np.float64], float]]:
    """Scores of all columns, and waves and bumps of two, with their slopes."""
    source, asked = np.random.default_rng(5), list[tuple[str, NDArray[np.float64], float]]()
    for i in range(ASKED):
        slopes = source.normal(size=COLUMNS) * 0.25
        slopes[2:] *= i % 2
        line = " + ".join(f"({s!r}) * x{j}" for j, s in enumerate(slopes.tolist()) if s)
        asked.append((f"expit({line})" if i % 3 else f"cos({line})", slopes, float(i % 3)))
    return asked


def _truth(x: NDArray[np.float64], slopes: NDArray[np.float64], kind: float) -> float:
    line = x @ slopes
    return float((1 / (1 + np.exp(-line)) if kind else np.cos(line)).mean())


def _times(x: NDArray[np.float64]) -> tuple[float, float]:
    """CPU seconds of the release, and milliseconds of an answer once the grid is there."""
    vault, plan = _begun(x)
    start = time.process_time()
    synopsis = vault.release(plan, randomness=ht.Simulated(1))
    seconds = time.process_time() - start
    questions = [text for text, slopes, _ in _asked() if slopes[2]]
    synopsis.ask(f"avg({questions[0]})")
    start = time.process_time()
    for text in questions:
        synopsis.ask(f"avg({text})")
    return seconds, (time.process_time() - start) / len(questions) * 1000


def _bars(x: NDArray[np.float64]) -> tuple[float, float, float]:
    """The share of truths inside, the mean error and the mean half width."""
    vault, plan = _begun(x)
    held, errors, halves = list[bool](), list[float](), list[float]()
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for text, slopes, kind in _asked():
            answer, truth = synopsis.ask(f"avg({text})"), _truth(x, slopes, kind)
            low, high = map(float, answer.interval())
            held.append(low <= truth <= high)
            errors.append(abs(float(answer.value) - truth))
            halves.append((high - low) / 2)
    return float(np.mean(held)), float(np.mean(errors)), float(np.mean(halves))
