"""Statistic: a public, bounded integer vector per row whose sum over rows may leave through the door."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from operator import iadd
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Additive", "Codes", "ReadAs", "Statistic", "Sums", "T", "Total", "Totals", "add_up", "read_as"]

# One array of shape (attributes, rows): each row of the table as the codes of its domain.
Codes = NDArray[np.uint8] | NDArray[np.uint16]
Sums = NDArray[np.int64]


class Additive(Protocol):
    """What blocks of rows come to: two of them add up."""

    def __iadd__(self, other: Any, /) -> Self:
        """The sum of both, in place."""


T = TypeVar("T", bound=Additive)
T_co = TypeVar("T_co", bound=Additive, covariant=True)


class Total(Protocol[T_co]):
    """Anything that is summed over rows: which columns it reads, and what a block of them adds up to.

    `accumulate` is pure and additive: the totals of two blocks of rows add up to the total of both, so any source may
    split the rows as it likes, on any machine. A total is exact, so it never leaves the vault but with noise on it.
    """

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns it needs."""

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """A batch of these columns in the form `accumulate` takes."""

    def zeros(self) -> T_co:
        """The total of no rows; a new one every time, to add to."""

    def accumulate(self, codes: Any) -> T_co:
        """The total of one block of rows."""


def add_up(wanted: Total[T], blocks: Iterable[object]) -> T:
    """The total of all blocks of rows, from the total of each."""
    return reduce(iadd, blocks, wanted.zeros())


class Totals(Protocol):
    """Whoever has rows and sums over all of them: a source, or rows and counts that are held in memory."""

    def __call__(self, wanted: Total[T], /) -> T:
        """The total over all rows."""


class ReadAs:
    """A total whose rows are coded by another domain than the one they are read with: by finer cells, say."""

    def __init__(self, wanted: Total[Any], domain: Domain) -> None:
        self.wanted, self.domain = wanted, domain
        self.zeros, self.accumulate = wanted.zeros, wanted.accumulate

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Those of the total."""
        return self.wanted.columns(self.domain)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """Coded by its own domain."""
        return self.wanted.read(batch, self.domain)


def read_as(totals: Totals, domain: Domain) -> Totals:
    """The same totals over rows that are coded by this domain."""

    def total(wanted: Total[T], /) -> T:
        read: Total[T] = ReadAs(wanted, domain)
        return totals(read)

    return total


class Statistic(Total[Sums], ABC):
    """A sum over rows that may be measured. Its coordinates fall into groups that share one noise scale."""

    name: ClassVar[str]
    groups: int
    """How many groups of coordinates there are."""

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns it needs: all attributes with codes, unless a statistic says otherwise."""
        return tuple(attribute.name for attribute in domain.closed)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Any:
        """A batch of these columns in the form `accumulate` takes: codes, unless a statistic says otherwise."""
        from ..coding import encode_batch

        return encode_batch(batch, domain)

    @property
    def whole(self) -> Statistic:
        """The statistic whose total this one is read from: itself, unless it is a part of another."""
        return self

    def own_part(self, finished: Sums) -> Sums:
        """Its own coordinates, from those of `whole`."""
        return finished

    def block_starts(self) -> Sums | None:
        """Where the blocks that are compared and selected as one begin, then the end; None: single coordinates."""
        return None

    def block_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change the sum of absolute differences of any block from a fixed vector."""
        return self.largest_change(neighbours)

    @abstractmethod
    def accumulate(self, codes: Any) -> Sums:
        """Sums over one block of rows, in whatever integers add up."""

    @abstractmethod
    def to_coordinates(self, sums: Sums) -> Sums:
        """From the total of `accumulate` to the coordinates: a fixed linear map."""

    @abstractmethod
    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The noise of every coordinate when each group has the given scale."""

    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """The largest weighted change one row can make, exactly or from above.

        Max over neighbours of the sum over coordinates of weight x |change|^power / unit, where `unit` is the
        coordinate's scale when its group has scale 1. With Gaussian noise of variance s_g per group the price
        is sensitivity(power=2, weights=1/(2 s_g)) in rho; with Laplace noise of scale s_g it is
        sensitivity(power=1, weights=1/s_g) in epsilon.
        """
        if power not in (1, 2):
            raise ValueError(f"power must be 1 (Laplace) or 2 (Gaussian), not {power}")
        if len(weights) != self.groups:
            raise ValueError(f"{self.groups} groups need as many weights, not {len(weights)}")
        return self._sensitivity(power=power, weights=weights, neighbours=neighbours)

    @abstractmethod
    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """What `sensitivity` promises, for a power and weights that were checked. Its docstring is the proof."""

    @abstractmethod
    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""

    @abstractmethod
    def rows(self, sums: Sums) -> int:
        """The number of rows that went into the total of `accumulate`."""

    @abstractmethod
    def zeros(self) -> Sums:
        """The sums over no rows."""
