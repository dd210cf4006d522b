"""Shape: whether a set function looks monotone, submodular and Lipschitz on random sets. It can refute, not prove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import BadPlan, check_whole
from .set_function import SetFunction, bits_of, chances_of

__all__ = ["Shape", "shape_of"]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What was seen on random pairs of sets, one inside the other, and an element in neither."""

    triples: int
    monotone: bool
    submodular: bool
    lipschitz: float
    """The largest jump, up or down; there may be larger ones."""
    least: float
    most: float
    """The values seen lie between these."""
    unseen: float
    """Where none was against it, at most this share of all such triples is, with 95% confidence."""
    counterexample: str

    def __str__(self) -> str:
        kinds = [f"{'' if getattr(self, name) else 'not '}{name}" for name in ("monotone", "submodular")]
        end = f"; {self.counterexample}" if self.counterexample else ""
        return (
            f"{', '.join(kinds)} on {self.triples:,} random triples (up to {self.unseen:.2%} may be otherwise); jumps "
            f"up to {self.lipschitz:.4g}, values {self.least:.4g} to {self.most:.4g}{end}"
        )


def shape_of(
    f: SetFunction, p: float | Mapping[Any, float] = 0.5, *, triples: int = 1000, seed: int, tolerance: float = 0.0
) -> Shape:
    """Asks about S, T with S inside T, and both with one more element: a jump at T must not be above that at S.

    p          the chance of an element to be in T; in S is every other one of T
    tolerance  how far the oracle may be off: differences of four of its answers are allowed four times that
    """
    check_whole(triples, "triples", BadPlan)
    if not isinstance(f, SetFunction):
        raise BadPlan(f"shape_of takes a SetFunction(elements=..., value=...), not {type(f).__name__}")
    if not 0 <= tolerance < np.inf:
        raise BadPlan(f"tolerance is how far the oracle may be off, at least 0, not {tolerance!r}")
    each, random = chances_of(f.elements, p), np.random.default_rng(seed)
    jumps, seen, against = [], [], {"monotone": "", "submodular": ""}
    for _ in range(triples):
        element = int(random.integers(len(each)))
        large = random.random(len(each)) < each
        large[element] = False
        small = large & (random.random(len(each)) < 0.5)
        sets = [sum(1 << int(place) for place in np.flatnonzero(own)) for own in (small, large)]
        values = [(f.at(own), f.at(own | 1 << element)) for own in sets]
        at_small, at_large = (high - low for low, high in values)
        jumps += [at_small, at_large]
        seen += [value for pair in values for value in pair]
        if min(at_small, at_large) < -2 * tolerance - ROUNDING:
            own = sets[0] if at_small <= at_large else sets[1]
            against["monotone"] = against["monotone"] or _told(f, element, own, min(at_small, at_large))
        if at_large > at_small + 4 * tolerance + ROUNDING:
            told = f"{_told(f, element, sets[1], at_large)}, above {at_small:.4g} at {_names(f, sets[0])}"
            against["submodular"] = against["submodular"] or told
    return Shape(
        triples=triples, monotone=not against["monotone"], submodular=not against["submodular"],
        lipschitz=float(np.abs(jumps).max()), least=min(seen), most=max(seen), unseen=1 - 0.05 ** (1 / triples),
        counterexample=against["submodular"] or against["monotone"],
    )  # fmt: skip


# Of differences of numbers near 1.
ROUNDING = 1e-12
SHOWN = 6


def _told(f: SetFunction, element: int, mask: int, jump: float) -> str:
    return f"{f.elements[element]} moves it by {jump:.4g} at {_names(f, mask)}"


def _names(f: SetFunction, mask: int) -> str:
    places = bits_of(mask)
    more = f", ... ({len(places) - SHOWN} more)" if len(places) > SHOWN else ""
    return "{" + ", ".join(str(f.elements[place]) for place in places[:SHOWN]) + more + "}"
