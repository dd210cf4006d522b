"""Set function: a number for every set of named elements, asked once a set and remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, BadQuestion
from ...words import shortened, suggestion

__all__ = ["SetFunction", "chances_of"]

Element = Hashable
# More would be a slip: every element is asked about at every piece.
MOST_ELEMENTS = 100_000
SHOWN = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class SetFunction:
    """A value oracle: it may be off a little, but says the same of a set whenever it is asked.

    elements  what sets are made of, each once
    value     from a frozenset of elements to a finite number, usually between 0 and 1; it is called once a set
    monotone  whether more elements never make it smaller; then one stage of a decomposition is enough
    """

    elements: Sequence[Element]
    value: Callable[[frozenset[Any]], float]
    monotone: bool = False
    _known: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.elements, str) or not 0 < len(self.elements) <= MOST_ELEMENTS:
            raise BadPlan(f"a set function has a list of 1 to {MOST_ELEMENTS:,} elements, not {_short(self.elements)}")
        if len(set(self.elements)) < len(self.elements):
            raise BadPlan("a set function names an element twice; give each once")
        if not callable(self.value):
            raise BadPlan(f"value must be a function of a set, not {type(self.value).__name__}")
        object.__setattr__(self, "elements", tuple(self.elements))

    @property
    def questions(self) -> int:
        """How many sets it was asked about so far."""
        return len(self._known)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value it said so far."""
        return min(self._known.values()), max(self._known.values())

    @cached_property
    def places(self) -> dict[Element, int]:
        """The number of every element."""
        return {element: place for place, element in enumerate(self.elements)}

    def __call__(self, members: Iterable[Element]) -> float:
        """What it says of a set."""
        return self.at(self.mask(members))

    def mask(self, members: Iterable[Element]) -> int:
        """A set as a whole number, whose bit i is the element of number i."""
        if isinstance(members, str):
            raise BadQuestion(f"a set is a list of elements, not the text {_short(members)}")
        out = 0
        for member in members:
            place = self.places.get(member) if isinstance(member, Hashable) else None
            if place is None:
                near = suggestion(str(member), list(map(str, self.elements[:1000])))
                raise BadQuestion(f"no element {_short(member)}; there are {len(self.elements):,}.{near}")
            out |= 1 << place
        return out

    def members(self, mask: int) -> frozenset[Element]:
        """The set that a whole number stands for."""
        return frozenset(self.elements[place] for place in bits_of(mask))

    def at(self, mask: int) -> float:
        """What it says of a set that is given as a whole number."""
        if (known := self._known.get(mask)) is None:
            known = self._known[mask] = self._ask(mask)
        return known

    def _ask(self, mask: int) -> float:
        members = self.members(mask)
        try:
            said = float(self.value(members))
        except Exception as error:
            raise BadQuestion(
                f"the value of {_listed(members)} failed: {type(error).__name__}: {_short(error)}"
            ) from error
        if not math.isfinite(said):
            raise BadQuestion(f"the value of {_listed(members)} is {said}; it must be a finite number")
        return said


def bits_of(mask: int) -> list[int]:
    """The numbers of the bits that are set, from the least."""
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def chances_of(elements: Sequence[Element], p: float | Mapping[Any, float]) -> NDArray[np.float64]:
    """The chance of every element to be in a random set: one for all, or one each by name."""
    each = [p.get(element) for element in elements] if isinstance(p, Mapping) else [p] * len(elements)
    for element, one in zip(elements, each, strict=True):
        if isinstance(one, bool) or not isinstance(one, (int, float, np.floating)) or not 0 <= one <= 1:
            raise BadPlan(
                f"p is a chance from 0 to 1, for all elements or for each by name; {_short(element)} has {one!r}"
            )
    if isinstance(p, Mapping) and (unknown := [name for name in p if name not in set(elements)]):
        raise BadPlan(f"p names {_short(unknown[0])}, which is no element of the function")
    return np.array(each, dtype=np.float64)


def _short(given: object) -> str:
    return shortened(repr(given), SHOWN)


def _listed(members: frozenset[Any]) -> str:
    return shortened("{" + ", ".join(sorted(map(str, members))) + "}", SHOWN)
