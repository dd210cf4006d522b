"""Column pairs: a comparison between two ordered columns, as a condition on the codes of both."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from .attributes import Attribute, Ordered
from .predicate import Event, Predicate, conjunction, disjunction

__all__ = ["MIRRORED", "MOST_PAIRS", "check_comparable", "compared", "surely"]

Truth = NDArray[np.bool_]
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
NUMBERS = {"integer", "number"}
# Bins of one column times bins of the other.
MOST_PAIRS = 1 << 20


def check_comparable(left: Attribute, right: Attribute) -> tuple[Ordered, Ordered]:
    """Both, where one can be larger than the other; BadQuestion otherwise."""
    for attribute in (left, right):
        if not isinstance(attribute, Ordered):
            raise BadQuestion(
                f"{attribute.name} ({attribute.kind}) has no order, so no column can be compared with it; "
                "compare two numbers, two dates or two times"
            )
    assert isinstance(left, Ordered)
    assert isinstance(right, Ordered)
    if left.kind != right.kind and not {left.kind, right.kind} <= NUMBERS:
        raise BadQuestion(
            f"{left.name} ({left.kind}) and {right.name} ({right.kind}) are of different kinds, so neither is larger; "
            "compare two numbers, two dates or two times"
        )
    if left.size * right.size > MOST_PAIRS:
        sizes = f"{left.size:,} and {right.size:,} bins"
        raise BadQuestion(f"{left.name} and {right.name} have {sizes}, too many to compare; declare fewer")
    return left, right


def surely(operator: str, left: Ordered, right: Ordered) -> tuple[Truth, Truth]:
    """For every two bins whether the comparison is true, and whether it is false, for all values that they hold.

    Where it is neither, it depends on the values.
    """
    if operator in (">", ">="):
        true, false = surely(MIRRORED[operator], right, left)
        return true.T, false.T
    least, most, ends = _ranked([left, right])
    # `a < b` for all values: the largest a below the smallest b; a bin that ends before its edge may end there.
    before = _before(most[0], ends[0], least[1])
    after = _before(most[1], ends[1], least[0]).T
    if operator == "<":
        return before, least[0][:, None] >= most[1][None]
    if operator == "<=":
        return most[0][:, None] <= least[1][None], after
    single = (least[0] == most[0])[:, None] & (least[1] == most[1])[None] & (least[0][:, None] == least[1][None])
    return (single, before | after) if operator == "=" else (before | after, single)


def _before(most: NDArray[np.int64], ends: Truth, least: NDArray[np.int64]) -> Truth:
    return np.asarray((most[:, None] < least[None]) | ((most[:, None] == least[None]) & ends[:, None]))


def _ranked(both: Sequence[Ordered]) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], list[Truth]]:
    """First and last value of every bin by rank among all of them, which is exact; and whether the last is excluded."""
    bounds = [attribute.bin_bounds() for attribute in both]
    rank: dict[Fraction, int] = {
        edge: place for place, edge in enumerate(sorted({edge for own in bounds for pair in own for edge in pair}))
    }
    least, most = ([np.array([rank[pair[end]] for pair in own], np.int64) for own in bounds] for end in (0, 1))
    ends = [np.full(len(own), not a.steps) for a, own in zip(both, bounds, strict=True)]
    for own in ends:
        own[-1] = False  # the last bin holds its upper bound
    return least, most, ends


def compared(places: tuple[int, int], both: tuple[Ordered, Ordered], operator: str) -> tuple[Predicate, bool]:
    """The comparison over codes, and whether codes always decide it; where they do not, it is unknown.

    Written by events alone: for each bin of the first column those of the second for which it holds.
    """
    true, false = surely(operator, *both)
    (one, two), (left, right) = places, both
    none = np.zeros(len(left.values), dtype=bool)
    parts: list[Predicate] = [_event(one, left, none, ~none)]  # unknown where the first has no value
    patterns: dict[bytes, list[int]] = {}
    for code in range(len(left.values)):
        patterns.setdefault(true[code].tobytes() + false[code].tobytes(), []).append(code)
    for codes in patterns.values():
        own = np.isin(np.arange(len(left.values)), codes)
        parts.append(conjunction([_event(one, left, own, ~own), _event(two, right, true[codes[0]], false[codes[0]])]))
    return disjunction(parts), bool((true | false).all())


def _event(position: int, attribute: Ordered, true: Truth, false: Truth) -> Event:
    """Of the declared bins; a missing or undeclared value is unknown."""
    extra = (False,) * (attribute.size - len(attribute.values))
    return Event(position, (*true.tolist(), *extra), (*false.tolist(), *extra))
