"""Levels: in which directions a body is measured once more, and how much of epsilon each level gets."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...maths.geometry.bodies import Ints
from ...maths.geometry.cut_body import CutBody
from ...maths.geometry.cut_search import Drawn, Thin, cut_body, draw_body

__all__ = ["DRAWS", "Level", "one_level", "planned_levels", "thesis_levels"]

Floats = NDArray[np.float64]
# Even draws of each body, for its moments and for error bars.
DRAWS = 3_000
# Levels are looked at only where even the most they could gain is this much of the error.
WORTH = 0.97
# Whole multiples that directions are rounded to, of the largest change along one.
FINE = 64


@dataclass(frozen=True, eq=False)
class Level:
    """Whole vectors, the body of their changes, even draws from it, and a share of epsilon."""

    vectors: Ints
    body: CutBody
    drawn: Drawn
    share: float = 1.0


def level_of(vectors: Ints, *, added: bool) -> Level:
    """With its body and draws."""
    return _known_level(vectors.tobytes(), len(vectors), added)


@lru_cache(maxsize=64)
def _known_level(flat: bytes, dimension: int, added: bool) -> Level:
    """Plans are made again and again, of the same few bodies."""
    vectors = np.frombuffer(flat, dtype=np.int64).reshape(dimension, -1)
    body = cut_body(vectors, added=added)
    return Level(vectors, body, draw_body(body, DRAWS, seed=7))


def one_level(core: Ints, *, added: bool) -> list[Level]:
    """All of the core at once."""
    return [level_of(core, added=added)]


def _directions(first: Level, lift: Floats) -> tuple[Floats, Floats]:
    """Directions of the answers from the noisiest on, as weights of the core, and the variance along each."""
    half = np.linalg.cholesky(first.drawn.second)
    left, values, _ = np.linalg.svd(lift @ half, full_matrices=False)
    return np.asarray(left.T @ lift), np.asarray(values**2)


def _projected(core: Ints, directions: Floats, k: int) -> Ints:
    """The first k directions of the core, in whole numbers."""
    real = directions[:k] @ core
    spread = np.ptp(real, axis=1, keepdims=True)
    return np.asarray(np.rint(real / spread * FINE), dtype=np.int64)


def planned_levels(core: Ints, lift: Floats, *, added: bool) -> list[Level]:
    """The path from all directions to none of the least total squared error.

    A level of k directions of which those after the l-th are kept has the squared error c(k, l) for epsilon 1. Shares
    of c^(1/3) make the total (sum of c^(1/3))^3 / epsilon^2 (Lagrange), so the path with the least such sum is taken.
    """
    first = level_of(core, added=added)
    directions, variances = _directions(first, lift)
    d = len(core)
    ends = sorted({d, *_halvings(d), *range(1, min(6, d) + 1)}, reverse=True)
    # A projection is never smaller than the part of the body in it: no level gains more than this says.
    hopeful = {k: variances[:k] * (k + 1) * (k + 2) / ((d + 1) * (d + 2)) for k in ends}
    path, best = _shortest(ends, hopeful)
    if best > WORTH ** (2 / 3) * float(variances.sum()) ** (1 / 3) or len(path) < 3:
        return [first]
    levels = {d: first}
    for k in ends[1:]:
        with suppress(Thin):
            levels[k] = level_of(_projected(core, directions, k), added=added)
    ends = sorted(levels, reverse=True)
    real = {k: _spread(level, directions, core, k) for k, level in levels.items()} | {d: variances}
    path, best = _shortest(ends, real)
    shares = [float(real[k][stop:k].sum()) ** (1 / 3) / best for k, stop in pairwise(path)]
    return [_with(levels[k], share) for k, share in zip(path, shares, strict=False)]


def thesis_levels(core: Ints, lift: Floats, *, added: bool) -> list[Level]:
    """Half of the directions again and again, equal shares: as the source has it, for comparison."""
    first = level_of(core, added=added)
    directions, _ = _directions(first, lift)
    ends = [len(core), *_halvings(len(core))]
    rest = [level_of(_projected(core, directions, k), added=added) for k in ends[1:]]
    return [_with(level, 1 / len(ends)) for level in (first, *rest)]


def _with(level: Level, share: float) -> Level:
    return Level(level.vectors, level.body, level.drawn, share)


def _halvings(d: int) -> list[int]:
    out = []
    while d > 1:
        d //= 2
        out.append(d)
    return out


def _spread(level: Level, directions: Floats, core: Ints, k: int) -> Floats:
    """Variance of the noise of a projected level along each of its directions, in units of the answers."""
    spread = np.ptp(directions[:k] @ core, axis=1) / FINE
    return np.asarray(np.diag(level.drawn.second) * spread**2)


def _shortest(ends: list[int], variances: dict[int, Floats]) -> tuple[list[int], float]:
    """From the largest end to 0, the path with the least sum of (kept variances)^(1/3)."""
    stops = [*ends, 0]
    least, after = {0: 0.0}, dict[int, int]()
    for k in sorted(ends):
        least[k] = inf
        for stop in (s for s in stops if s < k):
            cost = float(variances[k][stop:k].sum()) ** (1 / 3) + least[stop]
            if cost < least[k]:
                least[k], after[k] = cost, stop
    path = [ends[0]]
    while path[-1]:
        path.append(after[path[-1]])
    return path, least[ends[0]]
