"""LinearClass: candidates whose answers are sums over rows of public functions of a few attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge

__all__ = ["MOST_CELLS", "LinearClass", "Sets", "cell_starts"]

Sets = tuple[tuple[int, ...], ...]
"""Attribute sets, each the ascending positions of its members among the domain's closed attributes."""
Counts = NDArray[np.int64]
Values = NDArray[Any]

# The cells of all tables together; above it tables of counts and of a model do not fit a usual memory.
MOST_CELLS = 1 << 26


class LinearClass(ABC):
    """Candidates, each with one or more integer functions of the cells of one attribute set.

    The *cells* are the tables of all `sets`, one after the other, each in C order; the *coordinates* are the
    candidates' outputs, candidate after candidate. A coordinate is the sum over rows of its function at the
    row's cell. Functions lie between 0 and `grid`, so that coordinate / grid is an answer to a query in [0, 1].
    """

    grid: int = 1
    single: bool = True
    """Whether every candidate has exactly one coordinate."""
    starts: Counts
    """starts[c] is the first coordinate of candidate c; one more entry marks the end."""

    def __init__(self, sizes: Sequence[int], sets: Sequence[Sequence[int]]) -> None:
        self.sizes = tuple(sizes)
        self.sets: Sets = tuple(tuple(members) for members in sets)
        self.cell_starts = cell_starts(self.sizes, self.sets)

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.starts) - 1

    @abstractmethod
    def set_of(self, candidate: int) -> int:
        """Which of `sets` a candidate looks at."""

    @abstractmethod
    def functions(self, candidate: int) -> Counts:
        """The candidate's functions as a matrix of shape (outputs, cells of its set)."""

    @abstractmethod
    def apply(self, cells: Values) -> Values:
        """All coordinates of the given cells. Exact for integers, and linear."""

    @abstractmethod
    def ranges(self) -> tuple[Counts, Counts]:
        """The smallest and the largest value of each coordinate's function."""

    @abstractmethod
    def norms(self, power: int) -> Counts:
        """For every cell, the sum over all functions of its set of |value|^power."""

    def expected(self, tables: Callable[[int], Values] | Sequence[Values]) -> NDArray[np.float64]:
        """All coordinates, as means over rows, of a model that gives the table of each set as fractions.

        In units of the functions: times the number of rows they compare with sums over rows, and over `grid`
        they are answers.
        """
        table = tables if callable(tables) else tables.__getitem__
        cells = np.empty(int(self.cell_starts[-1]))
        for s, (start, stop) in enumerate(pairwise(self.cell_starts)):
            cells[start:stop] = np.ravel(table(s))
        return np.asarray(self.apply(cells), dtype=np.float64)

    def place(self, candidate: int) -> slice:
        """Where the coordinates of a candidate stand."""
        return slice(int(self.starts[candidate]), int(self.starts[candidate + 1]))

    def cells_of(self, candidate: int) -> slice:
        """Where the cells of a candidate's set stand."""
        s = self.set_of(candidate)
        return slice(int(self.cell_starts[s]), int(self.cell_starts[s + 1]))

    def shape(self, candidate: int) -> tuple[int, ...]:
        """Sizes of the members of a candidate's set."""
        return tuple(self.sizes[j] for j in self.sets[self.set_of(candidate)])


def cell_starts(sizes: Sequence[int], sets: Sequence[Sequence[int]], *, cap: int = MOST_CELLS) -> Counts:
    """Where the cells of each set start, and the end of the last; TooLarge before anything is built."""
    for members in sets:
        ascending = all(a < b for a, b in pairwise(members))
        if not members or not ascending or members[0] < 0 or members[-1] >= len(sizes):
            raise ValueError(f"a set is ascending positions below {len(sizes)}, at least one, not {tuple(members)}")
    if not sets:
        raise ValueError("there are no sets")
    cells = [prod(sizes[j] for j in members) for members in sets]
    if sum(cells) > cap:
        raise TooLarge(order=max(map(len, sets)), numbers=sum(cells), cap=cap, fits=0)
    return np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
