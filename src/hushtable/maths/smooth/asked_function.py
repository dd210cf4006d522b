"""Asked function: the function whose mean is asked, as a formula or as numpy code, and how far a basis is from it."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...words import listed, readable
from .axes import Axis
from .basis import RAISED, Basis, along, largest
from .enclosures import value_range
from .evaluation import evaluate
from .expressions import Expression, names_in
from .steepness import derivative_bounds

__all__ = ["AskedFunction", "BiasKind", "CallableTarget", "ExpressionTarget"]

Floats = NDArray[np.float64]
BiasKind = Literal["certified", "sampled"]
# A proven bound is preferred to a sampled one unless it is much wider than that and the noise together.
LOOSE = 3.0
# A bound below this share of the standard error of the noise is good enough.
SMALL = 1 / 6


class AskedFunction(ABC):
    """A function of named columns in their own units."""

    names: frozenset[str]

    def values(self, axes: Sequence[Axis], points: Floats) -> Floats:
        """The function on the tensor grid of scaled points of one column, or at points of all columns, a row each.

        BadQuestion names the first point that has no value.
        """
        scattered = points.ndim == 2
        each = points.T if scattered else [points] * len(axes)
        columns = {axis.name: axis.original(x) for axis, x in zip(axes, each, strict=True)}
        values = self._on(columns, (len(points),) * (1 if scattered else len(axes)))
        finite = np.isfinite(values)
        if not finite.all():
            at = np.argwhere(~finite)[0]
            at = np.repeat(at, len(axes)) if scattered else at
            places = [f"{axis.name} = {readable(columns[axis.name][i])}" for axis, i in zip(axes, at, strict=True)]
            raise BadQuestion(
                f"the function is not a finite number at {', '.join(places)}, and must be between the bounds of its "
                "columns; check divisions, logarithms and overflow"
            )
        return values

    def surely_finite(self, axes: Sequence[Axis]) -> bool:
        """Whether the function can be shown to have no pole; numpy code is taken at its word."""
        return True

    def limits(self, axes: Sequence[Axis]) -> tuple[float, float]:
        """Between these are all its values, and so is their mean; nothing is known of numpy code."""
        return -math.inf, math.inf

    @abstractmethod
    def _on(self, columns: dict[str, Floats], shape: tuple[int, ...]) -> Floats:
        """Values on the tensor grid of the columns' points; at these points themselves where the shape has one axis."""

    @abstractmethod
    def bias(
        self, basis: Basis, axes: Sequence[Axis], values: Floats, coefficients: Floats, stderr: float
    ) -> tuple[float, BiasKind]:
        """A bound on |f - p| over all points, and whether it is proven."""


@dataclass(frozen=True)
class ExpressionTarget(AskedFunction):
    """A formula, whose derivatives can be enclosed."""

    expression: Expression

    @cached_property
    def names(self) -> frozenset[str]:  # type: ignore[override]
        """The columns it reads."""
        return frozenset(names_in(self.expression))

    def surely_finite(self, axes: Sequence[Axis]) -> bool:
        return all(map(math.isfinite, self.limits(axes)))

    def limits(self, axes: Sequence[Axis]) -> tuple[float, float]:
        return value_range(self.expression, axes)

    def _on(self, columns: dict[str, Floats], shape: tuple[int, ...]) -> Floats:
        d = len(shape)
        if d == 1:
            return np.broadcast_to(evaluate(self.expression, columns), shape)
        ways = [[-1 if i == j else 1 for j in range(d)] for i in range(d)]
        spread = {name: x.reshape(way) for (name, x), way in zip(columns.items(), ways, strict=True)}
        return np.broadcast_to(evaluate(self.expression, spread), shape)

    def bias(
        self, basis: Basis, axes: Sequence[Axis], values: Floats, coefficients: Floats, stderr: float
    ) -> tuple[float, BiasKind]:
        """Boxes are halved twice at most before a loose proof is given up for a sample."""
        error = basis.error(values, coefficients)
        top = largest(error)
        sampled = RAISED * top
        between = basis.between(values, error, top=top, negligible=stderr * SMALL)
        best = math.inf
        for finer in (1, 2, 4) if math.isfinite(between) else ():
            if finer > 1 and (len(axes) > 2 or not best > LOOSE * sampled + stderr / 4):
                break
            derivatives = derivative_bounds(self.expression, axes, basis.order, finer=finer)
            best = min(best, between + basis.remainder(derivatives))
        # Floating point: a bound is true to about 1e-12 of the function.
        best += 1e-12 * largest(values)
        return (best, "certified") if best <= LOOSE * sampled + stderr else (sampled, "sampled")


@dataclass(frozen=True, eq=False)
class CallableTarget(AskedFunction):
    """Numpy code: called with one array a column, in the columns' own units."""

    function: Callable[..., Any]
    names: frozenset[str]
    order: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: Callable[..., Any], known: Sequence[str]) -> CallableTarget:
        """The function, if its arguments are named like columns."""
        try:
            order = tuple(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            order = ()
        if not order or not set(order) <= set(known):
            given = listed(order) or "none that can be seen"
            raise BadQuestion(f"the function's arguments name its columns, from {listed(known)}; given: {given}")
        return cls(function=function, names=frozenset(order), order=order)

    def _on(self, columns: dict[str, Floats], shape: tuple[int, ...]) -> Floats:
        each = np.meshgrid(*columns.values(), indexing="ij") if len(shape) > 1 else list(columns.values())
        grid = dict(zip(columns, each, strict=True))
        with np.errstate(all="ignore"):
            values = np.asarray(self.function(**{name: grid[name].ravel() for name in self.order}))
        points = math.prod(shape)
        if values.shape != (points,) or values.dtype.kind not in "fiub":
            raise BadQuestion(
                f"the function gave {values.dtype} of shape {values.shape} for arrays of {points:,} points; it must "
                "give one number a point (numpy functions do)"
            )
        return values.astype(np.float64).reshape(shape)

    def bias(
        self, basis: Basis, axes: Sequence[Axis], values: Floats, coefficients: Floats, stderr: float
    ) -> tuple[float, BiasKind]:
        """Looked at on a second, denser grid as well; a spike between both would not be seen."""
        seen = basis.sampled(basis.error(values, coefficients))
        if basis.points.ndim == 2:
            return seen, "sampled"
        ends = np.array([-1.0, 1.0])
        count = len(basis.points) * (2 if len(axes) <= 2 else 1) + 1
        second = np.concatenate([ends, np.cos((np.arange(count) + 0.5) * np.pi / count)])
        denser = self.values(axes, second)
        error = float(np.abs(denser - along([basis.at(second)] * len(axes), coefficients)).max())
        return max(seen, RAISED * error), "sampled"
