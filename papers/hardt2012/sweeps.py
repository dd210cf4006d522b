"""Multiplicative updates at one parity after the other, compiled: what the source repeats a hundred thousand times."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["sweep"]

Floats = NDArray[np.float64]


def sweep(hypothesis: Floats, masks: NDArray[np.int64], targets: Mapping[int, float], *, passes: int) -> None:
    """In place, `passes` times over all targets: weights times exp((target - mean) x sign / 2), to the sum 1 again.

    The sign of a cell at a parity is that of how many bits it shares with the parity's mask.
    """
    bits = len(hypothesis).bit_length() - 1
    low = bits // 2
    asked = np.array([masks[number] for number in targets], dtype=np.int64)
    upper, lower = _signs(asked >> low, bits - low), _signs(asked & ((1 << low) - 1), low)
    grid = hypothesis.reshape(1 << (bits - low), 1 << low)
    _sweep(grid, upper, lower, np.array(list(targets.values()), dtype=np.float64), passes)


def _signs(masks: NDArray[np.int64], bits: int) -> Floats:
    """Matrix (parities, 2^bits) of +1 and -1."""
    shared = masks[:, None] & np.arange(1 << bits)
    odd = np.zeros_like(shared)
    for bit in range(bits):
        odd ^= (shared >> bit) & 1
    return 1.0 - 2.0 * odd


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def _sweep(grid: Floats, upper: Floats, lower: Floats, targets: Floats, passes: int) -> None:
    # A sign is that of the upper bits times that of the lower; each update reads the mean of the next on its way.
    count, whole, mean = len(targets), grid.sum(), 0.0
    for i in range(len(grid)):
        mean += upper[0, i] * (grid[i] * lower[0]).sum()
    for turn in range(passes * count):
        now, after = turn % count, (turn + 1) % count
        move = np.exp(0.5 * (targets[now] - mean / whole))
        even, odd = (whole + mean) / 2 * move, (whole - mean) / 2 / move
        plus, minus = move / (even + odd), 1 / move / (even + odd)
        middle, half = (plus + minus) / 2, (plus - minus) / 2
        whole, mean = 0.0, 0.0
        for i in range(len(grid)):
            turned, row, part = half * upper[now, i], 0.0, 0.0
            for j in range(grid.shape[1]):
                value = grid[i, j] * (middle + turned * lower[now, j])
                grid[i, j] = value
                row += value
                part += value * lower[after, j]
            whole += row
            mean += part * upper[after, i]
