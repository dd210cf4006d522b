"""Drafting edges: round numbers that split the rows about evenly. Not private: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor

import numpy as np

__all__ = ["equal_edges"]

PARTS = 8
# How far from its place, as a share of the rows, an edge may be for the sake of a round number.
ROOM = 0.04
# Digits of larger numbers are not told apart.
LARGEST = 1e12


def equal_edges(counts: Mapping[float, int], *, whole: bool) -> list[str]:
    """Up to seven ascending edges, strictly inside the values; none where the values do not allow it."""
    values = np.array(sorted(counts))
    if np.abs(values).max() >= LARGEST:
        return []
    below = np.cumsum([counts[v] for v in values]) / sum(counts.values())
    found: list[str] = []
    for part in range(1, PARTS):
        low, high = (
            float(values[np.searchsorted(below, min(max(part / PARTS + away, 0), 1)).clip(0, len(values) - 1)])
            for away in (-ROOM, ROOM)
        )
        edge = _roundest(low, high, whole=whole)
        if edge is not None:
            found.append(_text(edge))
    inside = [edge for edge in dict.fromkeys(found) if values[0] < float(edge) < values[-1]]
    return sorted(inside, key=float)


def _roundest(low: float, high: float, *, whole: bool) -> Fraction | None:
    """The number from `low` to `high` with the fewest digits; of whole numbers a whole one."""
    for exponent in range(18, -1 if whole else -7, -1):
        for factor in (5, 2, 1):
            step = Fraction(factor) * Fraction(10) ** exponent
            place = floor(Fraction(high) / step) * step
            if place >= Fraction(low):
                return place
    return None


def _text(edge: Fraction) -> str:
    return str(int(edge)) if edge.denominator == 1 else f"{float(edge):.10g}"
