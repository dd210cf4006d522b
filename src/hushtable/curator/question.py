"""What a curator is asked: one condition as a table of truth values, the same for every way to write it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.predicate import Predicate
from ..errors import BadQuestion
from ..questions.parse import Question
from ..words import listed

__all__ = ["Asked", "Conditions"]

# Conditions over at most so many cells are remembered, and at most so many of them.
SMALL, MANY = 4096, 20_000


@dataclass(frozen=True, eq=False)
class Asked:
    """A condition on the attributes it really depends on; none of them when it holds for every row or for no row."""

    positions: tuple[int, ...]
    true: NDArray[np.bool_]
    """Flat, over the codes at `positions` in C order."""

    @property
    def always(self) -> bool | None:
        """Whether every row meets it, or none does; None where that depends on the rows."""
        return None if self.positions else bool(self.true[0])

    @cached_property
    def key(self) -> tuple[tuple[int, ...], bytes]:
        """Equal for equal conditions, however they were written."""
        return self.positions, np.packbits(self.true).tobytes()


class Conditions:
    """Turns questions into conditions; people ask the same ones again and again."""

    def __init__(self, domain: Domain, *, most_cells: int) -> None:
        self._domain, self._most_cells = domain, most_cells
        self._known: dict[Predicate, Asked] = {}

    def of(self, question: Question) -> Asked:
        """What is counted; BadQuestion for anything but one count, and for conditions beyond the cap."""
        if question.kind != "count" or question.groups:
            raise BadQuestion(
                "a curator answers one count at a time, because each may have to be paid for; ask without avg and "
                "GROUP BY, or freeze the curator and ask the synopsis"
            )
        if question.where is None:
            return Asked((), np.ones(1, dtype=bool))
        known = self._known.get(question.where)
        if known is None:
            known = self._condition(question.where)
            if len(known.true) <= SMALL:
                if len(self._known) >= MANY:
                    self._known.clear()
                self._known[question.where] = known
        return known

    def _condition(self, where: Predicate) -> Asked:
        positions = tuple(sorted(where.positions))
        sizes = tuple(self._domain.sizes[p] for p in positions)
        if prod(sizes) > self._most_cells:
            names = [self._domain.closed[p].name for p in positions]
            raise BadQuestion(
                f"the question joins {len(names)} attributes ({listed(names)}) with {prod(sizes):,} combinations of "
                f"values, and a curator joins at most {self._most_cells:,}; ask about fewer; nothing was spent"
            )
        table = np.broadcast_to(where.truth(positions, sizes)[0], sizes)
        # (a AND b) OR (a AND NOT b) is a: an attribute that never changes the outcome is left out.
        kept = [axis for axis in range(table.ndim) if (table != table.take([0], axis=axis)).any()]
        table = table[tuple(slice(None) if axis in kept else 0 for axis in range(len(positions)))]
        return Asked(tuple(positions[axis] for axis in kept), np.ascontiguousarray(table).ravel())
