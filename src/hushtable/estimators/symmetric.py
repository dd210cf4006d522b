"""Symmetric predicates of many attributes, from interactions of few: the certified and the assisted estimate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from .krawtchouk import krawtchouk
from .minimax import Fit, best_biased

__all__ = ["Bits", "Estimate", "assisted", "certified", "mean_differences"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with the standard error of its noise and a bound on its bias (nan where there is none)."""

    value: float
    stderr: float
    bias: float


@dataclass(frozen=True, eq=False)
class Bits:
    """What was released about k bits z_1..z_k, as independent numbers.

    z_j = means[j] + v_j, v_j of mean 0 over the codes of its attribute. For every set A of at most `order` bits
    (by size, in the order of itertools.combinations) `values[|A|]` holds the noisy mean over rows of
    prod_{j in A} v_j, and `variances[|A|]` that number's noise; different sets have independent noise.
    """

    means: Floats
    values: tuple[Floats, ...]
    variances: tuple[Floats, ...]

    @property
    def order(self) -> int:
        """The largest sets there are."""
        return len(self.values) - 1

    @cached_property
    def sets(self) -> tuple[NDArray[np.intp], ...]:
        """The sets of each size, a row each."""
        return tuple(_sets(len(self.means), i) for i in range(self.order + 1))

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
def _sets(k: int, size: int) -> NDArray[np.intp]:
    return np.array(list(combinations(range(k), size)), dtype=np.intp).reshape(comb(k, size), size)


@lru_cache(maxsize=256)
def _subsets(k: int, size: int, smaller: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For every set of `size`, the numbers of its subsets of `smaller`, and the members left out of each."""
    sets = _sets(k, size)
    inside = _sets(size, smaller)
    left = np.array([[j for j in range(size) if j not in row] for row in inside.tolist()], dtype=np.intp)
    number = {tuple(row): i for i, row in enumerate(_sets(k, smaller).tolist())}
    chosen = sets[:, inside].reshape(len(sets) * len(inside), smaller)
    where = np.array([number[tuple(row)] for row in chosen.tolist()], dtype=np.intp)
    return where.reshape(len(sets), len(inside)), sets[:, left.reshape(len(inside), size - smaller)]


def certified(bits: Bits, values: Floats, z: float = 1.96) -> Estimate:
    """The estimate whose bias bound plus noise is least: a polynomial in the number of ones, in the parity basis.

    mean p(s) = sum_i b_i sum_{|S| = i} mean chi_S, chi_j = 1 - 2 z_j; |p - f| <= gamma at every s bounds the bias
    for every table [ThaUV12, Fact A of the approximate inclusion-exclusion].
    """
    k, t = len(bits.means), min(bits.order, len(bits.means))
    orders = []
    for i in range(t + 1):
        ones = [np.full(comb(k, size), float(size == i)) for size in range(t + 1)]
        orders.append(bits.spread(1 - 2 * bits.means, -2.0, ones))
    flat = [np.concatenate(order) for order in orders]
    variances, numbers = np.concatenate(bits.variances[: t + 1]), np.concatenate(bits.values[: t + 1])
    noise = np.array([[(a * b * variances).sum() for b in flat] for a in flat])
    fit: Fit = best_biased(krawtchouk(k, t), values, noise, z)
    value = float(sum(b * (w @ numbers) for b, w in zip(fit.coefficients, flat, strict=True)))
    return Estimate(value, fit.stderr, fit.bias)


def assisted(bits: Bits, values: Floats) -> Estimate:
    """The expansion around independent bits, each order shrunk where it does not stand out of its noise.

    E f = sum_S E_independent[Delta_S f] E[prod_{j in S} (z_j - p_j)], cut after sets of `order` bits; the orders
    from 2 on are multiplied by max(0, 1 - noise variance / term^2). What is cut off is not bounded.
    """
    k = len(bits.means)
    chances = np.clip(bits.means + bits.values[1], 0.0, 1.0)
    value, variance = 0.0, 0.0
    for size in range(min(bits.order, k) + 1):
        effects = mean_differences(chances, bits.sets[size], values)
        weights = [np.zeros(comb(k, i)) for i in range(size)] + [effects]
        spread = bits.spread(bits.means - chances, 1.0, weights)
        term = float(sum(w @ bits.values[i] for i, w in enumerate(spread)))
        noise = float(effects**2 @ bits.variances[size])
        keep = 1.0 if size < 2 else max(0.0, 1.0 - noise / term**2) if term else 0.0
        value, variance = value + keep * term, variance + keep**2 * noise
    return Estimate(value, float(np.sqrt(variance)), float("nan"))


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
    product = np.where(others[:, :, None], factors[None], 1.0).prod(axis=1)
    law = np.fft.ifft(product, axis=1).real
    return np.asarray(law @ difference, dtype=np.float64)
