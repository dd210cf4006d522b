"""General predicates of up to 12 attributes, from interactions of few: the certified and the assisted estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..interactions.noisy_table import NoisyTable
from .minimax import best_biased
from .shape import General
from .symmetric import BiasedEstimate

__all__ = ["assisted_general", "certified_general"]

Floats = NDArray[np.float64]
NoisyTables = Callable[[Sequence[int]], NoisyTable]


def certified_general(shape: General, order: int, tables: NoisyTables, rows: float, z: float = 1.96) -> BiasedEstimate:
    """Orders of the predicate's own expansion, each times a coefficient, so that bias bound plus noise is least.

    The expansion is the one of mean 0 under the uniform law on codes, so that the part on a set S depends on the
    interaction of S alone and parts have independent noise; on two-valued attributes it is Walsh's.
    """
    laws = [np.bincount(c) / len(c) for c in shape.classes]
    basis, totals, variances = [], [], []
    for size in range(order + 1):
        points, total, variance = np.zeros(shape.table.shape), 0.0, 0.0
        for members, part in _parts(shape.table, laws, size):
            points = points + part
            value, noise = _mean(shape, members, part, tables, rows)
            total, variance = total + value, variance + noise
        basis.append(points.ravel())
        totals.append(total)
        variances.append(variance)
    fit = best_biased(np.array(basis), shape.table.ravel(), np.diag(variances), z)
    return BiasedEstimate(float(fit.coefficients @ totals), fit.stderr, fit.bias)


def assisted_general(shape: General, order: int, tables: NoisyTables, rows: float) -> BiasedEstimate:
    """The same expansion around the released one-way tables, higher orders shrunk by their noise; not certified."""
    laws = []
    for position, classes in zip(shape.positions, shape.classes, strict=True):
        noisy = tables((position,))
        shares = [
            float(noisy.moments(noisy.coefficients((classes == c) * 1.0)).value) for c in range(classes.max() + 1)
        ]
        positive = np.maximum(shares, 0.0)
        laws.append(positive / positive.sum() if positive.sum() > 0 else np.full(len(shares), 1 / len(shares)))
    value, variance = 0.0, 0.0
    for size in range(order + 1):
        parts = [_mean(shape, members, part, tables, rows) for members, part in _parts(shape.table, laws, size)]
        terms, noise = (np.array(column) for column in zip(*parts, strict=True))
        # A part that does not stand out of its noise is noise.
        keep = np.ones(len(terms)) if size < 2 else np.maximum(0.0, 1.0 - noise / np.maximum(terms**2, 1e-300))
        value, variance = value + float(keep @ terms), variance + float(keep**2 @ noise)
    return BiasedEstimate(value, float(np.sqrt(variance)), float("nan"))


def _parts(table: Floats, laws: Sequence[Floats], size: int) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """The part of a function on every set of `size` axes: averaged over the others, of mean 0 along its own."""
    for members in combinations(range(table.ndim), size):
        part = table
        for axis, law in enumerate(laws):
            mean = np.tensordot(part, law, axes=(axis, 0))
            mean = np.expand_dims(mean, axis)
            part = part - mean if axis in members else mean
        yield members, part


def _mean(
    shape: General, members: tuple[int, ...], part: Floats, tables: NoisyTables, rows: float
) -> tuple[float, float]:
    """Released mean over rows of a function of the classes of some attributes, and the variance of its noise."""
    if not members:
        return float(part.ravel()[0]), 0.0
    inner = part[tuple(slice(None) if axis in members else 0 for axis in range(part.ndim))]
    function = inner[np.ix_(*(shape.classes[axis] for axis in members))]
    noisy = tables(tuple(shape.positions[axis] for axis in members))
    moments = noisy.moments(noisy.coefficients(function))
    return float(moments.value) / rows, float(moments.variance) / rows**2
