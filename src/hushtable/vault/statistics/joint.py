"""Joint statistics: sums that also say, group by group, which body holds every change one row can make."""

from __future__ import annotations

from abc import abstractmethod

from ...budget import Neighbours
from ...maths.geometry.bodies import Body
from .base import Statistic

__all__ = ["JointStatistic"]


class JointStatistic(Statistic):
    """A statistic that noise of a body's gauge can be added to; its coordinates stand group after group."""

    @property
    def largest_gauge(self) -> int:
        """The most that one row changes the gauge of any group by: 1, where a row is counted in whole numbers."""
        return 1

    @abstractmethod
    def body(self, group: int, neighbours: Neighbours) -> Body:
        """A body whose gauge is at most `largest_gauge` for every change that one row can make to the coordinates.

        Of dimension 0 where no row can change them.
        """
