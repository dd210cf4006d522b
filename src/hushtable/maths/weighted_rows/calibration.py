"""Calibration: measured distances between the published model and the table, and the bound they put on its answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ...laws import Law

__all__ = ["CALIBRATION_UNIT", "Bound", "Calibration", "tables_to_compare", "whole_reference"]

# Counts are compared in units of 1/1024 row, because the model's cells are fractions of rows.
CALIBRATION_UNIT = 1024
# All pairs and triples up to so many tables; beyond, a sample of each width.
MOST_TABLES = 2000
SAMPLE_SEED = 7


def tables_to_compare(width: int) -> list[tuple[int, ...]]:
    """Pairs and triples of attributes, all or a fixed random sample; no data are looked at."""
    sizes = [size for size in (2, 3) if size <= width]
    if sum(comb(width, size) for size in sizes) <= MOST_TABLES:
        return [members for size in sizes for members in combinations(range(width), size)]
    random, tables = np.random.default_rng(SAMPLE_SEED), []
    for size in sizes:
        some = {tuple(sorted(random.choice(width, size, replace=False).tolist())) for _ in range(MOST_TABLES // 2)}
        tables += sorted(some)[: MOST_TABLES // 2]
    return tables


def whole_reference(shares: NDArray[np.float64], rows: float) -> NDArray[np.int64]:
    """rows x shares in units of 1/1024 row, as whole numbers with the same running sums up to rounding.

    Plain rounding would turn a million cells of a hundredth of a unit into nothing.
    """
    sums = np.rint(np.cumsum(shares.ravel()) * (rows * CALIBRATION_UNIT))
    return np.diff(sums, prepend=0.0).astype(np.int64)


@dataclass(frozen=True)
class Bound:
    """No predicate about these attributes is wrong by more than `bias`, up to noise of `stderr`; as fractions.

    `bias` alone is an estimate, too small about as often as too large; `limit` is what holds.
    """

    bias: float
    stderr: float
    tables: int
    """How many compared tables it is the mean of."""

    def limit(self, confidence: float) -> float:
        """An upper limit that holds for all predicates about these attributes at once, with this confidence."""
        # One Laplace noise is above the normal quantile at most as often as a normal noise, up to 95%.
        return self.bias + NormalDist().inv_cdf(confidence) * self.stderr


@dataclass(frozen=True, eq=False)
class Calibration:
    """Noisy sums of |count - model| of compared tables, in units of 1/1024 row."""

    tables: tuple[tuple[int, ...], ...]
    distances: NDArray[np.int64]
    scale: float
    """Variance (Gaussian) or scale b (Laplace) of the noise, in the same units."""
    law: Law

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {members: place for place, members in enumerate(self.tables)}

    @property
    def stderr(self) -> float:
        """Standard error of half a distance, in rows."""
        return self.law.stderr(self.scale) / (2 * CALIBRATION_UNIT)

    def distance(self, members: tuple[int, ...]) -> float | None:
        """The noisy sum of |count - model| of a compared table, in rows; None of one that was not compared."""
        place = self._places.get(members)
        return None if place is None else float(self.distances[place]) / CALIBRATION_UNIT

    def variations(self, width: int, rows: float) -> NDArray[np.float64]:
        """Estimated total variation between model and table, for every compared table of a width."""
        here = [place for place, members in enumerate(self.tables) if len(members) == width]
        return self.distances[here] / (2 * CALIBRATION_UNIT * rows)

    def bound(self, positions: Sequence[int], sizes: Sequence[int], rows: float) -> Bound | None:
        """The compared table of these attributes; or the mean of a few tables that hold them, fixed by sizes alone.

        A table's distance is at least that of each of its margins, so any such mean is an upper bound; choosing the
        smallest measured one would not be.
        """
        asked = tuple(sorted(positions))
        if asked in self._places:
            chosen = [asked]
        else:
            holding = [t for t in self.tables if set(asked) <= set(t)]
            if not holding:
                return None
            fewest = min(len(t) for t in holding)
            holding = [t for t in holding if len(t) == fewest]
            chosen = sorted(holding, key=lambda t: math.prod(sizes[j] for j in t))[:4]
        mean = float(np.mean([self.distances[self._places[t]] for t in chosen]))
        # Rounding the reference moves half a distance by at most half a unit a row.
        bias = max(mean, 0.0) / (2 * CALIBRATION_UNIT * rows) + 0.5 / CALIBRATION_UNIT
        return Bound(bias, self.stderr / (rows * math.sqrt(len(chosen))), len(chosen))
