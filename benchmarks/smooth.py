"""Smooth questions on a simulated table: error and coverage, against the source and histograms."""

from collections.abc import Iterator
from typing import Any

from benchmarks._smooth import SIMULATED, simulated
from benchmarks._smooth_errors import errors, names_of

BARS = {2: {"pure": 0.00075, "zcdp": 0.00095}, 3: {"pure": 0.0018, "zcdp": 0.0022}}
QUESTIONS = {2: 200, 3: 80}
FIGURES = tuple(figure for d in BARS for figure in names_of(f"smooth-simulated-{d}"))


def run() -> Iterator[dict[str, Any]]:
    for d, bars in BARS.items():
        bounds = dict(list(SIMULATED.items())[:d])
        columns = {name: simulated()[name] for name in bounds}
        yield from errors(f"smooth-simulated-{d}", columns, bounds, QUESTIONS[d], bars)
