"""Numbers of plain texts, compiled: those whose value a float holds without a doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BLANK", "PLAIN", "REST", "parse_all"]

PLAIN, BLANK, REST = 0, 1, 2
MOST_DIGITS, MOST_DECIMALS = 15, 22
SPACE, POINT, PLUS, MINUS, ZERO, NINE = 32, 46, 43, 45, 48, 57
# Powers of ten up to 10^22 are floats without rounding.
TENS = np.array([10.0**i for i in range(MOST_DECIMALS + 1)])


@njit(nogil=True, cache=True)
def parse_all(text: NDArray[np.uint8], ends: Any, numbers: NDArray[np.float64], form: NDArray[np.uint8]) -> None:
    """Text i is text[ends[i]:ends[i + 1]]; of what is PLAIN the number, of anything else NaN.

    Plain is [spaces][+-]digits[.digits][spaces] with at most 15 digits: their whole number and the power of ten are
    both floats, so that one division rounds as reading the text does [Cli90].
    """
    for i in range(len(numbers)):
        at, end = np.int64(ends[i]), np.int64(ends[i + 1])
        while at < end and text[at] == SPACE:
            at += 1
        while end > at and text[end - 1] == SPACE:
            end -= 1
        numbers[i] = np.nan
        if at == end:
            form[i] = BLANK
            continue
        form[i] = REST
        negative = text[at] == MINUS
        if negative or text[at] == PLUS:
            at += 1
        whole, digits, decimals, points = np.int64(0), 0, 0, 0
        while at < end:
            byte = text[at]
            if ZERO <= byte <= NINE:
                whole = 10 * whole + (byte - ZERO)
                digits += 1
                decimals += points
            elif byte == POINT and points == 0:
                points = 1
            else:
                break
            if digits > MOST_DIGITS:
                break
            at += 1
        if at == end and digits > 0:
            form[i] = PLAIN
            number = whole / TENS[decimals]
            numbers[i] = -number if negative else number
