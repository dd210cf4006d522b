"""Quantiles of columns: how often 95% intervals hold the truth, and how wide they are against the error."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._quantiles import (
    CURRENCIES,
    LEVELS,
    RELATIONS,
    ROWS,
    TABLES,
    Column,
    asked,
    columns,
    missing_files,
    surely_of,
    undeclared,
)

KINDS = ("held", "half", "error", "certified")
FIGURES = (
    *(f"quantiles-{table}-{currency}-{kind}" for table in TABLES for currency in CURRENCIES for kind in KINDS),
    *(f"quantiles-undeclared-{name}-{currency}-held" for name in ("age", "table") for currency in CURRENCIES),
)
# Other releases than those by which the scale of the intervals was chosen.
SEEDS = range(100, 102)


def run() -> Iterator[dict[str, Any]]:
    """Not private: shares of intervals, and lengths as shares of the range."""
    for file in missing_files():
        print(json.dumps({"name": f"quantiles-{file}", "skipped": "no such table; set HUSHTABLE_DATA"}))
    seen: dict[str, list[np.ndarray]] = {}
    for rows in ROWS:
        for column in chain(columns(rows), undeclared(rows)):
            for currency in CURRENCIES:
                found = [line for relation in RELATIONS for line in _asked(column, relation, currency)]
                seen.setdefault(f"{column.table}-{currency}", []).append(np.array(found))
                _print_line(column, currency, np.array(found))
    for what, parts in seen.items():
        yield from _figures(f"quantiles-{what}", np.concatenate(parts))


def _figures(what: str, seen: np.ndarray) -> Iterator[dict[str, Any]]:
    held, half, error, surely, width = seen.mean(axis=0)
    if "undeclared" in what:
        yield figure(f"{what}-held", held, "share of quantiles in 95% intervals", baseline=0.95, ratio=held / 0.95,
                     bar="value >= 0.9")  # fmt: skip
        return
    yield figure(f"{what}-held", held, "share of quantiles in 95% intervals", baseline=0.95, ratio=held / 0.95,
                 bar="value >= 0.93" if "simulated" not in what else "value >= 0.85")  # fmt: skip
    yield figure(f"{what}-half", half, "half width, share of the range", baseline=error, ratio=half / error,
                 bar="ratio <= 6")  # fmt: skip
    yield figure(f"{what}-error", error, "mean error, share of the range", baseline=half, ratio=error / half,
                 bar="ratio <= 1")  # fmt: skip
    yield figure(f"{what}-certified", surely, "share of quantiles in certified intervals", baseline=half,
                 ratio=width / half, bar="value >= 0.95")  # fmt: skip


def _asked(column: Column, relation: str, currency: str) -> Iterator[tuple[float, ...]]:
    """Of every quantile: whether it is in the interval, half width, error, and the same of the certified interval."""
    span = column.high - column.low
    for model, _ in column.released(relation, currency, SEEDS):
        for level, true in zip(LEVELS, column.truth, strict=True):
            answer = asked(model, level)
            low, high = (float(end) for end in answer.interval())
            least, most = surely_of(model, level)
            yield (low <= true <= high, (high - low) / 2 / span, abs(float(answer.value) - true) / span,
                   least <= true <= most, (most - least) / 2 / span)  # fmt: skip


def _print_line(column: Column, currency: str, seen: np.ndarray) -> None:
    """One line a column, for who wants to see more than the figures."""
    held, half, error, _, width = seen.mean(axis=0)
    line = {"column": f"{column.table} {column.name}", "rows": len(column.values), "currency": currency,
            "held": round(float(held), 3), "half": round(float(half), 5), "error": round(float(error), 5),
            "certified half": round(float(width), 5)}  # fmt: skip
    print(json.dumps(line), flush=True)
