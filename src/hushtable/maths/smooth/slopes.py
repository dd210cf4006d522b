"""Slopes: the largest value of every derivative of the functions that have bounded ones."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.polynomial import Polynomial

__all__ = ["BOUNDED", "largest_slopes"]

BOUNDED = ("sin", "cos", "tanh", "expit", "ndtr")
# Derivatives are looked at on a fine grid; the most they can be between its points is far below this margin.
MARGIN = 1.001
HIGHEST = 10


@cache
def largest_slopes(function: str) -> tuple[float, ...]:
    """Bounds on |d^k f / du^k| / k! over all u, for k = 0, ..., HIGHEST; k = 0 is not used."""
    slopes = {"tanh": _tanh, "expit": _expit, "ndtr": _ndtr}.get(function, _wave)()
    return (math.inf, *(MARGIN * slope / math.factorial(k) for k, slope in enumerate(slopes, start=1)))


def _wave() -> list[float]:
    return [1.0] * HIGHEST


def _tanh() -> list[float]:
    """Derivatives are polynomials in T = tanh, from T' = 1 - T^2."""
    grid, slope = np.linspace(-1, 1, 20_001), Polynomial([1.0, 0.0, -1.0])
    largest, current = [], slope
    for _ in range(HIGHEST):
        largest.append(float(np.abs(current(grid)).max()))
        current = current.deriv() * slope
    return largest


def _expit() -> list[float]:
    """expit(u) = (1 + tanh(u / 2)) / 2."""
    return [slope / 2 ** (k + 1) for k, slope in enumerate(_tanh(), start=1)]


def _ndtr() -> list[float]:
    """Hermite's polynomials times the normal density."""
    grid = np.linspace(-10, 10, 40_001)
    bell = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi)
    below, here, largest = np.zeros_like(grid), np.ones_like(grid), []
    for k in range(HIGHEST):
        largest.append(float(np.abs(here * bell).max()))
        below, here = here, grid * here - k * below
    return largest
