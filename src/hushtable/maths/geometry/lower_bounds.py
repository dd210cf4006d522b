"""Lower bounds: errors that no mechanism of a kind can go below, whatever it does.

Pure epsilon. Let K hold the changes of one row, k its dimension. For every epsilon-DP mechanism some table (large,
fractional) has root mean square error at least sqrt(k/(k+2)) T / epsilon, T = (k!)^(1/k) vr(K), vr the radius of the
ball of the same volume. Proof: let x(u) be a table at distance |u|_K from x whose answers are u further. The chance of
an answer within t of u is at least exp(-epsilon |u|_K) times as large at x as at x(u). Integrated over all u the former
is the volume of a ball of radius t, and the integral of exp(-epsilon |u|_K) is k! vol(K) / epsilon^k. So with u drawn
in proportion to exp(-epsilon |u|_K), P(error <= t) <= (epsilon t / T)^k; integrate the tail. It holds from any x, so
over parts that are orthogonal the squares add up.

Gaussian noise. For answers W with noise A^+ z, z normal: |W|_* <= |W A^+|_F |A|_F (nuclear norm, Cauchy and Schwarz),
and |A|_F^2 is at most N times (added rows), or (N-1)/2 times (replaced rows: the mean over all pairs), the squared
sensitivity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .lattice_counts import ehrhart_numerator

__all__ = ["LeastError", "gaussian_bound", "marginals_spectrum", "product_bound", "pure_bound", "tail_radius"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LeastError:
    """A lower bound on the root of the total squared error of all answers, for epsilon 1 or rho 1."""

    rms: float
    k: int
    """Dimension of the body, or rank of the answers."""
    certificate: str
    confidence: float = 1.0
    """Chance that the bound holds, where directions were drawn."""


def tail_radius(log_volume: float, k: int) -> float:
    """T = (k!)^(1/k) vr, from the logarithm of a volume in k dimensions."""
    log_ball = k / 2 * math.log(math.pi) - gammaln(k / 2 + 1)
    return math.exp((gammaln(k + 1) + log_volume - log_ball) / k)


def pure_bound(log_volume: float, k: int) -> float:
    """The least root mean square error for epsilon 1, from the logarithm of a volume below that of the body."""
    return math.sqrt(k / (k + 2)) * tail_radius(log_volume, k)


def product_bound(sizes: Sequence[int], *, added: bool) -> LeastError:
    """Of all cells of the tables of single columns: the best cut of the columns, by size, into orthogonal parts.

    Volumes are exact: N(j) lattice points grow like j^d C(2c-2, c-1) / (c-1)! a table, each of volume sqrt(c).
    Where rows are added, the tables' common sum is a direction that all share: one body, or their contrasts in parts.
    """
    runs = [(size, len(list(same))) for size, same in groupby(sorted(s for s in sizes if s > 1))]
    squares = _best_cut(runs) if runs else 0.0
    k = sum((size - 1) * many for size, many in runs) + added
    if added:
        # Half of what a replaced row changes is in the body of added ones: so is half of that bound.
        whole = pure_bound(_log_volume_added(tuple(sizes)), k) ** 2 if sum(sizes) <= MOST_CELLS else 0.0
        squares = max(squares / 4, whole)
    return LeastError(math.sqrt(squares), k, "volume")


# Beyond it the lattice points of added rows take too long to count.
MOST_CELLS = 300


def _best_cut(runs: list[tuple[int, int]]) -> float:
    best = [0.0]
    for end in range(1, len(runs) + 1):
        ways = []
        for start in range(end):
            k = sum((size - 1) * many for size, many in runs[start:end])
            log_volume = sum(many * _log_volume(size) for size, many in runs[start:end])
            ways.append(best[start] + pure_bound(log_volume, k) ** 2)
        best.append(max(ways))
    return best[-1]


def _log_volume(size: int) -> float:
    """Of {sum 0, |h|_1 <= 2} in the plane of sum 0."""
    return float(math.log(size) / 2 + math.log(math.comb(2 * size - 2, size - 1)) - gammaln(size))


def _log_volume_added(sizes: tuple[int, ...]) -> float:
    """Of the body of added rows: sum of the numerator over d!, times the volume of a cell of its lattice."""
    from .bodies import ProductBody

    body = ProductBody(sizes, True)
    points = ehrhart_numerator(body.points, body.dimension, symmetric=True)
    cell = (sum(math.log(size) for size in sizes) + math.log(sum(1 / size for size in sizes))) / 2
    return float(math.log(sum(points)) - gammaln(body.dimension + 1) + cell)


def marginals_spectrum(sizes: Sequence[int], width: int) -> list[tuple[float, float]]:
    """Singular values of all cells of all tables of exactly `width` columns, and how many there are of each.

    The function of a set A of columns that sums to 0 along each is in the tables of all sets S that hold A, and there
    it is repeated over the cells of the other columns. The empty set is first.
    """
    ones: dict[tuple[int, ...], tuple[float, float]] = {}
    counted = [(size, len(list(same))) for size, same in groupby(sorted(sizes))]
    cells = math.fsum(math.log(size) for size in sizes)

    def kinds(left: int, place: int, chosen: tuple[int, ...]) -> None:
        if place == len(counted):
            ones[chosen] = (0.0, 0.0)
            return
        for many in range(min(left, counted[place][1]) + 1):
            kinds(left - many, place + 1, (*chosen, many))

    kinds(width, 0, ())
    out = []
    for chosen in ones:
        many = math.prod(
            math.comb(total, n) * float(size - 1) ** n for (size, total), n in zip(counted, chosen, strict=True)
        )
        # Sum over S of the inverse of its cells: choose the other members of S among the columns outside A.
        inverse = [1.0] + [0.0] * (width - sum(chosen))
        for (size, total), n in zip(counted, chosen, strict=True):
            for _ in range(total - n):
                for i in range(len(inverse) - 1, 0, -1):
                    inverse[i] += inverse[i - 1] / size
        own = math.prod(float(size) ** -n for (size, _), n in zip(counted, chosen, strict=True))
        # As a logarithm of the number of all cells, which need not be a float: see `gaussian_bound`.
        out.append((math.log(inverse[-1] * own) / 2 + cells / 2 if inverse[-1] else -math.inf, many))
    return out


def gaussian_bound(log_values: Sequence[tuple[float, float]], log_cells: float, *, added: bool) -> LeastError:
    """For rho = 1, from the logarithms of singular values (that of the number of rows first), each with its number.

    Replaced rows: |W (I - 11'/N)|_* / sqrt(N - 1). Added rows: |W|_* / sqrt(2 N).
    """
    used = log_values if added else log_values[1:]
    per_cell = log_cells + math.log(2) if added else log_cells + math.log1p(-math.exp(-log_cells))
    rms = sum(many * math.exp(value - per_cell / 2) for value, many in used)
    return LeastError(rms, round(sum(many for value, many in used if value > -math.inf)), "gaussian-class")
