"""Candidates: the classes of questions that multiplicative weights choose from, and how a hypothesis answers them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ...maths.distribution import Factored
from ...maths.distribution.answers import TableClass, all_parities
from ...maths.interactions.layout import InteractionLayout
from ...maths.linear import LinearClass, WholeTables
from ...vault.statistics import Parities, statistic_of

if TYPE_CHECKING:
    from ...vault.statistics import Part, Statistic

__all__ = ["Candidates", "LinearCandidates", "ParityCandidates"]

Floats = NDArray[np.float64]
Sums = NDArray[np.int64]


# Above this many queries a file does not say which ones its certificate covers.
MOST_LISTED = 50_000


class _Parted(Protocol):
    """A statistic whose blocks can be measured one at a time."""

    def part(self, index: int, /) -> Part: ...


class Candidates(ABC):
    """What may be selected and measured, in the order of the blocks of `statistic`."""

    statistic: Statistic
    grid: int = 1
    """What a coordinate is divided by, beside the number of rows, to be a number between -1 or 0 and 1."""
    width: int = 1
    """The most attributes of a whole table that is measured at once; 1 for single queries."""

    attributes: int
    """Of how many attributes the candidates are about."""
    first: int = 0
    """The first candidate."""
    largest: int = 1
    """The most numbers that are measured at once."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def expected(self, hypothesis: Factored) -> Floats:
        """Every coordinate as the hypothesis has it, as a mean over rows."""

    @abstractmethod
    def positions(self, candidate: int) -> tuple[int, ...]:
        """The attributes a candidate looks at."""

    @abstractmethod
    def fitting(self, hypothesis: Factored) -> NDArray[np.intp]:
        """The candidates whose attributes the hypothesis could hold in one group."""

    @abstractmethod
    def function(self, candidate: int) -> Sums | None:
        """The weight of each cell of the candidate's attributes (over `grid`), or None: the whole table."""

    def listed(self) -> Iterator[tuple[tuple[int, ...], Floats]]:
        """Attributes and function of every candidate, where the class is a list of at most MOST_LISTED queries."""
        return iter(())

    def part(self, candidate: int) -> Part:
        """The statistic of one candidate alone."""
        whole: _Parted = self.statistic  # type: ignore[assignment]
        return whole.part(candidate)


class LinearCandidates(Candidates):
    """Whole tables or single queries of a LinearClass."""

    def __init__(self, given: LinearClass) -> None:
        self.given, self.grid = given, given.grid
        self.statistic = statistic_of(given)
        self._tables = TableClass(given.sizes, given.sets, given.cell_starts)
        self.width = 1 if given.single else self._tables.width
        self.largest = int(np.diff(given.starts).max())
        self.attributes = len({p for members in given.sets for p in members})

    def __len__(self) -> int:
        return len(self.given)

    def expected(self, hypothesis: Factored) -> Floats:
        return np.asarray(self.given.apply(self._tables.of(hypothesis)), dtype=np.float64)

    def positions(self, candidate: int) -> tuple[int, ...]:
        return self.given.sets[self.given.set_of(candidate)]

    def fitting(self, hypothesis: Factored) -> NDArray[np.intp]:
        fits = hypothesis.fits(self._tables.padded)
        if isinstance(self.given, WholeTables):
            return np.flatnonzero(fits)
        return np.array([c for c in range(len(self)) if fits[self.given.set_of(c)]], dtype=np.intp)

    def function(self, candidate: int) -> Sums | None:
        return self.given.functions(candidate)[0] if self.given.single else None

    def listed(self) -> Iterator[tuple[tuple[int, ...], Floats]]:
        if self.given.single and len(self) <= MOST_LISTED:
            for candidate in range(len(self)):
                yield self.positions(candidate), self.given.functions(candidate)[0] / self.grid


class ParityCandidates(Candidates):
    """All parities of at most `order` two-valued attributes; the empty one, the number of rows, is known."""

    first = 1

    def __init__(self, sizes: Sequence[int], order: int) -> None:
        self.interactions = InteractionLayout(tuple(sizes), order)
        self.statistic = Parities(self.interactions)
        self.attributes = len(sizes)
        levels = self.interactions.sets
        padded = [np.column_stack([s, *[s[:, -1:]] * (order - s.shape[1])]) for s in levels[1:]]
        self._padded = np.concatenate(padded)
        self._widths = np.repeat(np.arange(1, order + 1), [len(s) for s in levels[1:]])

    def __len__(self) -> int:
        return self.interactions.length - 1

    def expected(self, hypothesis: Factored) -> Floats:
        return all_parities(hypothesis, self.interactions.sets)

    def positions(self, candidate: int) -> tuple[int, ...]:
        return tuple(int(p) for p in self._padded[candidate - 1, : self._widths[candidate - 1]])

    def fitting(self, hypothesis: Factored) -> NDArray[np.intp]:
        return 1 + np.flatnonzero(hypothesis.fits(self._padded))

    def function(self, candidate: int) -> Sums | None:
        """A sign for every cell."""
        signs = np.ones(1, dtype=np.int64)
        for _ in self.positions(candidate):
            signs = np.multiply.outer(signs, np.array([1, -1])).ravel()
        return signs
