"""Reading dates and times: what a domain file says of their bounds and bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ..errors import BadDomain
from ..words import suggestion
from .attributes import MOST_CODES
from .dates import DATE_BINS, DAY, TIME_BINS, Date, Time, calendar_cuts, day_number, seconds_of

__all__ = ["read_date", "read_time"]


def read_date(name: str, given: Mapping[str, Any], shared: Mapping[str, Any]) -> Date:
    """A column of days; bins by month unless the domain says otherwise."""
    low, high = _ends(name, given, day_number, "[2024-01-01, 2024-12-31]")
    style = str(given.get("format", "iso"))
    if "edges" in given:
        return Date(name=name, low=low, high=high, cuts=_edges(name, given, day_number), style=style, **shared)
    bins = _chosen(name, given, "month", tuple(DATE_BINS))
    cuts = calendar_cuts(int(low), int(high), bins)
    if len(cuts) >= MOST_CODES:
        raise BadDomain(f"{name}: more than {MOST_CODES:,} bins of a {bins}; use longer ones")
    return Date(name=name, low=low, high=high, cuts=cuts, bins=bins, style=style, **shared)


def read_time(name: str, given: Mapping[str, Any], shared: Mapping[str, Any]) -> Time:
    """A column of times of day; bins by hour unless the domain says otherwise."""
    between = given.get("between", ["00:00", "23:59:59"])
    low, high = _ends(name, {"between": between}, _second, "['08:00', '18:00']")
    if "edges" in given:
        return Time(name=name, low=low, high=high, cuts=_edges(name, given, _second), **shared)
    bins = _chosen(name, given, "hour", tuple(TIME_BINS))
    cuts = tuple(Fraction(s) for s in range(0, DAY, TIME_BINS[bins]) if low < s <= high)
    return Time(name=name, low=low, high=high, cuts=cuts, bins=bins, **shared)


def _second(value: object) -> int | None:
    """A time; a number is one too, because YAML reads 8:30 without quotes as minutes."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and int(text) < DAY else seconds_of(value)


def _ends(
    name: str, given: Mapping[str, Any], read: Callable[[object], int | None], example: str
) -> tuple[Fraction, Fraction]:
    between = given.get("between")
    if not isinstance(between, (list, tuple)) or len(between) != 2:
        raise BadDomain(f"{name}: needs `between: {example}`")
    low, high = (_one(name, end, read, example) for end in between)
    if low >= high:
        raise BadDomain(f"{name}: between must ascend, not [{between[0]}, {between[1]}]")
    return low, high


def _edges(name: str, given: Mapping[str, Any], read: Callable[[object], int | None]) -> tuple[Fraction, ...]:
    if "bins" in given:
        raise BadDomain(f"{name}: give edges or bins, not both")
    edges = given["edges"]
    if not isinstance(edges, (list, tuple)):
        raise BadDomain(f"{name}: edges is a list")
    return tuple(_one(name, edge, read, "the first value of each further bin") for edge in edges)


def _one(name: str, value: object, read: Callable[[object], int | None], example: str) -> Fraction:
    number = read(value)
    if number is None:
        raise BadDomain(f"{name}: expected {example}, not {str(value)[:40]!r}")
    return Fraction(number)


def _chosen(name: str, given: Mapping[str, Any], usual: str, allowed: tuple[str, ...]) -> str:
    bins = str(given.get("bins", usual))
    if bins not in allowed:
        raise BadDomain(f"{name}: bins is one of {', '.join(allowed)}, not '{bins[:40]}'.{suggestion(bins, allowed)}")
    return bins
