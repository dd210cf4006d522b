"""Kernel that finds the elements of a JSON array by its brackets, commas and quotes."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["elements"]

QUOTE, ESCAPE, COMMA = ord('"'), ord("\\"), ord(",")
OPEN, CLOSE = (ord("["), ord("{")), (ord("]"), ord("}"))


@numba.njit(cache=True, nogil=True)
def elements(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> int:
    """Where the elements begin and end, commas not included; how many there are, or -1 where the array never ends."""
    depth, count, inside, place = 0, 0, False, 0
    while place < len(data):
        byte = data[place]
        if inside:
            if byte == ESCAPE:
                place += 1
            elif byte == QUOTE:
                inside = False
        elif byte == QUOTE:
            inside = True
        elif byte in OPEN:
            depth += 1
            if depth == 1:
                starts[count] = place + 1
        elif byte in CLOSE or (byte == COMMA and depth == 1):
            depth -= byte in CLOSE
            if depth == 0 or (byte == COMMA and depth == 1):
                ends[count] = place
                count += 1
                if depth == 0:
                    return count
                starts[count] = place + 1
        place += 1
    return -1
