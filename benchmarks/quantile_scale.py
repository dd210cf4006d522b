"""How the scales of the intervals of quantiles were chosen: what they hold at each, with each table left out."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._quantiles import CURRENCIES, LEVELS, RELATIONS, ROWS, Column, columns, surely_of
from hushtable.models.smooth.usual_places import PILED, SCALES, UsualPlaces, usual_places

BASES = {"pure": "spline", "delta": "chebyshev"}
GROUPS = ("even", "piled")
FIGURES = tuple(f"quantile-scale-{BASES[currency]}-{group}" for currency in CURRENCIES for group in GROUPS)
TRIED = np.array([0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.2, 1.35, 1.5, 1.75, 2.0])
# The scale is the least with which every table holds so much; a simulated column counts as a table.
TARGET = 0.94
SEEDS = range(1)


def run() -> Iterator[dict[str, Any]]:
    """Not private: the scale that is chosen without a table, and what the table then holds with it."""
    for currency, basis in BASES.items():
        held: dict[str, dict[str, list[np.ndarray]]] = {group: {} for group in GROUPS}
        for rows in ROWS:
            for column in columns(rows):
                for relation in RELATIONS:
                    for piled, share in _held(column, relation, currency):
                        held[GROUPS[piled]].setdefault(_table(column), []).append(share)
        for group, used in zip(GROUPS, SCALES[basis], strict=True):
            yield _judged(f"{basis}-{group}", held[group], used)


def _judged(what: str, held: dict[str, list[np.ndarray]], used: float) -> dict[str, Any]:
    share = {table: np.mean(parts, axis=0) for table, parts in held.items()}
    for table, own in share.items():
        scale = _chosen({other: given for other, given in share.items() if other != table})
        print(json.dumps({"left out": table, "what": what, "scale": scale, "held": _at(own, scale)}), flush=True)
    for scale in TRIED:
        print(json.dumps({"scale": float(scale)} | {t: _at(share[t], float(scale)) for t in share}), flush=True)
    chosen = _chosen(share)
    return figure(f"quantile-scale-{what}", chosen, f"scale chosen on {len(share)} tables",
                  baseline=used, ratio=chosen / used, bar="ratio <= 1.001")  # fmt: skip


def _table(column: Column) -> str:
    return f"simulated {column.name}" if column.table == "simulated" else column.table


def _chosen(share: dict[str, np.ndarray]) -> float:
    enough = np.flatnonzero(np.min(list(share.values()), axis=0) >= TARGET)
    return float(TRIED[enough[0]] if len(enough) else TRIED[-1])


def _at(share: np.ndarray, scale: float) -> float:
    return round(float(share[np.flatnonzero(scale == TRIED)[0]]), 3)


def _held(column: Column, relation: str, currency: str) -> Iterator[tuple[bool, np.ndarray]]:
    """For every release, whether it has piles, and the share of levels at which each scale's interval has the truth."""
    for model, margin in column.released(relation, currency, SEEDS):
        usual = usual_places(margin, np.ones(1))
        if usual is None:
            continue
        surely = [surely_of(model, level) for level in LEVELS]
        found = []
        for scale in TRIED:
            tried = usual_places(margin, np.ones(1), float(scale))
            assert tried is not None
            found.append(np.mean([_inside(tried, *one) for one in zip(LEVELS, surely, column.truth, strict=True)]))
        yield usual.clumps.largest > PILED * usual.spread.rows, np.array(found)


def _inside(usual: UsualPlaces, level: float, certified: tuple[float, float], true: float) -> bool:
    """As an answer has it."""
    low, high = usual.interval(level, 0.95, certified)
    return bool(low <= true <= high)
