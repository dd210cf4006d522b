"""Joint statistics: sums that also say, group by group, which body holds every change one row can make."""

from __future__ import annotations

from abc import abstractmethod

from ...budget import Neighbours
from ...maths.geometry.bodies import Body
from .base import Statistic

__all__ = ["JointStatistic"]


class JointStatistic(Statistic):
    """A statistic that noise of a body's gauge can be added to; its coordinates stand group after group."""

    @abstractmethod
    def body(self, group: int, neighbours: Neighbours) -> Body:
        """A body whose gauge is at most 1 for every change that one row can make to the group's coordinates.

        Of dimension 0 where no row can change them.
        """
