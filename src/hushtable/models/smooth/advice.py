"""Advice where a function is too narrow for a release: how fine a release would have to be."""

from __future__ import annotations

import math

from ...maths.smooth.asked_function import AskedFunction, BiasKind
from ...maths.smooth.axes import MOST_DENSE_AXES
from ...maths.smooth.sparse_basis import MOST_POINTS as MOST_COMBINATIONS
from ...maths.smooth.sparse_grid import degrees_at, sparse_size
from ...words import readable
from .released_sums import Released, SmoothSums, basis_for

__all__ = ["advice"]

# Sizes that are tried where a function is not smooth, as multiples, and the most grid points worth computing.
TRIES = (1.5, 2.0, 3.0, 5.0, 8.0)
MOST_POINTS = 1_000_000
# Cubic splines come closer to a smooth function by the fourth power of their number.
ORDER = 4


def advice(
    released: Released, margin: SmoothSums, target: AskedFunction, bias: float, kind: BiasKind, stderr: float
) -> str:
    """Why the bound is wide, and about the size at which it would be at most 3 standard errors, if there is one."""
    d, letter = len(margin.axes), "g" if released.basis == "spline" else "t"
    start = f"the bias bound {readable(float(f'{bias:.2g}'))} is above 3 standard errors of the noise"
    if kind == "certified" and not stderr:
        return f"{start}, of which there is none: no size of this release would resolve it"
    if released.level is not None or len(margin.axes) > MOST_DENSE_AXES:
        return f"{start}: {_of_many(released, margin, target, stderr)}"
    if kind == "certified":
        ratio = (bias / (3 * stderr)) ** (1 / (ORDER + d / 2)) if released.basis == "spline" else 1.25
        size = max(released.size + 1, math.ceil(released.size * ratio))
        return f"{start}: the function is narrow for this release, and about {letter}={size} would resolve it"
    for ratio in TRIES:
        size = math.ceil(released.size * ratio)
        basis = basis_for(released.basis, size, d)
        if len(basis.points) ** d > MOST_POINTS:
            break
        values = target.values(margin.axes, basis.points)
        noise = stderr * ratio ** (d / 2) if released.basis == "spline" else stderr
        if basis.sampled(basis.error(values, basis.fit(values))) <= 3 * noise:
            return f"{start}: the function is narrow for this release, and {letter}={size} would resolve it"
    return f"{start}: the function has a jump or a kink, or is much too narrow for {letter}={released.size}; soften it"


def _of_many(released: Released, margin: SmoothSums, target: AskedFunction, stderr: float) -> str:
    """What a sparse release of many columns lacks: a level or two, or columns in a smaller group."""
    d = len(margin.axes)
    for level in () if released.level is None else (released.level + 1, released.level + 2):
        if sparse_size(level, [False] * d) > MOST_COMBINATIONS:
            break
        basis = basis_for(released.basis, degrees_at(level), d, None, level)
        values = target.values(margin.axes, basis.points)
        if basis.sampled(basis.error(values, basis.fit(values))) <= 3 * stderr:
            return f"the function is narrow for this release, and t={degrees_at(level)} would resolve it"
    return "the function joins its columns too closely for so few sums; soften it, or release them in a smaller group"
