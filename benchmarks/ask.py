"""Asking: time per question on a loaded synopsis, from the shell, and of the import."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hushtable as ht
from benchmarks._figure import figure
from hushtable.demo.run import prepare, release

FIGURES = ("ask-3way", "ask-3way-new", "ask-crosstab", "ask-shell", "import", "help")
QUESTIONS = [
    f"{a} AND {b} AND age >= 65" for a, b in (("smoker", "diabetic"), ("asthma", "readmitted"), ("exercise", "smoker"))
]


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, rows=20_000, seed=1)
        release(folder, rows=20_000)
        synopsis = ht.load(folder / "clinic.hush")
        known = median(lambda: [synopsis.ask(q) for q in QUESTIONS]) / len(QUESTIONS)
        yield limit("ask-3way", 1000 * known, "ms", 1)
        yield limit("ask-3way-new", 1000 * never_asked_before(synopsis), "ms", 2)
        table = "SELECT region, income, count(*) FROM clinic GROUP BY region, income"
        yield limit("ask-crosstab", 1000 * median(lambda: synopsis.ask(table)), "ms", 5)
        shell = median(lambda: python("from hushtable.cli import main; main()", "ask", str(folder / "clinic.hush"),
                                      QUESTIONS[0]), times=7)  # fmt: skip
        yield limit("ask-shell", shell, "s", 1)
    yield limit("import", median(lambda: python("import hushtable"), times=7), "s", 0.3)
    yield limit("help", median(lambda: python("from hushtable.cli import main; main()", "--help"), times=7), "s", 0.5)


def limit(name: str, value: float, unit: str, most: float) -> dict[str, Any]:
    return figure(name, value, unit, baseline=most, ratio=value / most, bar=f"value <= {most}")


def never_asked_before(synopsis: ht.Synopsis) -> float:
    """Median over questions whose text was never parsed before (the bar is for questions in general)."""
    names = [a.name for a in synopsis.domain.closed if a.kind == "boolean"]
    asked = [f"{a} AND NOT {b} AND age >= 65" for a in names for b in names if a != b]
    seconds = []
    for question in asked:
        start = time.perf_counter()
        synopsis.ask(question)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def median(work: Callable[[], object], times: int = 300) -> float:
    work()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def python(program: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)
