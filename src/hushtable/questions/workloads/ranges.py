"""Ranges: for every interval of an ordered attribute, or product of intervals, how many rows lie in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ...domain import Domain
from ...domain.attributes import Ordered, Uncoded
from ...errors import BadPlan, check_whole
from ...words import listed
from .linear_workload import MOST_QUERIES, LinearWorkload

if TYPE_CHECKING:
    from ...maths.linear import Boxes

__all__ = ["Ranges"]


@dataclass(frozen=True)
class Ranges(LinearWorkload):
    """All intervals of bins of 1 to `width` ordered attributes at a time.

    attributes  which ones; all of kind integer or number when left out
    width       how many are joined: with 2, also every rectangle of two of them
    Missing and undeclared values lie in no interval; an interval that holds every row is left out.
    """

    attributes: tuple[str, ...] | None = None
    width: int = 1
    name = "ranges"

    def __post_init__(self) -> None:
        given = self.attributes
        names = (given,) if isinstance(given, str) else given
        if names is not None:
            if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
                raise BadPlan(f"attributes is a list of names such as [age, income], not {given!r}")
            object.__setattr__(self, "attributes", tuple(names))
        check_whole(self.width, "width", BadPlan)

    def bins(self, domain: Domain) -> dict[int, int]:
        """Position of each attribute with an interval that says something, and its number of bins."""
        ordered = {i: a for i, a in enumerate(domain.closed) if isinstance(a, Ordered)}
        if not ordered:
            raise BadPlan("the domain has no attribute with an order; ranges() needs one")
        telling = {i: len(a.values) for i, a in ordered.items() if a.size > 1}
        if self.attributes is None:
            if not telling:
                raise BadPlan("every ordered attribute of the domain has one bin only; ranges() needs edges or bins")
            return telling
        have = listed([a.name for a in ordered.values()])
        uncoded = [a.name for a in domain.attributes if isinstance(a, Uncoded)]
        positions = [-1 if name in uncoded else domain.position(name) for name in self.attributes]
        for i, name in zip(positions, self.attributes, strict=True):
            if i not in ordered:
                raise BadPlan(f"{name} has no order, so it has no ranges; ordered are {have}")
            if i not in telling:
                raise BadPlan(f"{name} has one bin only, so no range of it says anything; give it edges or bins")
        if len(set(positions)) < len(positions):
            raise BadPlan(f"ranges names an attribute twice: {listed(self.attributes)}; name each once")
        return {i: telling[i] for i in sorted(positions)}

    def check(self, domain: Domain) -> None:
        """Ordered attributes, as many as are joined, and not too many boxes."""
        from ...maths.interactions.layout import InteractionLayout
        from ...maths.linear import MOST_CELLS, intervals_of

        bins = self.bins(domain)
        if self.width > len(bins):
            raise BadPlan(f"width {self.width} is more than the {len(bins)} ordered attributes; use a smaller width")
        each = [intervals_of(count, domain.sizes[i]) for i, count in bins.items()]
        # A set's boxes are the products of its members' intervals, as its coordinates are of its contrasts.
        boxes = InteractionLayout.count([count + 1 for count in each], self.width) - 1
        sizes = [domain.sizes[i] for i in bins]
        cells = sum(InteractionLayout.cells(sizes, width) for width in range(1, self.width + 1))
        for what, count, most in (("ranges", boxes, MOST_QUERIES), ("cells", cells, MOST_CELLS)):
            if count > most:
                raise BadPlan(
                    f"{self} has {count:,} {what} and at most {most:,} fit; join fewer attributes or merge bins"
                )

    def linear_class(self, domain: Domain) -> Boxes:
        """One set of boxes for every 1 to `width` attributes."""
        from ...maths.linear import Boxes

        self.check(domain)
        bins = self.bins(domain)
        sets = [members for width in range(1, self.width + 1) for members in combinations(bins, width)]
        return Boxes(domain.sizes, sets, bins=bins)
