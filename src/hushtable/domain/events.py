"""Events: from a comparison in a question to the codes of an attribute for which it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from ..errors import BadQuestion, CutInsideBin
from ..words import listed, suggestion
from .attributes import Attribute, Boolean, Ordered, canonical, edge_text
from .predicate import Event

__all__ = ["Say", "Value", "bare", "compare", "equals", "event_on", "how_it_is_read", "is_missing", "one_of"]

# A literal of a question; None is SQL's NULL.
Value = Fraction | str | bool | None
# Takes down a remark on the question, which the answer carries as a note.
Say = Callable[[str], None]
OPPOSITE = {"<": ">=", "<=": ">"}


def bare(position: int, attribute: Attribute) -> Event:
    """A boolean attribute on its own."""
    if not isinstance(attribute, Boolean):
        raise BadQuestion(
            f"{attribute.name} is not true or false on its own; compare it, for example "
            f"{attribute.name} = '{attribute.labels[0]}'"
        )
    return event_on(position, attribute, {1})


def is_missing(position: int, attribute: Attribute) -> Event:
    """IS NULL: known for every row."""
    true = tuple(code == attribute.missing_code for code in range(attribute.size))
    return Event(position, true, tuple(not t for t in true))


def compare(position: int, attribute: Attribute, operator: str, value: Value, say: Say) -> Event:
    """`attribute operator value`."""
    if operator in ("=", "<>"):
        event = equals(position, attribute, value, say)
        return event if operator == "=" else Event(position, event.false, event.true)
    if not isinstance(attribute, Ordered):
        raise BadQuestion(f"{attribute.name} has no order, so {operator} means nothing; use =, <> or IN")
    if value is None:
        return _never_known(position, attribute, say)
    number = None if isinstance(value, bool) else attribute.number(value)
    if number is None:
        kind, wanted = attribute.wanted.partition(" such")[0], attribute.wanted
        raise BadQuestion(f"{attribute.name} is {kind}; compare it with {wanted}, not '{value}'")
    below = operator in ("<", "<=")
    first = _bin_from(attribute, OPPOSITE[operator] if below else operator, number, shown=operator)
    event = event_on(position, attribute, set(range(first, len(attribute.values))))
    return Event(position, event.false, event.true) if below else event


def one_of(position: int, attribute: Attribute, values: Sequence[Value], say: Say) -> Event:
    """The attribute has one of the values: `=` joined by OR, so that a NULL among them leaves NOT IN never true."""
    parts = [equals(position, attribute, value, say) for value in values]
    true = tuple(any(part.true[code] for part in parts) for code in range(attribute.size))
    return Event(position, true, tuple(all(part.false[code] for part in parts) for code in range(attribute.size)))


def equals(position: int, attribute: Attribute, value: Value, say: Say) -> Event:
    """`attribute = value`, in three values as in SQL: of a missing value no comparison is true or false.

    A value that no row can have is a question all the same: nothing is true, and a remark says why.
    """
    if value is None:
        return _never_known(position, attribute, say)
    code = _code(attribute, value, say)
    if code is None:
        return event_on(position, attribute, set())
    if code == attribute.missing_code:
        return is_missing(position, attribute)
    if code == attribute.other_code:  # whoever names it knows where its rows are
        true = tuple(c == code for c in range(attribute.size))
        return Event(position, true, tuple(c < len(attribute.values) for c in range(attribute.size)))
    return event_on(position, attribute, {code})


def _never_known(position: int, attribute: Attribute, say: Say) -> Event:
    say(f"no comparison with NULL is ever true in SQL; ask {attribute.name} IS NULL for missing values")
    nowhere = (False,) * attribute.size
    return Event(position, nowhere, nowhere)


def event_on(position: int, attribute: Attribute, codes: set[int]) -> Event:
    """True on `codes`, false on the other declared values; missing is unknown, as in SQL.

    The bin for undeclared values is false for listed values but unknown for numbers, which may lie anywhere.
    """
    known = len(attribute.values) + (attribute.other and not isinstance(attribute, Ordered))
    true = tuple(code in codes for code in range(attribute.size))
    false = tuple(code < known and code not in codes for code in range(attribute.size))
    return Event(position, true, false)


def _code(attribute: Attribute, value: Fraction | str | bool, say: Say) -> int | None:
    """The one code that a value means, or None, with a remark, where no row can have it."""
    text = ("true" if value else "false") if isinstance(value, bool) else _text(value)
    if text in attribute.labels and not isinstance(value, Fraction):
        return attribute.labels.index(text)
    if text != text.strip() or not text:
        say(how_it_is_read(attribute, text))
        return None
    if isinstance(attribute, Ordered):
        number = None if isinstance(value, bool) else attribute.number(value)
        if number is not None:
            return _bin_of(attribute, number, say)
    elif (code := attribute.place(text)) is not None:
        return code
    labels = f"it has {listed(attribute.labels)}.{suggestion(text, attribute.labels)}"
    if attribute.other and not isinstance(attribute, Ordered):
        raise _unknowable(attribute, f"'{text}'", labels)
    # Not a value that no row has but a mistake, in SQL too: text that spells no number is compared with a number.
    if isinstance(attribute, (Ordered, Boolean)) or isinstance(value, bool):
        raise BadQuestion(f"{attribute.name} has no value '{text}'; {labels}")
    say(f"'{text}' is not a declared value of {attribute.name}, so no row is counted for it; {labels}")
    return None


def how_it_is_read(attribute: Attribute, text: str) -> str:
    """Why no row has a text that is blank or has spaces around it."""
    name, inner = attribute.name, canonical(text)
    better = f"{name} IS NULL, which is what a blank one is read as" if inner is None else f"{name} = '{inner}'"
    return f"values are read without spaces around them, so no row has {name} = '{text}'; ask {better}"


def _unknowable(attribute: Attribute, value: str, labels: str) -> BadQuestion:
    """Rows may have it, and the file cannot tell how many."""
    return BadQuestion(
        f"{value} is not a declared value of {attribute.name}, and all undeclared values are counted together, so it "
        f"cannot be told from the others; ask {attribute.name} = 'other' for all of them; {labels}"
    )


def _text(value: Fraction | str) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if value.denominator == 1 else repr(float(value))


def _bin_of(attribute: Ordered, value: Fraction, say: Say) -> int | None:
    """The bin that holds this one value and nothing else; None, with a remark, where no row has the value."""
    for code, (first, last) in enumerate(attribute.bin_bounds()):
        if first == last == value:
            return code
        if first <= value <= last and not (attribute.steps and value.denominator != 1):
            raise CutInsideBin(
                name=attribute.name,
                cut=f"= {attribute.text(value)}",
                below=_edge(attribute, code),
                above=_edge(attribute, code + 1),
            )
    place = "is a whole number"
    if not attribute.low <= value <= attribute.high:
        place = f"lies between {attribute.text(attribute.low)} and {attribute.text(attribute.high)}"
    if attribute.other:
        raise _unknowable(attribute, attribute.text(value), f"{attribute.name} {place}")
    say(f"{attribute.name} {place}, so no row is counted for {attribute.name} = {attribute.text(value)}")
    return None


def _bin_from(attribute: Ordered, operator: str, value: Fraction, *, shown: str) -> int:
    """The first bin above the cut `>= value` or `> value`; `shown` is the operator the user typed."""
    edges, cut = attribute.edges, _snapped(attribute, value)
    if attribute.steps:
        cut = Fraction(ceil(value) if operator == ">=" else floor(value) + 1)
        if cut == edges[-1]:
            return len(edges) - 1
    elif operator == ">" and cut == edges[-1]:
        return len(edges) - 1
    if cut > edges[-1]:
        return len(edges) - 1
    if cut < edges[0] or (cut == edges[0] and (operator == ">=" or attribute.steps)):
        return 0
    # A real number's bin holds its lower edge, so `> edge` would have to split off a single point.
    if cut in edges[:-1] and (operator == ">=" or attribute.steps):
        return edges.index(cut)
    # The last bin holds its upper bound, so that bound is no place to cut either.
    last = len(edges) - 2
    place = max(i for i, edge in enumerate(edges) if edge <= cut) if cut < edges[-1] else max(last - 1, 0)
    raise CutInsideBin(
        name=attribute.name,
        cut=f"{shown} {attribute.text(value)}",
        below=_edge(attribute, place),
        above=_edge(attribute, place + 1),
    )


def _snapped(attribute: Ordered, value: Fraction) -> Fraction:
    """The edge that is printed like this value, if any: an edge at a third has no exact decimal."""
    return next((edge for edge in attribute.edges if edge_text(edge) == edge_text(value)), value)


def _edge(attribute: Ordered, place: int) -> str:
    return attribute.text(attribute.edges[place])
