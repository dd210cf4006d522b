"""Adjusting a metric: bringing two groups nearer to each other by as little as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from .inputs import checked_bound, distribution
from .linear import minimise
from .metric import Floats, MatrixMetric, Metric, Numbers, as_metric, metric_from_matrix
from .transport import earthmover

__all__ = ["AdjustedMetric", "adjust_metric"]

MOST_TYPES = 200
MOST_TURNS = 4
MOST_NEW = 4000


@dataclass(frozen=True, eq=False, kw_only=True)
class AdjustedMetric:
    """A metric under which two groups are as near as was asked, and what had to be changed for that."""

    metric: MatrixMetric
    earthmover: float
    """Between the groups, now."""
    before: float
    """... under the metric that was given."""
    change: float
    """Sum of all changes, over pairs."""
    brought_together: tuple[tuple[int, int, float, float], ...]
    """Pairs whose distance changed: two types, the distance before and now, largest change first."""

    def __repr__(self) -> str:
        return (
            f"<AdjustedMetric of {self.metric.size:,} types: earthmover distance {self.before:.4g} -> "
            f"{self.earthmover:.4g}, {len(self.brought_together):,} pairs brought together>"
        )


def adjust_metric(d: Metric | ArrayLike, s: ArrayLike, t: ArrayLike, bound: float) -> AdjustedMetric:
    """The metric nearest to `d`, in the sum over pairs, whose earthmover distance between s and t is at most `bound`.

    One linear program: distances may only become shorter, must obey the triangle inequality, and the way in which s is
    carried to t must cost at most `bound` [Har11, section 8.4, remark 4]. The way is the best one under `d`; it is
    chosen again under the new metric, and the program solved again, while that helps. So no turn is worse than the one
    before, but a metric still nearer with quite another way is not excluded.
    """
    known = as_metric(d)
    if known.size > MOST_TYPES:
        raise BadPolicy(f"{known.size:,} types are too many to adjust; at most {MOST_TYPES}: adjust a net of them")
    start = known.matrix
    if not np.isfinite(start).all():
        raise BadPolicy("the metric to adjust has infinite distances; cut them off first, as in np.minimum(d, 1)")
    limit = checked_bound(bound, "the bound", most=np.inf)
    assert limit is not None
    one, other = (distribution(group, known.size, "the members of a group") for group in (s, t))
    before = earthmover(known, one, other)
    now, cost = start, np.inf
    if before > limit:
        for _ in range(MOST_TURNS):
            routes = _routes(now, one, other)
            made = _nearest(start, routes, limit)
            change = float((start - made).sum() / 2)
            if change > cost - 1e-9:
                break
            now, cost = made, change
    metric = metric_from_matrix(now, scale=1.0, declared=known.declared)
    return AdjustedMetric(
        metric=metric, earthmover=earthmover(metric, one, other), before=before,
        change=float((start - metric.matrix).sum() / 2), brought_together=_changed(start, metric.matrix),
    )  # fmt: skip


def _changed(before: Floats, now: Floats) -> tuple[tuple[int, int, float, float], ...]:
    first, second = np.nonzero(np.triu(before - now > 1e-9, 1))
    order = np.argsort(-(before - now)[first, second], kind="stable")
    found = zip(first[order], second[order], strict=True)
    return tuple((int(x), int(y), float(before[x, y]), float(now[x, y])) for x, y in found)


def _routes(distances: Floats, s: Floats, t: Floats) -> Floats:
    """How much is carried from each type to each other, at the least cost."""
    from scipy.sparse import csr_array, vstack

    sources, targets = np.flatnonzero(s > t), np.flatnonzero(t > s)
    rows, columns = len(sources), len(targets)
    line, column = np.divmod(np.arange(rows * columns), columns)
    ones, places = np.ones(len(line)), np.arange(len(line))
    leaving = csr_array((ones, (line, places)), shape=(rows, len(line)))
    arriving = csr_array((ones, (column, places)), shape=(columns, len(line)))
    equal = np.concatenate([(s - t)[sources], (t - s)[targets]])
    cost = distances[np.ix_(sources, targets)].ravel()
    result = minimise(cost, A_eq=vstack([leaving, arriving]).tocsr()[:-1], b_eq=equal[:-1])
    carried = np.zeros_like(distances)
    carried[np.ix_(sources, targets)] = np.asarray(result.x).reshape(rows, columns)
    return carried


def _nearest(start: Floats, routes: Floats, bound: float) -> Floats:
    """The largest metric below `start` whose routes cost at most the bound, by cuts of the triangle inequality."""
    from scipy.sparse import csr_array

    size = len(start)
    upper = np.triu_indices(size, 1)
    place = np.zeros((size, size), dtype=np.intp)
    place[upper] = np.arange(len(upper[0]))
    place += place.T
    price = (routes + routes.T)[upper][None, :]
    lines = np.empty((0, 3), dtype=np.intp)
    while True:
        count = len(lines)
        row = np.repeat(np.arange(count) + 1, 3)
        values = np.tile([1.0, -1.0, -1.0], count)
        triangles = csr_array((values, (row, lines.ravel())), shape=(count + 1, len(upper[0])))
        matrix = triangles + csr_array((price[0], (np.zeros(price.size, dtype=np.intp), np.arange(price.size))),
                                       shape=triangles.shape)  # fmt: skip
        limits = np.zeros(count + 1)
        limits[0] = bound
        box = np.column_stack([np.zeros(len(upper[0])), start[upper]])
        result = minimise(-np.ones(len(upper[0])), A_ub=matrix, b_ub=limits, bounds=box)
        made = np.zeros_like(start)
        made[upper] = result.x
        made += made.T
        new = _broken_triangles(made, place)
        if not len(new):
            return made
        lines = np.concatenate([lines, new])


def _broken_triangles(distances: Floats, place: Numbers) -> Numbers:
    """For each pair the point whose detour is shortest, where that is shorter than the distance itself."""
    size = len(distances)
    found = []
    for x in range(size - 1):
        detours = distances[x][None, :] + distances[x + 1 :]
        through = detours.argmin(axis=1)
        others = np.arange(x + 1, size)
        over = distances[x, x + 1 :] - detours[np.arange(len(others)), through]
        for i in np.flatnonzero(over > 1e-8):
            y, z = others[i], through[i]
            found.append((over[i], place[x, y], place[x, z], place[z, y]))
    found.sort(key=lambda line: -line[0])
    return np.array([line[1:] for line in found[:MOST_NEW]], dtype=np.intp).reshape(-1, 3)
