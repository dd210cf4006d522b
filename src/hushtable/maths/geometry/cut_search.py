"""Cut search: planes that hold all changes of some queries, and even draws from what they enclose.

For plans: what is found here in floating point is made whole and bounded exactly by `CutBody`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .bodies import Ints
from .cut_body import CutBody
from .hulls import Hull

__all__ = ["Drawn", "Thin", "acceptance", "cut_body", "draw_body"]

Floats = NDArray[np.float64]
# All facets up to so many dimensions and corners; beyond, cuts are looked for by linear programs.
MOST_EXACT, MOST_CORNERS = 7, 6_000
# Linear programs: so many numbers in all of them together, and in rounds of so many.
PROGRAM_NUMBERS, ROUND = 700_000, 40
# A round in which so many of the points that are left are in the hull ends the search.
ENOUGH = 0.98
# Whole cuts: multiples of a simple fraction, or of this one.
FINE = 1 << 16
CHAINS = 400
# A body that none of so many points of its box is in is thin: the search for its cuts ends, as no noise is found in it.
TRIES = 20_000


class Thin(ArithmeticError):
    """So little of the box around a body is inside that no vector of its noise would be found."""


def cut_body(rows: Ints, *, added: bool, seed: int = 0) -> CutBody:
    """The body of these queries: all facets where that is quick, else the cuts that matter most."""
    hull = Hull(_distinct(rows).astype(np.float64), added)
    normals = _facets(hull)
    if normals is None:
        return _searched(rows, hull, added=added, seed=seed)
    return CutBody(rows, added, _whole(normals))


def _distinct(rows: Ints) -> Ints:
    return np.unique(rows, axis=1)


def _whole(normals: Floats) -> Ints:
    """Whole numbers in the direction of each normal: exactly, where a small multiple is whole."""
    out = []
    for normal in normals:
        scaled = normal / np.abs(normal).max()
        for times in (*range(1, 13), FINE):
            rounded = np.rint(scaled * times)
            if times == FINE or np.abs(scaled * times - rounded).max() < 1e-6:
                break
        sign = 1 if rounded[np.flatnonzero(rounded)[0]] > 0 else -1
        out.append(sign * rounded.astype(np.int64))
    return np.unique(np.array(out, dtype=np.int64).reshape(len(out), normals.shape[1]), axis=0)


def _facets(hull: Hull) -> Floats | None:
    """Normals of all facets by Qhull; None where there are too many corners, or it gives up on a thin body."""
    from scipy.spatial import ConvexHull, QhullError

    k, corners = hull.dimension, hull.points.shape[1]
    if k == 1:
        return np.ones((1, 1))
    if k > MOST_EXACT or corners * (2 if hull.added else corners - 1) > MOST_CORNERS:
        return None
    spread = np.linalg.cholesky(np.cov(hull.differences) + 1e-12 * np.eye(k))
    try:
        found = ConvexHull(np.linalg.solve(spread, hull.differences).T)
    except QhullError:
        return None
    return np.asarray(np.linalg.solve(spread.T, found.equations[:, :-1].T).T)


def _searched(rows: Ints, hull: Hull, *, added: bool, seed: int) -> CutBody:
    """Cuts of points that are drawn from the body so far: those that take most of it away are found first."""
    k = hull.dimension
    body = CutBody(rows, added, np.eye(k, dtype=np.int64))
    most = max(2 * ROUND, min(480, PROGRAM_NUMBERS // max(1, hull.points.size)))
    normals = np.zeros((0, k))
    source = np.random.default_rng(seed)
    for number in range(most // ROUND):
        points = draw_body(body, ROUND, seed=seed + number).points
        judged = [hull.gauge(point) for point in points[source.permutation(len(points))]]
        fresh = np.array([normal for gauge, normal in judged if gauge > 1 + 1e-9]).reshape(-1, k)
        normals = np.vstack([normals, fresh])
        if len(normals):
            body = CutBody(rows, added, _whole(normals))
        if acceptance(body, TRIES) == 0:
            raise Thin(f"none of {TRIES:,} tries")
        if len(fresh) <= (1 - ENOUGH) * ROUND:
            break
    return body


@dataclass(frozen=True, eq=False)
class Drawn:
    """Even draws from a body, one a line."""

    points: Floats
    dimension: int

    @cached_property
    def second(self) -> Floats:
        """Second moments of noise of scale 1: (d+1)(d+2) times those of the draws."""
        d = self.dimension
        return np.asarray((d + 1) * (d + 2) * (self.points.T @ self.points) / len(self.points))


def acceptance(body: CutBody, tries: int = 20_000, seed: int = 1) -> float:
    """The share of the box of all coordinates that is in the body, from so many tries."""
    box = np.random.default_rng(seed).uniform(-1, 1, (tries, body.dimension)) * body.widths
    return float(_inside(body, box).mean())


def _inside(body: CutBody, points: Floats) -> NDArray[np.bool_]:
    bounded = body.bounds > 0
    scaled = body.cuts[bounded] / body.bounds[bounded, None]
    return np.asarray((np.abs(points @ scaled.T) <= 1).all(axis=1))


def draw_body(body: CutBody, many: int, seed: int) -> Drawn:
    """Even draws: out of the box where enough of it is inside, else by many short walks from within.

    Walks (hit-and-run in rounded coordinates) end near the even law, not on it; nothing private rests on them.
    """
    source, k = np.random.default_rng(seed), body.dimension
    if acceptance(body, 2_000, seed) >= 0.02:
        found: list[Floats] = []
        while sum(map(len, found)) < many:
            box = source.uniform(-1, 1, (4 * many, k)) * body.widths
            found.append(box[_inside(body, box)])
        return Drawn(np.concatenate(found)[:many], k)
    return Drawn(_walked(body, many, source), k)


def _walked(body: CutBody, many: int, source: np.random.Generator) -> Floats:
    """Many chains at once, each along chords of random directions, turned by what the chains spread over so far."""
    k, bounded, chains = body.dimension, body.bounds > 0, min(CHAINS, many)
    planes = np.vstack([np.diag(1 / body.widths), body.cuts[bounded] / body.bounds[bounded, None]])
    at, turn = np.zeros((chains, k)), np.diag(body.widths / k)
    kept: list[Floats] = []
    rounds = 6 * k
    need = math.ceil(many / chains) * max(2, k // 2)
    for step in range(2 * rounds + need):
        if step in (rounds // 2, rounds):
            spread = np.cov(at.T).reshape(k, k) + 1e-12 * np.diag(body.widths**2.0)
            turn = np.asarray(np.linalg.cholesky(spread), dtype=np.float64)
        along = source.standard_normal((chains, k)) @ turn.T
        here, slope = at @ planes.T, along @ planes.T
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(np.abs(slope) > 1e-14, (np.sign(slope) - here) / slope, np.inf)
            starts = np.where(np.abs(slope) > 1e-14, (-np.sign(slope) - here) / slope, -np.inf)
        low, high = starts.max(axis=1), ends.min(axis=1)
        at = at + (low + (high - low) * source.random(chains))[:, None] * along
        if step >= 2 * rounds and (step - 2 * rounds) % max(2, k // 2) == 0:
            kept.append(at)
    return np.concatenate(kept)[:many]
