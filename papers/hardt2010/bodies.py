"""Bodies of the source: cubes, random queries, tables of few columns, and a body that is long in few directions."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from hushtable.maths.geometry.cut_search import cut_body, draw_body
from hushtable.maths.geometry.hulls import Hull
from hushtable.mechanisms.geometry.levels import one_level, planned_levels, thesis_levels

__all__ = [
    "kept_error",
    "long_body",
    "pairs_of",
    "parities_of",
    "printed_example",
    "random_queries",
    "smallest_error",
    "walked_error",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def random_queries(d: int, cells: int) -> Ints:
    """d queries of +1 and -1; the seed is that of the numbers they are compared with."""
    return np.asarray(np.random.default_rng(1000 * d + cells).choice([-1, 1], size=(d, cells)), dtype=np.int64)


def pairs_of(columns: int) -> Floats:
    """All cells of all tables of one and two yes/no columns."""
    cells = list(product((0, 1), repeat=columns))
    return np.array(
        [
            [float(all(cell[i] == v for i, v in zip(members, values, strict=True))) for cell in cells]
            for width in (1, 2)
            for members in combinations(range(columns), width)
            for values in product((0, 1), repeat=width)
        ]
    )


def parities_of(columns: int) -> Ints:
    """How many rows are odd on each set of one and two columns: all cells follow from them."""
    cells = np.array(list(product((0, 1), repeat=columns)))
    sets = [members for size in (1, 2) for members in combinations(range(columns), size)]
    return np.array([cells[:, list(members)].sum(axis=1) % 2 for members in sets], dtype=np.int64)


def long_body(d: int = 6, cells: int = 24) -> Ints:
    """Random queries of which the first counts forty times as much as the others, turned a little."""
    source = np.random.default_rng(5)
    rows = source.choice([-1, 1], size=(d, cells)).astype(np.int64)
    rows[0] *= 40
    return np.vstack([rows[:1], rows[1:] + rows[:1] * source.integers(0, 2, (d - 1, 1))])


def printed_example(d: int) -> Ints:
    """The example of 3.6, times d squared: random queries of which the first counts d squared times as much."""
    rows = np.random.default_rng(5).choice([-1, 1], size=(d, 4 * d)).astype(np.int64)
    rows[0] *= d * d
    return np.asarray(rows)


def smallest_error(rows: Ints, *, added: bool, draws: int) -> float:
    """Root of the total squared error of K-norm noise, epsilon 1."""
    return math.sqrt(np.trace(draw_body(cut_body(rows, added=added), draws, 3).second))


def kept_error(rows: Ints, lift: Floats, way: str, *, added: bool) -> float:
    """The same of several levels, each of which tells the directions that the next leaves out, for epsilon 1."""
    make = {"planned": planned_levels, "thesis": thesis_levels}
    levels = one_level(rows, added=added) if way == "one" else make[way](rows, lift, added=added)
    half = np.linalg.cholesky(levels[0].drawn.second)
    left, values, _ = np.linalg.svd(lift @ half, full_matrices=False)
    directions, total = left.T @ lift, 0.0
    for number, level in enumerate(levels):
        k = len(level.vectors)
        after = len(levels[number + 1].vectors) if number + 1 < len(levels) else 0
        spread = np.ptp(directions[:k] @ rows, axis=1) / 64
        each = values**2 if number == 0 else np.diag(level.drawn.second) * spread**2
        total += float(each[after:k].sum()) / level.share**2
    return math.sqrt(total)


def walked_error(d: int, cells: int, steps: int) -> float:
    """Not private: a random walk in the hull, chord by chord, as a simulation of what the noise would be like."""
    hull, source = Hull(random_queries(d, cells).astype(np.float64), True), np.random.default_rng(d)
    at, squares = np.zeros(d), []
    for step in range(steps):
        along = source.standard_normal(d)
        along /= np.linalg.norm(along)
        low, high = -_reach(hull, at, -along), _reach(hull, at, along)
        at = at + (low + (high - low) * source.random()) * along
        if step >= steps // 3:
            squares.append(float(at @ at))
    return math.sqrt((d + 1) * (d + 2) * float(np.mean(squares)))


def _reach(hull: Hull, at: Floats, along: Floats) -> float:
    """How far the hull goes from a point: the most t with at + t along inside, a linear program."""
    from scipy.optimize import linprog

    count = hull.points.shape[1]
    columns = np.hstack([hull.points, -hull.points, -along[:, None]])
    weight = np.append(np.ones(2 * count), 0.0)[None]
    cost = np.append(np.zeros(2 * count), -1.0)
    found = linprog(cost, A_eq=columns, b_eq=at, A_ub=weight, b_ub=[1.0], bounds=(0, None), method="highs")
    return float(found.x[-1])
