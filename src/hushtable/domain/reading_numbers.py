"""Reading numbers: what a domain's file says of a column between two bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..errors import BadDomain
from ..words import counted, readable
from .attributes import MOST_CODES, Integer, Number, edge_text
from .range_cells import SINGLE, first_cuts

__all__ = ["fraction_of", "read_bounds", "read_number", "whole_number"]

# Characters of a number; equal bins between two long decimals have edges that are longer fractions.
LONGEST = 2000
# Values that may be declared as atoms.
MOST_ATOMS = 100
Between = tuple[Fraction, Fraction]


def read_number(
    name: str, given: Mapping[str, Any], kind: type[Integer] | type[Number], shared: dict[str, Any]
) -> Integer | Number:
    """A column of numbers: bins as declared, one a value of short ranges of whole numbers, else cells to be found."""
    low, high = between = read_bounds(name, given.get("between"))
    whole = kind is Integer
    if whole and (low.denominator, high.denominator) != (1, 1):
        raise BadDomain(f"{name}: an integer lies between whole numbers, not {readable(low)} and {readable(high)}")
    step, atoms = _step(name, given, between, whole), _atoms(name, given, between, whole)
    _check_grid(name, atoms, low, step)
    made: dict[str, Any] = {"name": name, "low": low, "high": high, "step": step, "atoms": atoms} | shared
    ways = [way for way in ("edges", "bins", "cells") if way in given]
    if len(ways) > 1:
        raise BadDomain(f"{name}: give {ways[0]} or {ways[1]}, not both")
    if ways == ["cells"]:
        return kind(cuts=_edges(name, given["cells"], between, whole), ranged=True, found=True, **made)
    if ways == ["edges"]:
        return kind(cuts=_edges(name, given["edges"], between, whole), **made)
    if ways == ["bins"]:
        return kind(cuts=_equal(name, given["bins"], between, whole), **made)
    if whole and step is None and high - low < SINGLE:
        return kind(cuts=tuple(low + i for i in range(1, int(high - low) + 1)), **made)
    unseen = kind(cuts=(), ranged=True, **made)
    return kind(cuts=first_cuts(unseen), ranged=True, **made)


def read_bounds(name: str, between: object) -> Between:
    """The lowest and the highest value."""
    if not isinstance(between, (list, tuple)) or len(between) != 2:
        raise BadDomain(f"{name}: needs `between: [lowest, highest]`")
    low, high = (fraction_of(b, name) for b in between)
    if low >= high:
        raise BadDomain(f"{name}: between must ascend, not [{readable(low)}, {readable(high)}]")
    return low, high


def _step(name: str, given: Mapping[str, Any], between: Between, whole: bool) -> Fraction | None:
    """How far neighbouring values are apart, where that is said."""
    if "step" not in given:
        return None
    step, (low, high) = fraction_of(given["step"], f"{name}: step"), between
    if step <= 0:
        raise BadDomain(f"{name}: step must be above 0, not {readable(step)}")
    if step > high - low:
        raise BadDomain(
            f"{name}: a step of {edge_text(step)} is larger than the range from {edge_text(low)} to {edge_text(high)}; "
            "values are low + j steps, so declare a smaller one"
        )
    if whole and step.denominator != 1:
        raise BadDomain(f"{name}: the step of an integer is a whole number, not {readable(step)}")
    return step


def _atoms(name: str, given: Mapping[str, Any], between: Between, whole: bool) -> tuple[Fraction, ...]:
    """Values that many rows have exactly, where some are said."""
    values, (low, high) = given.get("atoms", ()), between
    if not isinstance(values, (list, tuple)):
        raise BadDomain(f"{name}: atoms is a list of values that many rows have, such as [0]")
    if len(values) > MOST_ATOMS:
        raise BadDomain(f"{name}: {counted(len(values), 'atom')}; at most {MOST_ATOMS} are allowed")
    atoms = tuple(sorted({fraction_of(value, f"{name}: atoms") for value in values}))
    for atom in atoms:
        if not low <= atom <= high:
            between_them = f"{edge_text(low)} and {edge_text(high)}"
            raise BadDomain(f"{name}: the atom {edge_text(atom)} does not lie between {between_them}; drop it")
        if whole and atom.denominator != 1:
            raise BadDomain(f"{name}: the atoms of an integer are whole numbers, not {readable(atom)}")
    return atoms


def _check_grid(name: str, atoms: Sequence[Fraction], low: Fraction, step: Fraction | None) -> None:
    """BadDomain where an atom is between two values that the step allows: no row could have it."""
    for atom in atoms:
        if step is not None and (atom - low) % step:
            raise BadDomain(
                f"{name}: the atom {edge_text(atom)} is not {edge_text(low)} + j steps of {edge_text(step)}; drop it, "
                "or declare a smaller step"
            )


def _edges(name: str, edges: object, between: Between, whole: bool) -> tuple[Fraction, ...]:
    if not isinstance(edges, (list, tuple)):
        raise BadDomain(f"{name}: edges is a list of numbers")
    cuts, (low, high) = [fraction_of(e, name) for e in edges], between
    if whole and any(c.denominator != 1 for c in cuts):
        raise BadDomain(f"{name}: the edges of an integer are whole numbers")
    return tuple(c for c in cuts if c not in (low, high + 1 if whole else high))


def _equal(name: str, given: object, between: Between, whole: bool) -> tuple[Fraction, ...]:
    """Inner edges of so many bins of equal width."""
    bins, (low, high) = whole_number(given, f"{name}: bins"), between
    values = int(high - low) + 1
    most = min(values, MOST_CODES) if whole else MOST_CODES
    if not 1 <= bins <= most:
        raise BadDomain(f"{name}: bins must be at least 1 and at most {most}, not {bins}")
    if whole:
        return tuple(low + Fraction(values * i, bins).__ceil__() for i in range(1, bins))
    return tuple(low + (high - low) * i / bins for i in range(1, bins))


def whole_number(value: object, name: str) -> int:
    """A whole number that a setting gives."""
    number = fraction_of(value, name)
    if number.denominator != 1 or abs(number) > 10**9:
        raise BadDomain(f"{name} must be a whole number, not {str(value)[:40]!r}")
    return int(number)


def fraction_of(value: object, name: str) -> Fraction:
    """The number that a setting gives, exactly."""
    try:
        # A short text such as 1e999999999 would otherwise become a number that fills the memory.
        power = str(value).lower().partition("e")[2]
        if isinstance(value, (bool, Mapping, list)) or len(str(value)) > LONGEST or abs(int(power or 0)) > 400:
            raise ValueError
        number = Fraction(str(value))
        float(number)  # rows are compared as floats, so a bound must be one
        return number
    except (ValueError, ZeroDivisionError, OverflowError):
        raise BadDomain(f"{name}: expected a number, not {str(value)[:40]!r}") from None
