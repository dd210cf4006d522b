"""The largest weighted change one row can make to `RareSums`: over all lengths, overlaps and turned signs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

__all__ = ["added", "replaced"]

# Cases this close to the largest in floating point are compared exactly; rounding errors are a million times smaller.
NEAR = 1e-8


def added(
    evens: int, single: Sequence[int], both: Sequence[int], *, power: int, weights: Sequence[Fraction]
) -> Fraction:
    """Of a row of k rare values: all even columns and their pairs, k singles, evens x k mixed, k (k - 1) / 2 pairs."""
    even, rare, evens_two, mixed, rares_two = weights
    always = even * evens + evens_two * comb(evens, 2)
    by_length: list[Fraction] = [
        (rare + mixed * evens) * (k * single[k] ** power) + rares_two * (comb(k, 2) * both[k] ** power)
        for k in range(len(single))
    ]
    return always + max(by_length)


def replaced(
    evens: int, single: Sequence[int], both: Sequence[int], *, power: int, weights: Sequence[Fraction]
) -> Fraction:
    """Of two rows with k and l rare values, t of them in common, that differ in the sign of m even columns.

    The cases are searched in floating point, and those near the largest compared in fractions.
    """
    best, near = -1.0, []
    matters = any(weights[g] for g in (1, 3, 4)) and (any(single) or any(both))
    for turned in range(evens + 1):
        values, cases = _roughly(turned, evens, single, both, power, [float(w) for w in weights])
        top = float(values.max())
        best = max(best, top)
        # Where rare values do not matter all cases are alike, and one stands for them.
        chosen = np.flatnonzero(values >= top * (1 - NEAR)) if matters else np.zeros(1, dtype=np.intp)
        near.append((top, turned, cases[:, chosen]))
    exact = [
        _exactly(turned, k, length, t, evens, single, both, power, weights)
        for top, turned, cases in near
        if top >= best * (1 - NEAR)
        for k, length, t in cases.T.tolist()
    ]
    return max(exact)


def _roughly(
    turned: int, evens: int, single: Sequence[int], both: Sequence[int], power: int, weights: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The change in all cases of k >= l and t, and these cases."""
    rares = len(single) - 1
    k, length = np.tril_indices(rares + 1)
    least = np.maximum(0, k + length - rares)
    reach = length - least + 1
    start = np.repeat(np.cumsum(reach) - reach, reach)
    t = np.arange(int(reach.sum())) - start + np.repeat(least, reach)
    k, length = np.repeat(k, reach), np.repeat(length, reach)
    s, b = np.array(single, dtype=np.float64), np.array(both, dtype=np.float64)
    only = (k - t) * s[k] ** power + (length - t) * s[length] ** power
    apart, together = np.abs(s[k] - s[length]) ** power, (s[k] + s[length]) ** power
    common = t * (t - 1) / 2
    pairs = ((k * (k - 1) / 2 - common) * b[k] ** power + (length * (length - 1) / 2 - common) * b[length] ** power
             + common * np.abs(b[k] - b[length]) ** power)  # fmt: skip
    even, rare, evens_two, mixed, rares_two = weights
    values = (even * turned + evens_two * turned * (evens - turned)) * 2.0**power + rare * (only + t * apart)
    values = values + mixed * (evens * only + t * ((evens - turned) * apart + turned * together)) + rares_two * pairs
    return np.asarray(values), np.array([k, length, t])


def _exactly(
    turned: int, k: int, length: int, t: int, evens: int,
    single: Sequence[int], both: Sequence[int], power: int, weights: Sequence[Fraction],
) -> Fraction:  # fmt: skip
    """The same in fractions."""
    s, r, b, c = single[k], single[length], both[k], both[length]
    only: int = (k - t) * s**power + (length - t) * r**power
    apart: int = abs(s - r) ** power
    together: int = (s + r) ** power
    pairs: int = (comb(k, 2) - comb(t, 2)) * b**power + (comb(length, 2) - comb(t, 2)) * c**power
    pairs += comb(t, 2) * abs(b - c) ** power
    even, rare, evens_two, mixed, rares_two = weights
    out: Fraction = (even * turned + evens_two * turned * (evens - turned)) * int(2**power) + rare * (only + t * apart)
    return out + mixed * (evens * only + t * ((evens - turned) * apart + turned * together)) + rares_two * pairs
