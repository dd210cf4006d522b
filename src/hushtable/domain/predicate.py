"""Predicates: what a WHERE clause says of one row, in SQL's three-valued logic, over the codes of a domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "UNKNOWN",
    "Count",
    "Event",
    "Holds",
    "Not",
    "Predicate",
    "conjunction",
    "disjunction",
    "known",
    "surely_empty",
]

Truth = NDArray[np.bool_]
MOST_CELLS = 1 << 12


class Predicate(ABC):
    """True, false or unknown for every combination of codes. WHERE keeps what is true."""

    @property
    @abstractmethod
    def positions(self) -> frozenset[int]:
        """The attributes it depends on."""

    @abstractmethod
    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """Where it is true and where it is false, over all codes of the attributes at `positions`."""

    @abstractmethod
    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """Where it is true and where it is false, row by row: `codes` has one line an attribute of the domain."""

    def table(self, positions: Sequence[int], sizes: Sequence[int]) -> NDArray[np.float64]:
        """1 where it is true, else 0, over all codes of the attributes at `positions`."""
        true, _ = self.truth(positions, sizes)
        return np.broadcast_to(true, tuple(sizes)).astype(np.float64)


@dataclass(frozen=True)
class Event(Predicate):
    """An attribute's code is in a set. Codes in neither tuple (missing, other, compared with NULL) are unknown."""

    position: int
    true: tuple[bool, ...]
    false: tuple[bool, ...]

    @property
    def positions(self) -> frozenset[int]:
        """One attribute, or none when every code is true, every code is false, or every code is unknown."""
        same = all(self.true) or all(self.false) or not (any(self.true) or any(self.false))
        return frozenset() if same else frozenset({self.position})

    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """Along the attribute's own axis; the others broadcast."""
        shape = [1] * len(positions)
        if self.position not in positions:
            everywhere = np.ones(shape, dtype=bool)
            return everywhere & all(self.true), everywhere & all(self.false)
        shape[list(positions).index(self.position)] = len(self.true)
        return np.array(self.true).reshape(shape), np.array(self.false).reshape(shape)

    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """By looking up each row's code."""
        own = codes[self.position]
        return np.array(self.true)[own], np.array(self.false)[own]


@dataclass(frozen=True)
class Not(Predicate):
    """True where the part is false; unknown stays unknown."""

    part: Predicate

    @property
    def positions(self) -> frozenset[int]:
        """Those of the part."""
        return self.part.positions

    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """Swapped."""
        true, false = self.part.truth(positions, sizes)
        return false, true

    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """Swapped."""
        true, false = self.part.on_rows(codes)
        return false, true


@dataclass(frozen=True)
class Holds(Predicate):
    """`part IS TRUE`: true where the part is true, false where it is false or unknown."""

    part: Predicate

    @property
    def positions(self) -> frozenset[int]:
        """Those of the part."""
        return self.part.positions

    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """Known everywhere."""
        true, _ = self.part.truth(positions, sizes)
        return true, ~true

    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """Known for every row."""
        true, _ = self.part.on_rows(codes)
        return true, ~true


@dataclass(frozen=True)
class Count(Predicate):
    """Between `least` and `most` of the parts are true.

    AND is least = most = all, OR is least = 1; unknown where the unknown parts could tip it.
    """

    least: int
    most: int
    parts: tuple[Predicate, ...]

    @cached_property
    def _positions(self) -> frozenset[int]:
        return frozenset().union(*(part.positions for part in self.parts))

    @property
    def positions(self) -> frozenset[int]:
        """Those of all parts."""
        return self._positions

    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """By counting the parts that are surely true and those that may be."""
        return self._counted([part.truth(positions, sizes) for part in self.parts])

    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """The same, row by row."""
        return self._counted([part.on_rows(codes) for part in self.parts])

    def _counted(self, both: Sequence[tuple[Truth, Truth]]) -> tuple[Truth, Truth]:
        surely = reduce(np.add, (true.astype(np.int16) for true, _ in both))
        never = reduce(np.add, (false.astype(np.int16) for _, false in both))
        possibly = len(self.parts) - never
        return (surely >= self.least) & (possibly <= self.most), (possibly < self.least) | (surely > self.most)


def surely_empty(predicate: Predicate, sizes: Sequence[int]) -> bool:
    """Whether no row of any table can meet it. False where that would take too long to find out."""
    positions = sorted(predicate.positions)
    own = [sizes[p] for p in positions]
    return prod(own) <= MOST_CELLS and not predicate.truth(positions, own)[0].any()


def conjunction(parts: Sequence[Predicate]) -> Predicate:
    """All parts."""
    return Count(least=len(parts), most=len(parts), parts=tuple(parts))


def disjunction(parts: Sequence[Predicate]) -> Predicate:
    """At least one part."""
    return Count(least=1, most=len(parts), parts=tuple(parts))


def known(part: Predicate) -> Predicate:
    """Whether the part is true or false, and not unknown."""
    return Holds(disjunction([part, Not(part)]))


@dataclass(frozen=True)
class _Unknown(Predicate):
    """Neither true nor false for any row: what SQL makes of a comparison with NULL."""

    @property
    def positions(self) -> frozenset[int]:
        """None."""
        return frozenset()

    def truth(self, positions: Sequence[int], sizes: Sequence[int]) -> tuple[Truth, Truth]:
        """Nowhere."""
        nowhere = np.zeros([1] * len(positions), dtype=bool)
        return nowhere, nowhere

    def on_rows(self, codes: NDArray[np.integer]) -> tuple[Truth, Truth]:
        """For no row."""
        nowhere = np.zeros(codes.shape[1], dtype=bool)
        return nowhere, nowhere


UNKNOWN: Predicate = _Unknown()
