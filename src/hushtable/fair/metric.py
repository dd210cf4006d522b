"""Metrics: how far two types of people are apart; a public policy, never learnt from rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BadPolicy

__all__ = ["MOST_DENSE", "Floats", "MatrixMetric", "Metric", "Numbers", "as_metric", "metric_from_matrix"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
MOST_DENSE = 6000
"""The most types whose distances are kept as a matrix (288 MB)."""
MANY_SHRINK = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric(ABC):
    """Symmetric distances of at least 0 between types that are numbered from 0; infinite where nothing is asked.

    Distance 0 asks for the same odds. With the divergence `tv` the probability of no event may differ by more than the
    distance, with `inf` by no more than a factor of e to the distance.
    """

    kind: ClassVar[str]
    scale: float = 1.0
    """What was divided by; it is the policy, so every report shows it."""
    notes: tuple[str, ...] = ()
    declared: bool = field(default=False, repr=False)
    """Whether it was written down as a policy over public columns, so that nothing private can be in it."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many types there are."""

    @abstractmethod
    def block(self, rows: Sequence[int] | Numbers) -> Floats:
        """Distances from some types to all."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What a file of a rule keeps of it."""

    def from_new(self, people: Any) -> Floats:
        """Distances from people who are not among the types to all types, one line a person."""
        distances = np.atleast_2d(np.asarray(people, dtype=np.float64))
        if distances.ndim != 2 or distances.shape[1] != self.size:
            raise BadPolicy(
                f"new people of this metric are given by their distances to its {self.size:,} types, one line a "
                f"person, not by an array of shape {distances.shape}"
            )
        if np.isnan(distances).any() or (distances < 0).any():
            raise BadPolicy("distances of new people must be numbers of at least 0")
        return distances

    @cached_property
    def matrix(self) -> Floats:
        """All distances at once."""
        if self.size > MOST_DENSE:
            raise BadPolicy(
                f"{self.size:,} types are too many for a matrix of distances; at most {MOST_DENSE:,}: "
                "use fair.knn_metric, or solve on a net (net=0.1)"
            )
        return self.block(np.arange(self.size))

    def __repr__(self) -> str:
        return f"<Metric of {self.size:,} types: {self.kind}, scale {self.scale:g}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MatrixMetric(Metric):
    """A metric written out, every pair; closed under shortest paths."""

    kind = "matrix"
    distances: Floats
    shrunk: float = 0.0
    """Share of the pairs whose distance was longer than a way through others."""

    @property
    def size(self) -> int:
        """The side of the matrix."""
        return len(self.distances)

    def block(self, rows: Sequence[int] | Numbers) -> Floats:
        """Lines of the matrix."""
        return np.asarray(self.distances[np.asarray(rows)])

    def to_dict(self) -> dict[str, Any]:
        """The upper triangle, `inf` as null: JSON has no infinity."""
        upper = self.distances[np.triu_indices(self.size, 1)]
        listed = [None if np.isinf(value) else value for value in upper.tolist()]
        return {"kind": self.kind, "size": self.size, "scale": self.scale, "upper": listed}


def metric_from_matrix(distances: ArrayLike, *, scale: float = 1.0, declared: bool = False) -> MatrixMetric:
    """The metric of a matrix of distances, divided by `scale`.

    The triangle inequality is not asked of the matrix: being fair along a path is being fair between its ends, so the
    shortest paths are what any rule must obey, and they are what is kept. A note says so when that matters.
    """
    given = np.array(distances, dtype=np.float64)
    _check(given)
    closed = _closed(given / checked_scale(scale))
    pairs = max(len(given) * (len(given) - 1), 1)
    with np.errstate(invalid="ignore"):
        shorter = closed < given / scale - 1e-12 * np.maximum(1.0, closed)
    shrunk = float(shorter.sum()) / pairs
    notes: tuple[str, ...] = ()
    if shrunk > MANY_SHRINK:
        notes = (
            f"{shrunk:.0%} of the pairs are nearer to each other through others than the metric says; "
            "no rule can use the longer distance, so the shorter one is kept",
        )
    return MatrixMetric(distances=closed, scale=scale, notes=notes, shrunk=shrunk, declared=declared)


def as_metric(value: Metric | ArrayLike) -> Metric:
    """A metric as it is, or the one of a matrix."""
    return value if isinstance(value, Metric) else metric_from_matrix(value)


def checked_scale(scale: float) -> float:
    """The scale, if it is a number above 0."""
    if not np.isfinite(scale) or scale <= 0:
        raise BadPolicy(f"the scale of a metric must be a number above 0, not {scale}")
    return scale


def _check(distances: Floats) -> None:
    """One line for each thing that can be wrong with a matrix."""
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or not distances.size:
        raise BadPolicy(f"a metric is a square matrix with one line a type, not an array of shape {distances.shape}")
    if len(distances) > MOST_DENSE:
        raise BadPolicy(
            f"a matrix of {len(distances):,} types is too large; at most {MOST_DENSE:,}: use fair.knn_metric"
        )
    if np.isnan(distances).any():
        raise BadPolicy(
            f"the metric has {int(np.isnan(distances).sum()):,} entries that are not numbers; write inf for far"
        )
    if (distances < 0).any():
        raise BadPolicy(f"a distance is {distances.min():g}; distances are at least 0")
    if np.diag(distances).any():
        raise BadPolicy("the metric has a diagonal entry that is not 0; everybody is at distance 0 from themselves")
    if not np.array_equal(distances, distances.T):
        with np.errstate(invalid="ignore"):
            apart = np.abs(distances - distances.T)
        first, second = np.unravel_index(int(np.nanargmax(np.nan_to_num(apart, nan=0.0))), distances.shape)
        raise BadPolicy(
            f"the metric is not symmetric: types {first} and {second} are {distances[first, second]:g} apart one way "
            f"and {distances[second, first]:g} the other; give one distance for both"
        )


def _closed(distances: Floats) -> Floats:
    """Shortest paths between all pairs. Zeros are merged first, because a graph of scipy takes 0 for no edge."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, shortest_path

    zero = distances == 0
    count, label = connected_components(csr_array(zero), directed=False)
    first = np.full((count, count), np.inf)
    np.minimum.at(first, (label[:, None], label[None, :]), distances)
    np.fill_diagonal(first, 0.0)
    paths = np.asarray(shortest_path(first, method="FW", directed=False)) if count > 1 else first
    return np.ascontiguousarray(paths[label[:, None], label[None, :]])
