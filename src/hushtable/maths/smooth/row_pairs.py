"""Row pairs: how far apart two rows can be in weighted Chebyshev polynomials, whatever is missing in either."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from .chebyshev import lowest

__all__ = ["Change", "changes"]

Floats = NDArray[np.float64]
# Points of the grid of angles a degree, by the number of axes; fewer make the bounds a little wider.
DENSITY = {0: 1, 1: 16, 2: 16, 3: 8, 4: 4}
# Up to this degree the sharper bound for equal weights was checked.
MOST_UNIFORM = 64


@dataclass(frozen=True)
class Change:
    """What one row, or two of given missing columns, change at most."""

    squared: float
    """Sum over coordinates of squared weight x change^2."""
    touched: float
    """Sum of the squared weights of the coordinates that change."""
    lengths: float
    """Sum over the rows of the root of their own `squared`: how far rounding moves them, in units of rounding."""


def changes(
    squares: Floats,
    optional: Sequence[bool],
    *,
    neighbours: Neighbours,
    cells: int,
    density: Mapping[int, int] = DENSITY,
) -> list[Change]:
    """The change of every pair of rows, or of every row, by what is missing in them.

    `squares` are the squared weights, an axis each; the last function of an optional axis is that of missing values.
    A row has length^2 at most the sum of the weights it touches. Two rows of one cell share the functions that both
    have: all polynomials where neither is missing, the constant where one is. Over the former axes the kernel is the
    mean of G(a) = sum of w prod cos(m a) over some angles, so that it is at least min G. Rows of two cells share
    nothing. Bounds that are only compared can do with a grid of less `density`.
    """
    patterns = list(product(*((True, False) if o else (True,) for o in optional)))
    whole = {p: float(_part(squares, optional, p, p).sum()) for p in patterns}
    if neighbours == "add-remove":
        return [Change(n, n, math.sqrt(n)) for n in whole.values()]
    pairs, seen = [], set()
    alike = _alike(squares, optional)
    for first, second in combinations_with_replacement(patterns, 2):
        # Where all columns are alike, what matters is how many lack what in which of the two rows.
        kind = tuple(sorted(zip(first, second, strict=True)))
        if alike and kind in seen:
            continue
        seen.add(kind)
        both, lengths = whole[first] + whole[second], math.sqrt(whole[first]) + math.sqrt(whole[second])
        shared = _part(squares, optional, first, second)
        common = float(shared.sum())
        pairs.append(Change(both - 2 * common + _apart(shared, density), both - common, lengths))
        if cells > 1:
            pairs.append(Change(both, both, lengths))
    return pairs


def _alike(squares: Floats, optional: Sequence[bool]) -> bool:
    """Whether exchanging columns changes nothing."""
    turns = (np.swapaxes(squares, i, i + 1) for i in range(squares.ndim - 1))
    return len(set(optional)) == 1 and all(np.array_equal(squares, turned) for turned in turns)


def _part(squares: Floats, optional: Sequence[bool], first: Sequence[bool], second: Sequence[bool]) -> Floats:
    """Weights of the functions that both rows have, an axis for each column that neither lacks."""
    out = squares
    for i in range(squares.ndim - 1, -1, -1):
        if first[i] and second[i]:
            out = np.take(out, range(squares.shape[i] - optional[i]), axis=i)
        else:
            shared = [0] if first[i] or second[i] else [0, squares.shape[i] - 1]
            out = np.take(out, shared, axis=i).sum(axis=i)
    return out


def _apart(shared: Floats, density: Mapping[int, int]) -> float:
    """2 (G(0) - min G), the largest squared distance in these functions.

    With equal weights also at most 2 t^d: of every axis the kernels of two points and of each with itself,
    N + N' - 2K, add up to at most 2t (seen for every t up to 64).
    """
    size = max(shared.shape, default=1)
    if 1 < size <= MOST_UNIFORM and shared.min() == shared.max():
        return 2 * float(shared.sum())
    return 2 * lowest(shared, grid=size * density[shared.ndim])
