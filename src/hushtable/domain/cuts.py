"""Cuts inside bins: what a condition says of the rows of a bin that it cuts in two, for every place a row may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor, prod

from ..errors import BadQuestion
from .attributes import Ordered
from .events import event_on
from .predicate import Event, Predicate, conjunction

__all__ = ["MOST_WAYS", "BinCuts"]

MOST_WAYS = 64
Bin = tuple[int, int]
"""The position of an attribute, and one of its bins."""
Threshold = tuple[Fraction, bool]
"""What part of the bin lies below a cut, and whether the cut itself does: `> 50` cuts just above `>= 50`."""


@dataclass(frozen=True)
class BinCuts:
    """Takes down the cuts inside bins of a condition; then reads it as it is for rows between two of these.

    Where a row lies among the cuts of its bin is all that the condition can ask of it beyond its codes. So the
    condition has one plain reading for each way in which rows may lie, and whatever the rows are, a row is counted
    by one of these readings: what all of them count is counted surely, and what none of them counts is not.
    """

    chosen: Mapping[Bin, int] = field(default_factory=dict)
    """How many of a bin's cuts a row lies above."""
    found: dict[Bin, set[Threshold]] = field(default_factory=dict)

    def event(self, position: int, attribute: Ordered, operator: str, value: Fraction) -> Predicate:
        """`attribute operator value`, where the value lies inside a bin."""
        above = {">=": False, ">": True, "<": False, "<=": True}
        if operator in above:
            event = self._from(position, attribute, value, beyond=above[operator])
            return Event(position, event.false, event.true) if operator in ("<", "<=") else event
        first = self._from(position, attribute, value, beyond=False)
        after = self._from(position, attribute, value, beyond=True)
        equal = conjunction([first, Event(position, after.false, after.true)])
        if operator == "=":
            return equal
        true, false = equal.truth([position], [attribute.size])
        return Event(position, tuple(map(bool, false)), tuple(map(bool, true)))

    def _from(self, position: int, attribute: Ordered, value: Fraction, *, beyond: bool) -> Event:
        """The rows from a value on, or from beyond it."""
        cut, edges = value, attribute.edges
        if attribute.steps:
            cut, beyond = Fraction(floor(value) + 1 if beyond else ceil(value)), False
        count = len(attribute.values)
        if cut in edges and not beyond and (cut != edges[-1] or attribute.steps):
            first = edges.index(cut)
            return event_on(position, attribute, set(range(first, count)))
        own = min(sum(edge <= cut for edge in edges) - 1, count - 1)
        part = (cut - edges[own]) / (edges[own + 1] - edges[own])
        inside = self._is_above((position, own), (part, beyond))
        return event_on(position, attribute, set(range(own if inside else own + 1, count)))

    def _is_above(self, bin_: Bin, threshold: Threshold) -> bool:
        known = self.found.setdefault(bin_, set())
        known.add(threshold)
        return sorted(known).index(threshold) < self.chosen.get(bin_, 0)

    def ways(self) -> Iterator[tuple[Fraction, BinCuts]]:
        """Every way in which rows may lie among the cuts, and its share if they are spread evenly inside their bins."""
        parts = {bin_: _parts(sorted(cuts)) for bin_, cuts in self.found.items()}
        if prod(map(len, parts.values())) > MOST_WAYS:
            raise BadQuestion(
                f"the question cuts too many bins in two; at most {MOST_WAYS} ways to lie in them are tried"
            )
        for places in product(*(range(len(shares)) for shares in parts.values())):
            chosen = dict(zip(parts, places, strict=True))
            share = prod((parts[bin_][place] for bin_, place in chosen.items()), start=Fraction(1))
            yield share, BinCuts(chosen=chosen, found={bin_: set(cuts) for bin_, cuts in self.found.items()})


def _parts(cuts: list[Threshold]) -> list[Fraction]:
    """The share of the bin before the first cut, between each two, and after the last."""
    ends = [Fraction(0), *(part for part, _ in cuts), Fraction(1)]
    return [after - before for before, after in pairwise(ends)]
