"""Events: from a comparison in a question to the codes of an attribute for which it holds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from ..attributes import Attribute, Binned, Boolean, Integer, edge_text
from ..errors import BadQuestion, CutInsideBin, listed, suggestion
from .predicate import Event

__all__ = ["bare", "compare", "is_missing", "one_of"]

Value = Fraction | str | bool
OPPOSITE = {"<": ">=", "<=": ">"}


def bare(position: int, attribute: Attribute) -> Event:
    """A boolean attribute on its own."""
    if not isinstance(attribute, Boolean):
        raise BadQuestion(
            f"{attribute.name} is not true or false on its own; compare it, for example "
            f"{attribute.name} = '{attribute.labels[0]}'"
        )
    return _event(position, attribute, {1})


def is_missing(position: int, attribute: Attribute) -> Event:
    """IS NULL: known for every row."""
    true = tuple(code == attribute.missing_code for code in range(attribute.size))
    return Event(position, true, tuple(not t for t in true))


def compare(position: int, attribute: Attribute, operator: str, value: Value) -> Event:
    """`attribute operator value`."""
    if operator in ("=", "<>"):
        event = one_of(position, attribute, [value])
        return event if operator == "=" else Event(position, event.false, event.true)
    if not isinstance(attribute, Binned):
        raise BadQuestion(f"{attribute.name} has no order, so {operator} means nothing; use =, <> or IN")
    if not isinstance(value, Fraction):
        raise BadQuestion(f"{attribute.name} is a number; compare it with a number, not '{value}'")
    below = operator in ("<", "<=")
    first = _bin_from(attribute, OPPOSITE[operator] if below else operator, value, shown=operator)
    event = _event(position, attribute, set(range(first, len(attribute.values))))
    return Event(position, event.false, event.true) if below else event


def one_of(position: int, attribute: Attribute, values: Sequence[Value]) -> Event:
    """The attribute has one of the values."""
    codes = {code for value in values for code in _codes(attribute, value)}
    special = codes - set(range(len(attribute.values)))
    event = _event(position, attribute, codes)
    if special:  # a question that names `other` or `missing` knows where these rows are
        event = Event(position, event.true, tuple(not t for t in event.true))
    return event


def _event(position: int, attribute: Attribute, codes: set[int]) -> Event:
    """True on `codes`, false on the other declared values; missing is unknown, as in SQL.

    The bin for undeclared values is false for listed values but unknown for numbers, which may lie anywhere.
    """
    known = len(attribute.values) + (attribute.other and not isinstance(attribute, Binned))
    true = tuple(code in codes for code in range(attribute.size))
    false = tuple(code < known and code not in codes for code in range(attribute.size))
    return Event(position, true, false)


def _codes(attribute: Attribute, value: Value) -> set[int]:
    if isinstance(attribute, Binned) and isinstance(value, Fraction):
        return _bin_of(attribute, value)
    text = ("true" if value else "false") if isinstance(value, bool) else _text(value)
    if text in attribute.labels:
        return {attribute.labels.index(text)}
    found = attribute.place(text)
    if found is not None and not isinstance(attribute, Binned):
        return {found}
    together = " (undeclared values are counted together as 'other')" if attribute.other else ""
    raise BadQuestion(
        f"{attribute.name} has no value '{text}'{together}; it has {listed(attribute.labels)}."
        f"{suggestion(text, attribute.labels)}"
    )


def _text(value: Fraction | str) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if value.denominator == 1 else repr(float(value))


def _bin_of(attribute: Binned, value: Fraction) -> set[int]:
    """The bin that holds this one value and nothing else."""
    for code, (first, last) in enumerate(attribute.reach()):
        if first == last == value:
            return {code}
        if first <= value <= last:
            raise CutInsideBin(
                name=attribute.name,
                cut=f"= {edge_text(value)}",
                below=_edge(attribute, code),
                above=_edge(attribute, code + 1),
            )
    raise BadQuestion(
        f"{attribute.name} = {edge_text(value)} lies outside {edge_text(attribute.low)} to {edge_text(attribute.high)}"
    )


def _bin_from(attribute: Binned, operator: str, value: Fraction, *, shown: str) -> int:
    """The first bin above the cut `>= value` or `> value`; `shown` is the operator the user typed."""
    edges, cut = attribute.edges, _snapped(attribute, value)
    if isinstance(attribute, Integer):
        cut = Fraction(ceil(value) if operator == ">=" else floor(value) + 1)
        if cut == edges[-1]:
            return len(edges) - 1
    elif operator == ">" and cut == edges[-1]:
        return len(edges) - 1
    if cut > edges[-1]:
        return len(edges) - 1
    if cut < edges[0] or (cut == edges[0] and (operator == ">=" or isinstance(attribute, Integer))):
        return 0
    # A real number's bin holds its lower edge, so `> edge` would have to split off a single point.
    if cut in edges[:-1] and (operator == ">=" or isinstance(attribute, Integer)):
        return edges.index(cut)
    # The last bin holds its upper bound, so that bound is no place to cut either.
    last = len(edges) - 2
    place = max(i for i, edge in enumerate(edges) if edge <= cut) if cut < edges[-1] else max(last - 1, 0)
    raise CutInsideBin(
        name=attribute.name,
        cut=f"{shown} {edge_text(value)}",
        below=_edge(attribute, place),
        above=_edge(attribute, place + 1),
    )


def _snapped(attribute: Binned, value: Fraction) -> Fraction:
    """The edge that is printed like this value, if any: an edge at a third has no exact decimal."""
    return next((edge for edge in attribute.edges if edge_text(edge) == edge_text(value)), value)


def _edge(attribute: Binned, place: int) -> str:
    return edge_text(attribute.edges[place])
