"""Density: how rows are spread over one or two smooth columns, with error bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...maths.smooth.axes import Axis
from ...maths.smooth.basis import along
from ...maths.smooth.functions import ndtr
from ...questions.answer import interval_factor
from ...words import listed
from .released_sums import Released, SmoothSums

if TYPE_CHECKING:
    from .smooth import SmoothModel

__all__ = ["Density", "density_of"]

Floats = NDArray[np.float64]
PLACES = {1: 241, 2: 81}


@dataclass(frozen=True)
class Density:
    """Share of rows per unit of every column (of log(column), where that is its scale), at the places of a grid."""

    axes: tuple[Axis, ...]
    places: tuple[Floats, ...]
    """Values of each column, in its own units."""
    value: Floats
    half: Floats
    """Half of the interval: bias bound and noise."""
    confidence: float
    widths: tuple[float, ...]
    """Standard deviation of the kernel, in units of each column or of its transform."""
    not_private: bool = False
    """Whether it comes from a rehearsal with simulated randomness."""


def density_of(model: SmoothModel, columns: Sequence[str], *, where: str | None, confidence: float) -> Density:
    """The kernel density of one or two columns, with kernels as narrow as the release resolves."""
    known = {name.lower(): name for name in model.columns}
    missing = [name for name in columns if name.lower() not in known]
    if not 1 <= len(columns) <= 2 or missing or len({c.lower() for c in columns}) < len(columns):
        raise BadQuestion(f"a picture has one or two of the smooth columns {listed(model.columns)}, each once")
    names = [known[name.lower()] for name in columns]
    released = model.home(set(names))
    question = model.parse(f"avg(1){f' WHERE {where}' if where else ''}")
    (kept,) = model.kept(question, released.block)
    margin = released.margin(names)
    places, value, half = _estimated(released, margin, kept, confidence)
    order = [[axis.name for axis in margin.axes].index(name) for name in names]
    turned = order != sorted(order)
    return Density(
        axes=tuple(margin.axes[i] for i in order),
        places=tuple(places[i] for i in order),
        value=value.T if turned else value,
        half=half.T if turned else half,
        confidence=confidence,
        widths=tuple(_scale(released) * margin.axes[i].half for i in order),
    )


def _scale(released: Released) -> float:
    """Width of the kernel on the scale of [-1, 1]: wide enough to be resolved with little bias."""
    return 1.5 * (2 / (0.8 * (released.size - 3)) if released.basis == "spline" else 4 / released.size)


def _estimated(
    released: Released, margin: SmoothSums, kept: Floats, confidence: float
) -> tuple[list[Floats], Floats, Floats]:
    """Places, density and half width. Kernels are products, so that all places are computed at once."""
    d, width = len(margin.axes), _scale(released)
    x = np.linspace(-1, 1, PLACES[d])
    # A kernel is cut at the bounds and made to sum to 1 between them.
    inside = width * np.sqrt(2 * np.pi) * (ndtr((1 - x) / width) - ndtr((-1 - x) / width))
    kernels = np.exp(-0.5 * ((margin.basis.points - x[:, None]) / width) ** 2) / inside[:, None]
    fitted = kernels @ margin.basis.project.T
    errors = 1.05 * np.abs(kernels - fitted @ margin.basis.values.T).max(axis=1)
    heights = kernels.max(axis=1) + errors
    bias = errors if d == 1 else np.multiply.outer(errors, heights) + np.multiply.outer(heights, errors)
    if margin.basis.lost is not None:
        # A product of kernels loses the combinations that the release does not have.
        bias = bias + np.abs(fitted) @ margin.basis.lost @ np.abs(fitted).T
    value, variance, fourth = _moments(margin, kept, [fitted] * d)
    kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(fourth), where=variance > 0)
    half = bias + interval_factor(confidence, kurtosis) * np.sqrt(variance)
    # From the scale of [-1, 1] to that of the column, or of its transform.
    unit = float(np.prod([axis.half for axis in margin.axes]))
    return [axis.original(x) for axis in margin.axes], value / unit, half / unit


def _moments(margin: SmoothSums, kept: Floats, tables: list[Floats]) -> tuple[Floats, Floats, Floats]:
    """Value, variance and fourth cumulant of the mean of every combination of rows of the tables."""
    lifted = [margin.basis.lift(table.T, [axis]).T for table, axis in zip(tables, margin.axes, strict=True)]
    below = margin.mean(np.zeros([margin.basis.size] * len(tables)), kept)
    if not below.sure:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no density")
    rows, count, everyone = below.bottom.value, int((kept > 0).sum()), margin.everyone
    summed, noise = margin.numbers[kept > 0].sum(axis=0), margin.variances * count
    value, variance = along(lifted, summed), along([t**2 for t in lifted], noise)
    shared = along(lifted, noise * margin.present)
    whole = float((noise * everyone**2).sum())
    if margin.rows is not None and kept.all() and whole:
        # The number of all rows is public, so that what its noise foretells is taken out.
        part = along(lifted, noise * everyone)
        value = value - part / whole * (float((everyone * summed).sum()) - margin.rows)
        variance = variance - part**2 / whole
        shared = shared - part / whole * float((noise * everyone * margin.present).sum())
    value = value / rows
    variance = variance - 2 * value * shared + value**2 * below.bottom.variance
    fourth = along([t**4 for t in lifted], margin.fourths * count)
    return value, np.maximum(variance, 0.0) / rows**2, fourth / rows**4
