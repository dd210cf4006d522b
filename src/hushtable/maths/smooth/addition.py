"""Addition theorems: a function of a sum over different columns, from functions of each column alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

__all__ = ["ADDITION_THEOREMS", "by_addition"]

Floats = NDArray[np.float64]
# Exponentials of parts whose largest value is farther from 0 might overflow or lose digits, and their product too.
LARGEST_EXPONENT = 300.0


def by_addition(function: str, parts: Sequence[Floats]) -> Floats | None:
    """f(a + b + ...) for arrays that broadcast to a larger one; None where nothing is saved, or it might overflow.

    On a grid of two columns of 100 points it needs 200 exponentials or cosines where f(a + b) needs 10,000.
    """
    if len(parts) < 2:
        return None
    points = math.prod(np.broadcast_shapes(*(part.shape for part in parts)))
    return ADDITION_THEOREMS[function](parts) if 4 * sum(part.size for part in parts) <= points else None


def _exp(parts: Sequence[Floats]) -> Floats | None:
    """exp(a + b) = exp(a) exp(b)."""
    if not all(abs(part.max()) <= LARGEST_EXPONENT for part in parts):
        return None
    return reduce(np.multiply, [np.exp(part) for part in parts])


def _expit(parts: Sequence[Floats]) -> Floats | None:
    """1 / (1 + exp(-a) exp(-b))."""
    odds = _exp([-part for part in parts])
    if odds is None:
        return None
    odds += 1.0
    return np.divide(1.0, odds, out=odds)


def _turned(parts: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The cosine and the sine of all parts but the last, added up one by one."""
    cosine, sine = np.cos(parts[0]), np.sin(parts[0])
    for part in parts[1:-1]:
        c, s = np.cos(part), np.sin(part)
        cosine, sine = cosine * c - sine * s, sine * c + cosine * s
    return cosine, sine


def _cos(parts: Sequence[Floats]) -> Floats:
    """cos(a + b) = cos(a) cos(b) - sin(a) sin(b)."""
    cosine, sine = _turned(parts)
    return cosine * np.cos(parts[-1]) - sine * np.sin(parts[-1])


def _sin(parts: Sequence[Floats]) -> Floats:
    """sin(a + b) = sin(a) cos(b) + cos(a) sin(b)."""
    cosine, sine = _turned(parts)
    return sine * np.cos(parts[-1]) + cosine * np.sin(parts[-1])


ADDITION_THEOREMS: dict[str, Callable[[Sequence[Floats]], Floats | None]] = {
    "exp": _exp,
    "expit": _expit,
    "sin": _sin,
    "cos": _cos,
}
