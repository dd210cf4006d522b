"""Numbers of plain texts, compiled: those whose value a float holds without a doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BLANK", "LONG", "PLAIN", "REST", "parse_all"]

PLAIN, BLANK, REST, LONG = 0, 1, 2, 3
MOST_DIGITS, MOST_DECIMALS, MOST_LONG = 15, 22, 200
SPACE, POINT, PLUS, MINUS, ZERO, NINE, LARGE_E, SMALL_E = 32, 46, 43, 45, 48, 57, 69, 101
# Powers of ten up to 10^22 are floats without rounding.
TENS = np.array([10.0**i for i in range(MOST_DECIMALS + 1)])


@njit(nogil=True, cache=True)
def parse_all(text: NDArray[np.uint8], ends: Any, numbers: NDArray[np.float64], form: NDArray[np.uint8]) -> None:
    """Text i is text[ends[i]:ends[i + 1]]; of what is PLAIN the number, of anything else NaN.

    Plain is [spaces][+-]digits[.digits][spaces] with at most 15 digits: their whole number and the power of ten are
    both floats, so that one division rounds as reading the text does [Cli90]. LONG is [-]digits[.digits][e[+-]digits]
    with more of them, or with an exponent of at most two digits, which any correct reader reads alike.
    """
    for i in range(len(numbers)):
        first, end = np.int64(ends[i]), np.int64(ends[i + 1])
        at, last = first, end
        while at < end and text[at] == SPACE:
            at += 1
        while end > at and text[end - 1] == SPACE:
            end -= 1
        bare = at == first and end == last
        numbers[i] = np.nan
        if at == end:
            form[i] = BLANK
            continue
        form[i] = REST
        negative = text[at] == MINUS
        if negative or text[at] == PLUS:
            bare = bare and negative
            at += 1
        whole, digits, decimals, points = np.int64(0), 0, 0, 0
        while at < end:
            byte = text[at]
            if ZERO <= byte <= NINE:
                whole = 10 * whole + (byte - ZERO) if digits < MOST_DIGITS else whole
                digits += 1
                decimals += points
            elif byte == POINT and points == 0:
                points = 1
            else:
                break
            at += 1
        if at == end and 0 < digits <= MOST_DIGITS:
            form[i] = PLAIN
            number = whole / TENS[decimals]
            numbers[i] = -number if negative else number
        elif (
            bare
            and decimals < digits <= MOST_LONG
            and (decimals > 0 or points == 0)
            and (at == end or _exponent(text, at, end))
        ):
            form[i] = LONG


@njit(inline="always", cache=True)
def _exponent(text: Any, at: int, end: int) -> bool:
    """Whether e, perhaps a sign, and one or two digits stand there, and nothing else."""
    if text[at] != SMALL_E and text[at] != LARGE_E:
        return False
    at += 1
    if at < end and (text[at] == PLUS or text[at] == MINUS):
        at += 1
    digits = 0
    while at < end and ZERO <= text[at] <= NINE:
        digits += 1
        at += 1
    return at == end and 1 <= digits <= 2
