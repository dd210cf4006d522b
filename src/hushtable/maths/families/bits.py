"""Families of bits: any, all and at least r of some yes/no columns, by the published polynomials or by parities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..wide.krawtchouk import krawtchouk, monomial_of_parity, newton, parity_of_values
from ..wide.minimax import best_uniform
from ..wide.polynomials import chebyshev_or

__all__ = ["BitWeights", "bit_weights"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BitWeights:
    """The polynomial of a question about k bits: what the sum over its sets of each size counts for, and the bias."""

    weights: Floats
    bias: float


def bit_weights(values: tuple[float, ...], degree: int, basis: str) -> BitWeights:
    """The polynomial of at most `degree` for a question whose truth depends on how many of k bits are 1.

    basis=monomial: in products of bits, with Chebyshev's polynomial for any and, mirrored, for all [ThaUV12,
    Lemma 11], and the nearest polynomial for others. basis=parity: the nearest one, in products of signs.
    """
    k, truth = len(values) - 1, np.array(values)
    t = min(degree, k)
    if k == 0:
        return BitWeights(np.append(truth, np.zeros(degree)), 0.0)
    parity, functions = best_uniform(truth, k, t)[0], krawtchouk(k, t)
    weights = parity
    if basis == "monomial":
        functions = newton(k, t)
        if t < k and truth[0] == 0 and truth[1:].all():
            weights = chebyshev_or(k, t).coefficients
        elif t < k and truth[-1] == 1 and not truth[:-1].any():
            mirrored = 1 - chebyshev_or(k, t).values[::-1]
            weights = monomial_of_parity(parity_of_values(mirrored, t), k)
        else:
            weights = monomial_of_parity(parity, k)
    bias = float(np.abs(weights @ functions - truth).max())
    return BitWeights(np.append(weights, np.zeros(degree - t)), bias if t < k else 0.0)
