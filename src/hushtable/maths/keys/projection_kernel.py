"""Projection kernel: the signs of a key in all coordinates, by differences of its polynomial along them."""

from __future__ import annotations

import numpy as np
from numba import njit, uint64

__all__ = ["add_signs", "project_lists"]

P = np.uint64(2**61 - 1)
LOW31, LOW30 = np.uint64(2**31 - 1), np.uint64(2**30 - 1)
ONE, THIRTY, THIRTY_ONE, SIXTY_ONE = np.uint64(1), np.uint64(30), np.uint64(31), np.uint64(61)


@njit(cache=True, nogil=True)
def add_signs(points, weights, coefficients, bits, out):  # type: ignore[no-untyped-def]
    """Adds weight x sign of every key to the coordinates of `out`."""
    table = np.empty(len(coefficients), dtype=np.uint64)
    for k in range(len(points)):
        _begin(points[k], coefficients, bits, table)
        for i in range(len(out)):
            out[i] += weights[k] if table[0] & ONE else -weights[k]
            _step(table)


@njit(cache=True, nogil=True)
def project_lists(points, weights, starts, coefficients, bits, numbers, out):  # type: ignore[no-untyped-def]
    """For every list the product of its projection with some numbers, and the sums of its squares and fourth powers."""
    table = np.empty(len(coefficients), dtype=np.uint64)
    projected = np.empty(len(numbers))
    for one in range(len(starts) - 1):
        projected[:] = 0.0
        for k in range(starts[one], starts[one + 1]):
            _begin(points[k], coefficients, bits, table)
            for i in range(len(projected)):
                projected[i] += weights[k] if table[0] & ONE else -weights[k]
                _step(table)
        for i in range(len(projected)):
            square = projected[i] * projected[i]
            out[0, one] += projected[i] * numbers[i]
            out[1, one] += square
            out[2, one] += square * square


@njit(cache=True, nogil=True)
def _begin(point, coefficients, bits, table):  # type: ignore[no-untyped-def]
    """The polynomial at the first coordinates, then its differences of every order there."""
    for i in range(len(table)):
        at = point + (uint64(i) << uint64(bits))
        value = uint64(0)
        for c in coefficients:
            value = _sum(_product(value, at), c)
        table[i] = value
    for order in range(1, len(table)):
        for i in range(len(table) - 1, order - 1, -1):
            table[i] = _sum(table[i], P - table[i - 1])


@njit(cache=True, nogil=True)
def _step(table):  # type: ignore[no-untyped-def]
    """To the next coordinate: each difference grows by the one of the next order, of which the last is constant."""
    for j in range(len(table) - 1):
        total = table[j] + table[j + 1]
        table[j] = total - P if total >= P else total


@njit(cache=True, nogil=True, inline="always")
def _sum(a, b):  # type: ignore[no-untyped-def]
    total = a + b
    return total - P if total >= P else total


@njit(cache=True, nogil=True)
def _product(a, b):  # type: ignore[no-untyped-def]
    """a b modulo 2^61 - 1, in halves of 31 bits so that nothing leaves 64."""
    high, low, top, bottom = a >> THIRTY_ONE, a & LOW31, b >> THIRTY_ONE, b & LOW31
    middle = low * top + high * bottom
    total = ((high * top) << ONE) + (middle >> THIRTY) + ((middle & LOW30) << THIRTY_ONE) + low * bottom
    total = (total & P) + (total >> SIXTY_ONE)
    return total - P if total >= P else total
