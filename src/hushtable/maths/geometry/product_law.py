"""Law of product noise: second moments and draws of the continuous twin of noise in a `ProductBody`.

Noise of gauge law is r z with r ~ Gamma(d + 1, b) and z even in the body, so that its second moments are
(d+1)(d+2) b^2 times those of z. Only for forecasts and error bars: what is released is whole and exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from .bodies import ProductBody

__all__ = ["ProductMoments", "draw_product", "product_moments", "slices"]

Floats = NDArray[np.float64]
# Nodes of integrals over the sum of a table, and over how far a table goes beyond its sum.
NODES = 96
# Sums are drawn from a table that is so fine.
STEPS = 400


@dataclass(frozen=True)
class ProductMoments:
    """Of noise of scale b = 1 in a product body: of each table, and of the sum that all tables share."""

    contrasts: tuple[float, ...]
    """Variance of a table's noise along any direction of length 1 that sums to 0; 0 for a table of one cell."""
    total: float
    """Variance of the sum of every table."""


@lru_cache(maxsize=4096)
def product_moments(body: ProductBody) -> ProductMoments:
    """Variances for scale 1."""
    radius = (body.dimension + 1) * (body.dimension + 2)
    if not body.added:
        return ProductMoments(tuple(radius * _even(size) for size in body.sizes), 0.0)
    nodes, log_weights, squares = _on_nodes(body)
    share = np.exp(log_weights - logsumexp(log_weights))
    contrasts = tuple(float(radius * (share @ squares[size])) for size in body.sizes)
    return ProductMoments(contrasts, float(radius * (share @ nodes**2)))


def _even(size: int) -> float:
    """Second moment of an even point of {sum 0, |h|_1 <= 2} along one direction: k entries are positive with weight
    C(c,k) / ((k-1)! (c-k-1)!), either part is a scaled flat Dirichlet vector, and the radius is U^(1/(c-1)).
    """
    if size == 1:
        return 0.0
    k = np.arange(1, size)
    weights = _sign_weights(size)
    lengths = 2 / (k + 1) + 2 / (size - k + 1)
    return float((weights @ lengths) * (size - 1) / (size + 1) / (size - 1))


@lru_cache(maxsize=256)
def _sign_weights(size: int) -> Floats:
    """Chance that k = 1, ..., c - 1 entries are positive, where both parts are as long."""
    k = np.arange(1, size)
    logs = -gammaln(k + 1) - gammaln(size - k + 1) - gammaln(k) - gammaln(size - k)
    return np.asarray(np.exp(logs - logsumexp(logs)))


def _on_nodes(body: ProductBody) -> tuple[Floats, Floats, dict[int, Floats]]:
    """Nodes of the sum t in [0, 1], log of their weight times the volume at t, and each table's mean square there."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    nodes, weights = (x + 1) / 2, w / 2
    log_weights, squares = np.log(weights), {}
    for size in set(body.sizes):
        log_volume, squares[size] = slices(size, tuple(nodes))
        log_weights = log_weights + body.sizes.count(size) * log_volume
    return nodes, log_weights, squares


@lru_cache(maxsize=256)
def slices(size: int, totals: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Log volume of {sum t, |h|_1 <= 1} for each t >= 0, up to one constant, and its mean square along a contrast."""
    t = np.array(totals)
    if size == 1:
        return np.zeros_like(t), np.zeros_like(t)
    x, w = np.polynomial.legendre.leggauss(NODES)
    spare = (1 - t) / 2
    minus = np.outer(spare, (x + 1) / 2)
    logs = _sign_logs(size, t[:, None] + minus, minus) + np.log(np.outer(spare, w / 2))[..., None]
    k = np.arange(1, size)
    plus = t[:, None, None] + minus[..., None]
    lengths = plus**2 * 2 / (k + 1) + minus[..., None] ** 2 * 2 / (size - k + 1) - (t**2 / size)[:, None, None]
    whole = _all_positive(size, t)
    volume = np.logaddexp(logsumexp(logs, axis=(1, 2)), whole)
    square = (np.exp(logs - volume[:, None, None]) * lengths).sum(axis=(1, 2))
    square += np.exp(whole - volume) * t**2 * (2 / (size + 1) - 1 / size)
    return np.asarray(volume), np.asarray(square / (size - 1))


def _all_positive(size: int, total: Floats) -> Floats:
    """Log volume of the tables of this sum without a negative entry, up to the same constant."""
    with np.errstate(divide="ignore"):
        return np.asarray((size - 1) * np.log(total) - gammaln(size + 1) - gammaln(size))


def _sign_logs(size: int, plus: Floats, minus: Floats) -> Floats:
    """Log density of a table with these sums of positive and negative entries, for k = 1, ..., c - 1 positive ones."""
    k = np.arange(1, size)
    logs = -gammaln(k + 1) - gammaln(size - k + 1) - gammaln(k) - gammaln(size - k)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(k == 1, 0.0, (k - 1) * np.log(plus)[..., None])
        down = np.where(k == size - 1, 0.0, (size - k - 1) * np.log(minus)[..., None])
    return np.asarray(logs + up + down)


@lru_cache(maxsize=16)
def draw_product(body: ProductBody, tables: tuple[int, ...], many: int, seed: int) -> tuple[list[Floats], Floats]:
    """Noise of scale 1 of some of the tables, each (many, cells), and the sum that all tables share."""
    source = np.random.default_rng(seed)
    radii = source.gamma(body.dimension + 1, size=many)
    total = _totals(body, many, source) if body.added else np.zeros(many)
    out = []
    for table in tables:
        drawn = _table(body.sizes[table], np.abs(total), source, added=body.added)
        out.append(drawn * (np.where(total < 0, -1.0, 1.0) * radii)[:, None])
    return out, total * radii


def _totals(body: ProductBody, many: int, source: np.random.Generator) -> Floats:
    """Sums of an even point of the body."""
    nodes = (np.arange(STEPS) + 0.5) / STEPS
    logs = np.zeros(STEPS)
    for size in set(body.sizes):
        logs += body.sizes.count(size) * slices(size, tuple(nodes))[0]
    chance = np.exp(logs - logsumexp(logs))
    drawn = (source.choice(STEPS, size=many, p=chance) + source.random(many)) / STEPS
    return np.asarray(drawn * source.choice([-1.0, 1.0], size=many))


def _table(size: int, total: Floats, source: np.random.Generator, *, added: bool) -> Floats:
    """An even point of {sum t, |h|_1 <= 1} for each t >= 0; of {sum 0, |h|_1 <= 2} where none is added."""
    many = len(total)
    if size == 1:
        return total[:, None].copy()
    if not added:
        minus = source.random(many) ** (1 / (size - 1))
        positive = 1 + source.choice(size - 1, size=many, p=_sign_weights(size))
    else:
        minus = _beyond(size, total, source)
        logs = _sign_logs(size, total + minus, minus)
        with np.errstate(invalid="ignore"):
            chance = np.exp(logs - logsumexp(logs, axis=1)[:, None]).cumsum(axis=1)
        positive = 1 + np.minimum((chance < source.random(many)[:, None]).sum(axis=1), size - 2)
        positive[minus == 0] = size
    # The first k of a random order are positive; exponentials over their sum are flat on a simplex.
    rank = source.random((many, size)).argsort(axis=1).argsort(axis=1)
    up, parts = rank < positive[:, None], source.exponential(size=(many, size))
    above, under = np.where(up, parts, 0.0), np.where(up, 0.0, parts)
    above *= ((total + minus) / above.sum(axis=1))[:, None]
    under *= (minus / np.maximum(under.sum(axis=1), 1e-300))[:, None]
    return np.asarray(above - under)


def _beyond(size: int, total: Floats, source: np.random.Generator) -> Floats:
    """The negative part of an even point of a slice, 0 where every entry is positive; from tables for 100 sums."""
    out, edges = np.empty_like(total), np.linspace(0, 1, 101)
    grid = (np.arange(STEPS) + 0.5) / STEPS
    for low, high in pairwise(edges):
        mine = np.flatnonzero((total >= low) & (total < high))
        if mine.size:
            middle = (low + high) / 2
            minus = grid * (1 - middle) / 2
            logs = logsumexp(_sign_logs(size, middle + minus, minus), axis=1) + np.log((1 - middle) / 2 / STEPS)
            whole = _all_positive(size, np.array(middle))
            cumulated = np.concatenate([[0.0], np.exp(logs - logsumexp(logs)).cumsum()])
            at = np.interp(source.random(mine.size), cumulated, np.arange(STEPS + 1) / STEPS)
            at[source.random(mine.size) < np.exp(whole - np.logaddexp(logsumexp(logs), whole))] = 0.0
            out[mine] = at * (1 - total[mine]) / 2
    return out
