"""Statistic: a public, bounded integer vector per row whose sum over rows may leave through the door."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...domain import Domain
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Codes", "Statistic"]

# One array of shape (attributes, rows): each row of the table as the codes of its domain.
Codes = NDArray[np.uint8] | NDArray[np.uint16]


class Statistic(ABC):
    """A sum over rows. Its coordinates fall into groups that share one noise scale.

    `accumulate` is pure and additive: the sums of two blocks of rows add up to the sum of both, so any source
    may split the rows as it likes, on any machine.
    """

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

    def own_part(self, finished: NDArray[np.int64]) -> NDArray[np.int64]:
        """Its own coordinates, from those of `whole`."""
        return finished

    def block_starts(self) -> NDArray[np.int64] | None:
        """Where the blocks that are compared and selected as one begin, then the end; None: single coordinates."""
        return None

    def block_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change the sum of absolute differences of any block from a fixed vector."""
        return self.largest_change(neighbours)

    @abstractmethod
    def accumulate(self, codes: Any) -> NDArray[np.int64]:
        """Sums over one block of rows, in whatever integers add up."""

    @abstractmethod
    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """From the total of `accumulate` to the coordinates: a fixed linear map."""

    @abstractmethod
    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The noise of every coordinate when each group has the given scale."""

    @abstractmethod
    def sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """The largest weighted change one row can make.

        Max over neighbours of the sum over coordinates of weight x |change|^power / unit, where `unit` is the
        coordinate's scale when its group has scale 1. With Gaussian noise of variance s_g per group the price
        is spread(power=2, weights=1/(2 s_g)) in rho; with Laplace noise of scale s_g it is
        spread(power=1, weights=1/s_g) in epsilon.
        """

    @abstractmethod
    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""

    @abstractmethod
    def rows(self, sums: NDArray[np.int64]) -> int:
        """The number of rows that went into the total of `accumulate`."""

    @abstractmethod
    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
