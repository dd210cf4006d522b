"""Symmetric predicates of many attributes, from interactions of few: the certified and the assisted estimate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from .krawtchouk import krawtchouk, parity_of_monomial
from .minimax import Fit, best_biased, best_uniform
from .polynomials import chebyshev_or
from .tilted import independent_law, parity_means, tilt

__all__ = ["BiasedEstimate", "Bits", "assisted", "certified", "mean_differences", "published", "reach", "sets_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BiasedEstimate:
    """A value with the standard error of its noise and a bound on its bias (nan where there is none)."""

    value: float
    stderr: float
    bias: float


@dataclass(frozen=True, eq=False)
class Bits:
    """What was released about k bits z_1..z_k, as independent numbers.

    z_j = means[j] + v_j, v_j of mean 0 over the codes of its attribute. For every set A of at most `order` bits
    (by size, then by largest member first) `values[|A|]` holds the noisy mean over rows of
    prod_{j in A} v_j, and `variances[|A|]` that number's noise; different sets have independent noise.
    """

    means: Floats
    values: tuple[Floats, ...]
    variances: tuple[Floats, ...]
    unsure: tuple[Floats, ...] | None = None
    """The variance of what is not known of each number, where single bits and pairs have been drawn to what is usual;
    nothing then is to be shrunk again."""

    common: Floats | None = None
    """How far single bits move with one doubt of deviation 1 that all share: what is usual is not known exactly."""

    @property
    def doubts(self) -> tuple[Floats, ...]:
        """The variance of what is not known of each number: that of its noise, or what is left of it."""
        return self.variances if self.unsure is None else self.unsure

    @property
    def order(self) -> int:
        """The largest sets there are."""
        return len(self.values) - 1

    @cached_property
    def sets(self) -> tuple[NDArray[np.intp], ...]:
        """The sets of each size, a row each."""
        return tuple(sets_of(len(self.means), i) for i in range(self.order + 1))

    def about(self, chances: Floats, size: int) -> Floats:
        """Released means of prod_{j in S} (z_j - chances_j), for all sets S of a size."""
        shift, out = self.means - chances, np.zeros(comb(len(self.means), size))
        for smaller in range(size + 1):
            where, others = _subsets(len(self.means), size, smaller)
            out = out + (shift[others].prod(axis=2) * self.values[smaller][where]).sum(axis=1)
        return out

    def spread(self, shift: Floats, scale: float, weights: list[Floats]) -> list[Floats]:
        """Weights on the numbers of `values` of sum_S weights_S prod_{j in S} (shift_j + scale v_j).

        A set S contributes to each A inside it, times the shifts of the others.
        """
        out = [np.zeros(len(w)) for w in weights]
        for size, given in enumerate(weights):
            for smaller in range(size + 1):
                if smaller < size and not shift.any():
                    continue
                where, others = _subsets(len(self.means), size, smaller)
                inner = given[:, None] * shift[others].prod(axis=2) * scale**smaller
                np.add.at(out[smaller], where, inner)
        return out


@lru_cache(maxsize=256)
def sets_of(k: int, size: int) -> NDArray[np.intp]:
    """All sets of a size, by largest member first (colex), so that their numbers can be computed."""
    if size == 0:
        return np.zeros((1, 0), dtype=np.intp)
    below = sets_of(k, size - 1)
    tops = [np.column_stack([below[: comb(top, size - 1)], np.full(comb(top, size - 1), top)]) for top in range(k)]
    return np.concatenate(tops).astype(np.intp).reshape(comb(k, size), size)


@lru_cache(maxsize=256)
def _subsets(k: int, size: int, smaller: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For every set of `size`, the numbers of its subsets of `smaller`, and the members left out of each."""
    sets, inside = sets_of(k, size), list(combinations(range(size), smaller))
    left = [[j for j in range(size) if j not in chosen] for chosen in inside]
    chosen = sets[:, np.array(inside, dtype=np.intp).reshape(len(inside), smaller)]
    where = np.zeros(chosen.shape[:2], dtype=np.intp)
    for j in range(smaller):
        where += np.array([comb(member, j + 1) for member in range(k)], dtype=np.intp)[chosen[:, :, j]]
    return where, sets[:, np.array(left, dtype=np.intp).reshape(len(inside), size - smaller)]


def certified(bits: Bits, values: Floats, z: float = 1.96) -> BiasedEstimate:
    """The estimate whose bias bound plus noise is least: a polynomial in the number of ones, in the parity basis.

    mean p(s) = sum_i b_i sum_{|S| = i} mean chi_S, chi_j = 1 - 2 z_j; |p - f| <= gamma at every s bounds the bias
    for every table [ThaUV12].
    """
    orders, noise = _orders(bits)
    fit = _fitted(len(bits.means), len(orders) - 1, values.tobytes(), noise.tobytes(), z)
    return BiasedEstimate(float(fit.coefficients @ orders), fit.stderr, fit.bias)


def published(bits: Bits, values: Floats) -> BiasedEstimate:
    """The source's own estimate: the Chebyshev polynomial, whatever the noise; `any` and `all` only [ThaUV12].

    Other predicates get the minimax polynomial.
    """
    k = len(bits.means)
    orders, noise = _orders(bits)
    t = len(orders) - 1
    if values[0] == 0 and values[1:].all():
        coefficients = parity_of_monomial(chebyshev_or(k, t).coefficients, k)
    elif values[-1] == 1 and not values[:-1].any():
        # all(z) is not any(not z): mirrored in s, so odd orders change sign, and taken from 1.
        mirrored = parity_of_monomial(chebyshev_or(k, t).coefficients, k)
        coefficients = -mirrored * (-1.0) ** np.arange(len(mirrored))
        coefficients[0] += 1
    else:
        coefficients, _ = best_uniform(values, k, t)
    coefficients = np.concatenate([coefficients, np.zeros(t + 1 - len(coefficients))])
    bias = float(np.abs(coefficients @ krawtchouk(k, t) - values).max())
    return BiasedEstimate(float(coefficients @ orders), float(np.sqrt(coefficients @ noise @ coefficients)), bias)


def _orders(bits: Bits) -> tuple[Floats, Floats]:
    """For every order, the released sum over its sets of mean chi_S, and the covariance of their noise."""
    weights, t = _order_weights(bits), min(bits.order, len(bits.means))
    variances, numbers = np.concatenate(bits.variances[: t + 1]), np.concatenate(bits.values[: t + 1])
    return weights @ numbers, (weights * variances) @ weights.T


def _order_weights(bits: Bits) -> Floats:
    """What each released number weighs in the sum of every order."""
    k, t = len(bits.means), min(bits.order, len(bits.means))
    flat = []
    for i in range(t + 1):
        ones = [np.full(comb(k, size), float(size == i)) for size in range(t + 1)]
        flat.append(np.concatenate(bits.spread(1 - 2 * bits.means, -2.0, ones)))
    return np.array(flat)


def _order_doubts(bits: Bits) -> Floats:
    """The covariance of what is not known of the sums of all orders."""
    weights, t = _order_weights(bits), min(bits.order, len(bits.means))
    doubts = (weights * np.concatenate(bits.doubts[: t + 1])) @ weights.T
    if bits.common is None:
        return np.asarray(doubts)
    shared = weights[:, 1 : 1 + len(bits.means)] @ bits.common
    return np.asarray(doubts + np.outer(shared, shared))


@lru_cache(maxsize=1024)
def _fitted(k: int, t: int, values: bytes, noise: bytes, z: float) -> Fit:
    """The fit depends on the question's form and the noise only, which most questions share."""
    covariance = np.frombuffer(noise).reshape(t + 1, t + 1)
    return best_biased(krawtchouk(k, t), np.frombuffer(values), covariance, z)


def assisted(bits: Bits, values: Floats) -> BiasedEstimate:
    """The best guess: an expansion around independence where dependence is weak, a tilted law where it is strong."""
    expansion, corrections = _expanded(bits, values)
    return expansion if corrections < WEAK else _tilted(bits, values)


# The expansion is cut off, so it is trusted only while what it adds to independence is small.
WEAK = 0.1


def _tilted(bits: Bits, values: Floats) -> BiasedEstimate:
    """From the law of the number of ones nearest to independence that fits the released parities; not certified."""
    k = len(bits.means)
    orders, noise = _orders(bits)
    t = len(orders) - 1
    sets = np.array([comb(k, i) for i in range(1, t + 1)], dtype=np.float64)
    chances = np.clip(bits.means + bits.values[1], 1e-6, 1 - 1e-6)
    scaled = noise[1:, 1:] / np.outer(sets, sets)
    tilted = tilt(independent_law(chances), parity_means(k, t), orders[1:] / sets, scaled)
    doubts = scaled if bits.unsure is None else _order_doubts(bits)[1:, 1:] / np.outer(sets, sets)
    return BiasedEstimate(*tilted.mean(values, doubts), float("nan"))


def _expanded(bits: Bits, values: Floats) -> tuple[BiasedEstimate, float]:
    """The expansion around independent bits, each product shrunk towards 0 as far as it may be noise.

    E f = sum_S E_independent[Delta_S f] E[prod_{j in S} (z_j - p_j)], cut after sets of `order` bits. From pairs on,
    a product is taken to vary by `kappa` prod p_j (1 - p_j) around 0, and its released value is multiplied by
    prior / (prior + noise). What is cut off is not bounded. Also returned: how much pairs and larger sets moved it.
    """
    k = len(bits.means)
    chances = np.clip(bits.means + bits.values[1], 0.0, 1.0)
    value, variance, corrections = 0.0, 0.0, 0.0
    for size in range(min(bits.order, k) + 1):
        effects = mean_differences(chances, bits.sets[size], values)
        products, noise = bits.about(chances, size), bits.variances[size]
        spreads = (chances * (1 - chances))[bits.sets[size]].prod(axis=1)
        keep = np.ones_like(noise) if bits.unsure and size == 2 else shrinkage(products, noise, spreads, size)
        term = float(effects @ (keep * products))
        value, corrections = value + term, corrections + (abs(term) if size > 1 else 0.0)
        variance += float((effects * keep) ** 2 @ bits.doubts[size])
        if size == 1 and bits.common is not None:
            variance += float(effects @ bits.common) ** 2
        if corrections >= WEAK:
            break
    return BiasedEstimate(value, float(np.sqrt(variance)), float("nan")), corrections


def reach(bits: Bits, values: Floats, *, odds: bool = True) -> float:
    """How far pairs could move a question from independence: the deviation it would have were odds ratios random.

    As large as those of even conditions with random correlations of deviation 1; rare conditions that depend by the
    same odds have a smaller correlation. Without `odds` correlations are random themselves, as in files of format 5.
    """
    chances = np.clip(bits.means + bits.values[1], 0.0, 1.0)
    sets = sets_of(len(chances), 2)
    squares = (chances * (1 - chances))[sets].prod(axis=1)
    if odds:
        squares = (4 * squares) ** 2
    return float(np.sqrt((mean_differences(chances, sets, values) ** 2 * squares).sum()))


def shrinkage(products: Floats, noise: Floats, spreads: Floats, size: int) -> Floats:
    """How much of each released product to keep: all of single bits; of larger sets what a prior allows.

    The prior's size is that of correlations of 0.1 (0.01 for triples, and so on), or what these products show
    beyond their noise, if that is more. Tables with rare conditions have tiny products, which noise would swamp.
    """
    if size < 2:
        return np.ones_like(products)
    shown = float((products**2 - noise).sum()) / max(float(spreads.sum()), 1e-300)
    prior = max(CORRELATION ** (2 * (size - 1)), shown) * spreads
    return np.divide(prior, prior + noise, out=np.ones_like(prior), where=prior + noise > 0)


CORRELATION = 0.1


def mean_differences(chances: Floats, sets: NDArray[np.intp], values: Floats) -> Floats:
    """For each set S, the mean over independent other bits of the mixed difference of f in the bits of S.

    Delta_S f at s' other ones is sum_u (-1)^(|S| - u) C(|S|, u) f(s' + u). The law of s' is a product of k - |S|
    two-point laws, multiplied out at the roots of unity, where products of polynomials are products of numbers.
    """
    k, size = len(chances), sets.shape[1]
    signs = np.array([(-1) ** (size - u) * comb(size, u) for u in range(size + 1)], dtype=np.float64)
    difference = np.convolve(values, signs[::-1], mode="valid")
    roots = np.exp(-2j * np.pi * np.arange(k - size + 1) / (k - size + 1))
    factors = 1 - chances[:, None] + chances[:, None] * roots
    others = np.ones((len(sets), k), dtype=bool)
    others[np.arange(len(sets))[:, None], sets] = False
    product = np.ones((len(sets), len(roots)), dtype=np.complex128)
    for j, factor in enumerate(factors):
        product *= np.where(others[:, j, None], factor, 1.0)
    law = np.fft.ifft(product, axis=1).real
    return np.asarray(law @ difference, dtype=np.float64)
