"""Habits: people round numbers, to tens, to hundreds, to halves of these; counted once for a whole column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ...domain.attributes import Binned

__all__ = ["Habits", "class_of", "round_classes"]

Floats = NDArray[np.float64]
# Columns of at most so many steps show their habits in cells of single values; so many values of a class at least,
# and so many classes at most.
FEW, REPEATED, MOST = 500, 20, 24
# A class is believed to be used more or less than by chance from so many deviations on; rounds of the fit; and the
# least share of any class.
SURE, ROUNDS, LEAST = 3.0, 50, 1e-4


def round_classes(attribute: Binned) -> tuple[int, ...]:
    """Multiples of the step that values may be rounded to: 1, 5, 10, 50, ...; none where cells will show it."""
    units = (attribute.high - attribute.low) // attribute.unit + 1
    if units <= FEW or attribute.low % attribute.unit != 0:
        return ()
    found = [1]
    while (larger := found[-1] * (5 if len(found) % 2 else 2)) <= units // REPEATED and len(found) < MOST:
        found.append(larger)
    return tuple(found)


def class_of(steps: Floats, classes: tuple[int, ...]) -> NDArray[np.int64]:
    """For whole numbers of steps the last of the classes that divides them; each class divides the next."""
    found = np.zeros(len(steps), dtype=np.int64)
    for place, multiple in enumerate(classes[1:], 1):
        found[np.mod(steps, multiple) == 0] = place
    return found


@dataclass(frozen=True, eq=False)
class Habits:
    """The noisy numbers of rows by class of their value."""

    classes: tuple[int, ...]
    counts: Floats
    variance: float

    def in_cells(self, attribute: Binned, shares: Floats) -> Floats:
        """For every cell the chances of the classes, from those of all rows: iterative fitting of cells by classes.

        What is even in every cell is the start, so that classes are more or less frequent everywhere alike.
        """
        seed = values_of_classes(attribute, self.classes)
        if not seed.sum():
            return seed
        rows = np.maximum(shares, 0.0) * (seed.sum(axis=1) > 0)
        rows = rows / max(rows.sum(), 1e-300)
        each = seed / np.maximum(seed.sum(axis=1, keepdims=True), 1.0)
        expected = rows @ each
        total = max(float(self.counts.sum()), 1.0)
        sure = np.abs(self.counts / total - expected) > SURE * self.variance**0.5 / total
        wanted = np.maximum(np.where(sure, self.counts / total, expected), LEAST) * (expected > 0)
        wanted = wanted / wanted.sum()
        table = rows[:, None] * each
        for _ in range(ROUNDS):
            table = table * (wanted / np.maximum(table.sum(axis=0), 1e-300))
            table = table * (rows / np.maximum(table.sum(axis=1), 1e-300))[:, None]
        inside = table.sum(axis=1, keepdims=True)
        return np.asarray(np.where(inside > 0, table / np.maximum(inside, 1e-300), each))


def values_of_classes(attribute: Binned, classes: tuple[int, ...]) -> Floats:
    """How many values of each class every cell has."""
    edges = [*attribute.edges[:-1], end_of(attribute)]
    dividing = np.array(
        [[_multiples(low, high, attribute.unit * r) for r in classes] for low, high in pairwise(edges)],
        dtype=np.float64,
    )
    return np.asarray(dividing - np.concatenate([dividing[:, 1:], np.zeros((len(dividing), 1))], axis=1))


def end_of(attribute: Binned) -> Fraction:
    """The end of the last cell, which holds its upper bound."""
    return attribute.edges[-1] if attribute.steps else attribute.high + attribute.unit


def _multiples(low: Fraction, high: Fraction, of: Fraction) -> int:
    """How many multiples lie from `low` on and below `high`."""
    return ceil(high / of) - ceil(low / of)
