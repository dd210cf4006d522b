"""Kernels: sums and products over the cells of one table. A cell's place is outer[o] + inner[i]; see `places`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["places", "scale", "sum_step", "table_steps", "tally", "walsh"]

Floats = NDArray[np.float64]
Places = NDArray[np.int32]
# Cells of the inner loop: its places stay in the first-level cache.
INNER = 4096


def places(sizes: Sequence[int], steps: Sequence[int]) -> tuple[Places, Places]:
    """Where each cell of a table (C order) falls in a smaller one: member j adds code x steps[j].

    Split into the places of leading and of trailing members, so that millions of cells need thousands of numbers.
    """
    split, cells = len(sizes), 1
    while split and (split == len(sizes) or cells * sizes[split - 1] <= INNER):
        split -= 1
        cells *= sizes[split]
    return _grid(sizes[:split], steps[:split]), _grid(sizes[split:], steps[split:])


def _grid(sizes: Sequence[int], steps: Sequence[int]) -> Places:
    out = np.zeros(1, dtype=np.int32)
    for size, step in zip(sizes, steps, strict=True):
        out = (out[:, None] + np.arange(size, dtype=np.int32) * np.int32(step)).ravel()
    return out


@njit(cache=True)
def tally(table: Floats, outer: Places, inner: Places, out: Floats) -> None:
    """out[place of u] += table[u]. Four sums a place, because one addition waits for the one before it."""
    width, parts = len(inner), np.zeros((4, len(out)))
    for o in range(len(outer)):
        base = outer[o]
        for i in range(width):
            parts[i & 3, base + inner[i]] += table[o * width + i]
    for part in parts:
        out += part


@njit(cache=True)
def scale(table: Floats, outer: Places, inner: Places, factors: Floats) -> float:
    """table[u] *= factors[place of u]; returns the new sum."""
    width, total = len(inner), 0.0
    for o in range(len(outer)):
        base, part = outer[o], 0.0
        for i in range(width):
            value = table[o * width + i] * factors[base + inner[i]]
            table[o * width + i] = value
            part += value
        total += part
    return total


@njit(cache=True)
def table_steps(now: Floats, target: Floats, theta: Floats, give: float) -> Floats:
    """For every cell the x with now e^x + give (theta + x) = target.

    The left side is convex and rises, so that Newton from the right of the root comes down to it and stays there.
    """
    out = np.empty(len(now))
    for cell in range(len(now)):
        left, mass = target[cell] - give * theta[cell], max(now[cell], 1e-300)
        # Either term alone reaches `left` no sooner than both together do.
        x = left / give
        if left > 0.0:
            x = min(x, max(np.log(left / mass), 0.0))
        for _ in range(100):
            grown = mass * np.exp(x)
            step = (grown + give * x - left) / (grown + give)
            x -= step
            if abs(step) < 1e-10:
                break
        out[cell] = x
    return out


@njit(cache=True)
def sum_step(now: Floats, weights: Floats, target: float, theta: float, give: float) -> float:
    """The x that maximises x target - log sum(now e^(x weights)) - give (theta + x)^2 / 2, a concave function."""
    low, high, x = weights.min(), weights.max(), 0.0
    width = max(high - low, 1e-12)
    for _ in range(200):
        top = high if x > 0.0 else low
        mass = first = second = 0.0
        for cell in range(len(now)):
            part = now[cell] * np.exp(x * (weights[cell] - top))
            mass += part
            first += part * weights[cell]
            second += part * weights[cell] ** 2
        mean = first / mass
        bend = max(second / mass - mean * mean, 0.0) + give
        # The curvature cannot change much over a step this short, so that Newton does not overshoot for long.
        step = min(max((target - mean - give * (theta + x)) / bend, -1.0 / width), 1.0 / width)
        x += step
        if abs(step) * width < 1e-10:
            break
    return x


@njit(cache=True)
def walsh(values: Floats) -> None:
    """In place: values[m] becomes the sum over u of values[u] (-1)^(number of common bits of u and m)."""
    half = 1
    while half < len(values):
        for begin in range(0, len(values), 2 * half):
            for u in range(begin, begin + half):
                low, high = values[u], values[u + half]
                values[u], values[u + half] = low + high, low - high
        half *= 2
