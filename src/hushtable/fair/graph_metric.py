"""Metrics from graphs: only neighbours are compared, and whoever is further apart is compared along a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy, check_whole
from .metric import Floats, Metric, Numbers, checked_scale
from .point_metric import checked_points

__all__ = ["GraphMetric", "knn_metric", "metric_from_edges"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphMetric(Metric):
    """Shortest paths along edges. Being fair along every edge is being fair to all pairs."""

    kind = "graph"
    types: int
    first: Numbers
    second: Numbers
    lengths: Floats
    points: Floats | None = None
    """Where the types are in space, so that new people can be joined to their nearest ones."""
    neighbours: int = 0

    @property
    def size(self) -> int:
        """How many types there are."""
        return self.types

    @cached_property
    def _graph(self) -> Any:
        from scipy.sparse import csr_array

        return csr_array((self.lengths, (self.first, self.second)), shape=(self.types, self.types))

    def block(self, rows: Sequence[int] | Numbers) -> Floats:
        """Shortest paths from some types to all."""
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(self._graph, directed=False, indices=np.asarray(rows))).reshape(-1, self.types)

    def from_new(self, people: Any) -> Floats:
        """A new point is joined to its nearest types, as the types are to each other."""
        if self.points is None:
            return super().from_new(people)
        from scipy.spatial import cKDTree

        given = checked_points(people, dimension=self.points.shape[1])
        count = min(max(self.neighbours, 1), self.types)
        away, near = cKDTree(self.points).query(given, count)
        away, near = np.reshape(away, (len(given), count)) / self.scale, np.reshape(near, (len(given), count))
        return np.array([(a[:, None] + self.block(b)).min(axis=0) for a, b in zip(away, near, strict=True)])

    def to_dict(self) -> dict[str, Any]:
        """Edges, and the points behind them if there are any."""
        edges = [self.first.tolist(), self.second.tolist(), self.lengths.tolist()]
        kept = {"kind": self.kind, "size": self.types, "scale": self.scale, "edges": edges}
        return kept | ({} if self.points is None else {"points": self.points.tolist(), "neighbours": self.neighbours})


def metric_from_edges(size: int, edges: Sequence[tuple[int, int, float]]) -> GraphMetric:
    """The metric of a graph with `size` types and edges (type, type, length)."""
    check_whole(size, "the number of types", BadPolicy)
    if any(len(edge) != 3 for edge in edges):
        raise BadPolicy("an edge has three parts: a type, another type, and their distance")
    first, second = (np.array([edge[i] for edge in edges], dtype=np.intp) for i in (0, 1))
    lengths = np.array([edge[2] for edge in edges], dtype=np.float64)
    if len(edges) and (min(first.min(), second.min()) < 0 or max(first.max(), second.max()) >= size):
        raise BadPolicy(f"an edge names a type that is not there; types are numbered from 0 to {size - 1}")
    if not np.isfinite(lengths).all() or (lengths <= 0).any():
        raise BadPolicy(
            "the length of an edge must be a number above 0; leave out edges between types that are far apart"
        )
    return _without_doubles(size, first, second, lengths)


def knn_metric(points: ArrayLike, k: int, scale: float = 1.0) -> GraphMetric:
    """Every point joined to its `k` nearest, at its distance divided by `scale`; all else along paths."""
    from scipy.spatial import cKDTree

    given = checked_points(points)
    check_whole(k, "the number of neighbours", BadPolicy, most=max(len(given) - 1, 1))
    away, near = cKDTree(given).query(given, k + 1)
    first = np.repeat(np.arange(len(given)), k + 1)
    second, lengths = np.ravel(near), np.ravel(away) / checked_scale(scale)
    kept = first != second
    # Points on one spot are as good as joined by the shortest edge there can be: 0 is no edge to scipy.
    lengths = np.maximum(lengths[kept], 1e-12)
    made = _without_doubles(len(given), first[kept], second[kept], lengths)
    return GraphMetric(types=made.types, first=made.first, second=made.second, lengths=made.lengths, scale=scale,
                       points=given, neighbours=k)  # fmt: skip


def _without_doubles(size: int, first: Numbers, second: Numbers, lengths: Floats) -> GraphMetric:
    """Each edge once, at its shortest length, and none from a type to itself."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    kept = low != high
    low, high, lengths = low[kept], high[kept], lengths[kept]
    order = np.lexsort((lengths, high, low))
    low, high, lengths = low[order], high[order], lengths[order]
    new = np.ones(len(low), dtype=bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return GraphMetric(types=size, first=low[new], second=high[new], lengths=lengths[new])
