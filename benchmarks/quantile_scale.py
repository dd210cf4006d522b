"""How the scale of the intervals of quantiles was chosen: what they hold at each scale, with each table left out."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._quantiles import CURRENCIES, LEVELS, RELATIONS, ROWS, Column, columns, surely_of
from hushtable.models.smooth.usual_places import SCALES, UsualPlaces, usual_places

BASES = {"pure": "spline", "delta": "chebyshev"}
FIGURES = tuple(f"quantile-scale-{BASES[currency]}" for currency in CURRENCIES)
TRIED = np.round(np.arange(0.35, 0.96, 0.05), 2)
# The scale is the least with which every table holds so much; a simulated column counts as a table.
TARGET = 0.94
SEEDS = range(1)


def run() -> Iterator[dict[str, Any]]:
    """Not private: the scale that is chosen without a table, and what the table then holds with it."""
    for currency, basis in BASES.items():
        held: dict[str, list[np.ndarray]] = {}
        for rows in ROWS:
            for column in columns(rows):
                for relation in RELATIONS:
                    held.setdefault(_table(column), []).extend(_held(column, relation, currency))
        share = {table: np.mean(parts, axis=0) for table, parts in held.items()}
        for table, own in share.items():
            scale = _chosen({other: given for other, given in share.items() if other != table})
            line = {"left out": table, "basis": basis, "scale": scale, "held": _at(own, scale)}
            print(json.dumps(line), flush=True)
        for scale in TRIED:
            print(json.dumps({"scale": float(scale)} | {t: _at(share[t], float(scale)) for t in share}), flush=True)
        chosen = _chosen(share)
        yield figure(f"quantile-scale-{basis}", chosen, f"scale chosen on {len(share)} tables",
                     baseline=SCALES[basis], ratio=chosen / SCALES[basis], bar="ratio <= 1.001")  # fmt: skip


def _table(column: Column) -> str:
    return f"simulated {column.name}" if column.table == "simulated" else column.table


def _chosen(share: dict[str, np.ndarray]) -> float:
    enough = np.flatnonzero(np.min(list(share.values()), axis=0) >= TARGET)
    return float(TRIED[enough[0]] if len(enough) else TRIED[-1])


def _at(share: np.ndarray, scale: float) -> float:
    return round(float(share[np.flatnonzero(scale == TRIED)[0]]), 3)


def _held(column: Column, relation: str, currency: str) -> Iterator[np.ndarray]:
    """For every release, the share of levels at which the interval of each scale holds the truth."""
    for model, margin in column.released(relation, currency, SEEDS):
        surely = [surely_of(model, level) for level in LEVELS]
        found = []
        for scale in TRIED:
            usual = usual_places(margin, np.ones(1), float(scale))
            found.append(np.mean([_inside(usual, *one) for one in zip(LEVELS, surely, column.truth, strict=True)]))
        yield np.array(found)


def _inside(usual: UsualPlaces | None, level: float, certified: tuple[float, float], true: float) -> bool:
    """As an answer has it."""
    low, high = certified if usual is None else usual.interval(level, 0.95, certified)
    return bool(low <= true <= high)
