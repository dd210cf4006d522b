"""Kernel of polynomials: what one row says is cut to its bounds, whoever wrote the code that said it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...maths.families.family import Family
from ...maths.families.row_polynomials import RowPolynomials

__all__ = ["bounded", "summed"]

Integers = NDArray[np.int64]
# Rows are scaled down by multiples of 1 / STEPS, where exact fractions are too large.
STEPS, LARGE = 1 << 20, 1 << 31


def _cut(out: Integers, low: int, high: int, most: int, squared: int) -> None:
    """Cuts one row's coefficients in place: each to its range, then all by one factor to both lengths.

    Whole numbers throughout, towards 0, so that the lengths hold exactly; a row within them is left as it is. The
    squares of a row fit 64 bits, which `Family` checks.
    """
    length = np.int64(0)
    for i in range(len(out)):
        out[i] = min(max(out[i], low), high)
        length += abs(out[i])
    if length > most:
        for i in range(len(out)):
            # A coefficient is below 2^31, so that nothing here leaves 64 bits.
            kept = abs(out[i]) * most // length if most < LARGE else abs(out[i]) * (STEPS * most // length) // STEPS
            out[i] = kept if out[i] > 0 else -kept
    length = np.int64(0)
    for i in range(len(out)):
        length += out[i] * out[i]
    if length > squared:
        # One step less than the root, which pays for its rounding.
        part = max(np.int64(0), np.int64(STEPS * np.sqrt(squared / length)) - 1)
        for i in range(len(out)):
            kept = abs(out[i]) * part // STEPS
            out[i] = kept if out[i] > 0 else -kept


@cache
def _compiled_cut() -> Any:
    import numba

    return numba.njit(_cut)


def bounded(family: Family, rows: Integers) -> Integers:
    """The coefficients of some rows, one a line, each cut to the family's bounds."""
    out, cut = rows.copy(), _compiled_cut()
    for row in out:
        cut(row, *family.range, family.l1, family.squared)
    return out


def summed(polynomials: RowPolynomials, codes: NDArray[Any]) -> Integers:
    """The coefficients of all rows (a column each), added up: each computed from a copy of that row, and cut."""
    family = polynomials.family
    codes = np.ascontiguousarray(codes.T.astype(np.int64))
    total = np.zeros(len(family.terms), dtype=np.int64)
    return np.asarray(_loop(polynomials)(codes, total, *family.range, family.l1, family.squared))


def _loop(polynomials: RowPolynomials) -> Any:
    """The loop over rows, compiled with the function of a family in it."""
    if "_loop" not in polynomials.__dict__:
        polynomials.__dict__["_loop"] = _compile(polynomials.compiled)
    return polynomials.__dict__["_loop"]


def _compile(function: Any) -> Any:
    import numba

    cut = _compiled_cut()

    @numba.njit
    def loop(codes, total, low, high, most, squared):  # type: ignore[no-untyped-def]
        out = np.zeros_like(total)
        for number in range(len(codes)):
            out[:] = 0
            # A row on which the function fails, or says too much or too little, counts as nothing: neither an error
            # nor the number of such rows may tell of it.
            try:
                said = function(codes[number].copy())
                if len(said) == len(out):
                    out[:] = said
            except Exception:  # numba takes no other
                out[:] = 0
            cut(out, low, high, most, squared)
            total += out
        return total

    return loop
