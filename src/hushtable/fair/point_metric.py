"""Metrics from points: types with numbers, and how far apart they are in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from .metric import Floats, Metric, Numbers, checked_scale

__all__ = ["PointMetric", "checked_points", "metric_from_points"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PointMetric(Metric):
    """The distance between points in space, divided by the scale."""

    kind = "points"
    points: Floats
    norm: Literal["euclidean", "cityblock"] = "euclidean"
    """Or `cityblock`: the differences of all coordinates added up."""

    @property
    def size(self) -> int:
        """How many points there are."""
        return len(self.points)

    def block(self, rows: Sequence[int] | Numbers) -> Floats:
        """From some points to all."""
        return self._from(self.points[np.asarray(rows)])

    def from_new(self, people: Any) -> Floats:
        """New people are points too."""
        return self._from(checked_points(people, dimension=self.points.shape[1]))

    def _from(self, points: Floats) -> Floats:
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(points, self.points, self.norm)) / self.scale

    def to_dict(self) -> dict[str, Any]:
        """Points, norm and scale."""
        return {"kind": self.kind, "scale": self.scale, "norm": self.norm, "points": self.points.tolist()}


def metric_from_points(points: ArrayLike, scale: float | None = None) -> PointMetric:
    """Euclidean distances between points, divided by `scale`.

    Without a scale it is the median distance between two types, so that with the divergence `tv` half of all pairs is
    not constrained at all. The scale is the policy: decide it, and publish it.
    """
    given = checked_points(points)
    made = PointMetric(points=given, scale=1.0)
    if scale is None:
        scale = _median(made)
        note = (f"the scale is the median distance between two types, {scale:g}: half of all pairs is not constrained",)
        return PointMetric(points=given, scale=scale, notes=note)
    return PointMetric(points=given, scale=checked_scale(scale))


def checked_points(points: Any, dimension: int | None = None) -> Floats:
    """Points as lines of finite numbers."""
    given = np.array(points, dtype=np.float64)
    given = given[:, None] if given.ndim == 1 and dimension in (None, 1) else np.atleast_2d(given)
    if given.ndim != 2 or not given.size or (dimension is not None and given.shape[1] != dimension):
        wanted = "numbers" if dimension is None else f"{dimension} numbers"
        raise BadPolicy(f"points are lines of {wanted}, one line a type, not an array of shape {given.shape}")
    if not np.isfinite(given).all():
        raise BadPolicy("a point has a coordinate that is not a finite number; fill it in or leave the type out")
    return given


def _median(metric: PointMetric) -> float:
    """The median over all pairs, or over some ten thousand where there are very many."""
    count = metric.size
    if count < 2:
        return 1.0
    rows = np.arange(count) if count <= 2000 else np.arange(0, count, count // 1000)
    seen = metric.block(rows)
    other = seen[rows[:, None] != np.arange(count)[None, :]]
    middle = float(np.median(other))
    return middle if middle > 0 else 1.0
