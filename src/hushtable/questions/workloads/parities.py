"""ParityQueries: of every few two-valued attributes, how often an even number is 1."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import comb
from typing import TYPE_CHECKING

from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...words import counted
from .base import uncoded
from .linear_workload import MOST_QUERIES, LinearWorkload

if TYPE_CHECKING:
    from ...maths.linear import ListedQueries

__all__ = ["ParityQueries"]


@dataclass(frozen=True)
class ParityQueries(LinearWorkload):
    """The parities of all sets of 1 to `order` attributes, which must have two values each.

    Together they say as much as the tables of all these sets.
    """

    order: int
    name = "parities"

    def __post_init__(self) -> None:
        check_whole(self.order, "order", BadPlan)

    def check(self, domain: Domain) -> None:
        """Two codes an attribute, no higher order than there are attributes, and not too many sets."""
        have = len(domain.closed)
        if have == 0:
            raise BadPlan(
                f"the domain has no attribute with listed values; parities need at least one{uncoded(domain)}"
            )
        for attribute in domain.closed:
            if attribute.size != 2:
                raise BadPlan(
                    f"parities need two codes an attribute and {attribute.name} has {attribute.size} "
                    f"({', '.join(attribute.labels[:4])}{', ...' if attribute.size > 4 else ''}); "
                    "`missing: error` drops the code for missing values"
                )
        if self.order > have:
            text = f"order {self.order} is more than the domain's {counted(have, 'attribute')}"
            raise BadPlan(f"{text} with listed values; use order={have} or less{uncoded(domain)}")
        counts = [sum(comb(have, i) for i in range(1, order + 1)) for order in range(1, self.order + 1)]
        if counts[-1] > MOST_QUERIES:
            fits = sum(count <= MOST_QUERIES for count in counts)
            advice = f"the largest order that fits is {fits}" if fits else "drop attributes"
            raise BadPlan(f"{self} has {counts[-1]:,} parities and at most {MOST_QUERIES:,} fit; {advice}")

    def linear_class(self, domain: Domain) -> ListedQueries:
        """For each set the number of even rows, (n + parity) / 2: query q is coordinate q + 1 of the parities."""
        import numpy as np

        from ...maths.interactions.layout import InteractionLayout
        from ...maths.linear import ListedQueries

        self.check(domain)
        levels = InteractionLayout(domain.sizes, self.order).sets[1:]
        even = [[cell for cell in range(2**size) if cell.bit_count() % 2 == 0] for size in range(1, self.order + 1)]
        places = np.concatenate([np.tile(cells, len(level)) for cells, level in zip(even, levels, strict=True)])
        counts = np.concatenate([np.full(len(level), len(cells)) for cells, level in zip(even, levels, strict=True)])
        return ListedQueries(
            domain.sizes,
            list(chain.from_iterable(level.tolist() for level in levels)),
            set_numbers=np.arange(len(counts)),
            entries=np.concatenate([[0], np.cumsum(counts)]),
            places=places,
            weights=np.ones(len(places), dtype=np.uint8),
        )
