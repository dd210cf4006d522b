"""What the two statistics of interactions share: one layout, one noise, one sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise, InteractionLayout
from .base import Statistic
from .sensitivity import largest_change, sensitivity

__all__ = ["InteractionStatistic"]


class InteractionStatistic(Statistic):
    """Coordinates laid out by `InteractionLayout`; an order beyond the number of attributes means all of them.

    `threads` is how many may work on one block of rows; None means as many as the machine has.
    """

    def __init__(self, interactions: InteractionLayout, *, threads: int | None = None) -> None:
        self.interactions = replace(interactions, order=min(interactions.order, len(interactions.sizes)))
        self.groups = len(self.interactions.groups)
        self.threads = threads

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The noise of every coordinate when each group has the given scale."""
        return self.interactions.scales(law, per_group)

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """The largest weighted change one row can make (`sensitivity.squared`; `sensitivity.absolute` may bound it)."""
        return sensitivity(self.interactions, power=power, weights=weights, neighbours=neighbours)

    def largest_change(self, neighbours: Neighbours) -> int:
        """The most that one row can change any single coordinate."""
        return largest_change(self.interactions, neighbours)
