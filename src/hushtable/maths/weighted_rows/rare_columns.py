"""RareColumns: which two-valued columns are even, and which nearly always have their usual value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from ...laws import Law

__all__ = ["LEAST_COLUMNS", "RareColumns", "may_be_rare", "split"]

# A column is rare when its rarer value has less than this share of the rows.
RARE = 0.1
# The least number of columns, all of two values, for which rare values are looked for; and the largest mean share of
# unusual values in a row for which they are used.
LEAST_COLUMNS, MOST_UNUSUAL = 32, 0.1


@dataclass(frozen=True)
class RareColumns:
    """All columns of a table, each even or rare; `usual` is the usual code of each rare one."""

    even: tuple[int, ...]
    rare: tuple[int, ...]
    usual: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """Numbers of even columns, rare columns, even, mixed and rare pairs."""
        evens, rares = len(self.even), len(self.rare)
        return evens, rares, comb(evens, 2), evens * rares, comb(rares, 2)

    def is_rare(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Of every rare column and row whether the value is the unusual one; a code beyond 1 counts as 1."""
        usual = np.array(self.usual, dtype=bool)[:, None]
        return np.asarray((codes[list(self.rare)] > 0) != usual)

    def signs(self, codes: NDArray[np.integer]) -> NDArray[np.int8]:
        """+1 for the second value of an even column, -1 for the first."""
        return np.where(codes[list(self.even)] > 0, 1, -1).astype(np.int8)


def may_be_rare(sizes: Sequence[int], law: str) -> bool:
    """Whether a first look is worth its price: the sizes of the columns and the kind of noise say so."""
    return law == Law.GAUSSIAN and len(sizes) >= LEAST_COLUMNS and set(sizes) == {2}


def split(shares: Sequence[NDArray[np.float64]]) -> RareColumns | None:
    """Even and rare columns by the released shares of their values; None where too many values are unusual."""
    if len(shares) < LEAST_COLUMNS or any(len(p) != 2 for p in shares):
        return None
    rarer = np.array([p.min() for p in shares])
    if rarer.mean() > MOST_UNUSUAL:
        return None
    rare = np.flatnonzero(rarer < RARE).tolist()
    even = np.flatnonzero(rarer >= RARE).tolist()
    return RareColumns(tuple(even), tuple(rare), tuple(int(np.argmax(shares[j])) for j in rare))
