"""Reading a domain: what its file says of the table, checked line by line before any of it is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from ..budget import Neighbours, Unit
from ..errors import BadDomain
from ..words import listed, suggestion
from .attributes import Attribute, Binned, Boolean, Integer, Missing, Number, Open, canonical
from .decision_list import DecisionList
from .reading_dates import read_date, read_time
from .reading_numbers import read_bounds, read_number, whole_number
from .reading_vertices import read_vertex, with_like
from .reading_words import read_category, read_codes, read_labels

__all__ = ["check_settings", "read_attributes", "read_means", "read_table", "read_unit"]

ALL = {"other", "missing", "missing_values"}
NUMBER = ALL | {"between", "edges", "bins", "step", "atoms", "cells"}
OPTIONS = {
    "boolean": ALL | {"labels"},
    "category": ALL | {"values", "labels"},
    "integer": NUMBER,
    "number": NUMBER,
    "date": ALL | {"between", "edges", "bins", "format"},
    "time": ALL | {"between", "edges", "bins"},
    "open": set[str](),
    "decision_list": {"inputs", "length", "missing"},
    "vertex": {"values", "between", "like"},
}
KINDS = tuple(OPTIONS)


def check_settings(given: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    """BadDomain where a mapping has a key that means nothing, with the one that may have been meant."""
    for key in given:
        if key not in allowed:
            raise BadDomain(
                f"{where} has an unknown setting '{key}'; allowed: {listed(allowed)}.{suggestion(str(key), allowed)}"
            )


def read_table(parts: Mapping[str, Any]) -> str:
    """The name of the table."""
    table = canonical(parts.get("table"))
    if table is None or isinstance(parts.get("table"), (Mapping, list)):
        raise BadDomain("the domain has no table name; add a line `table: NAME`")
    return table


def read_means(given: Any, attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """The columns whose exact sums are measured: numbers between two bounds, each named once."""
    numbers = [a.name for a in attributes if isinstance(a, Binned)]
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise BadDomain(f"means is a list of columns, such as [{', '.join(numbers[:2]) or 'age'}]")
    for name in given:
        if name not in numbers:
            known = f"{listed(numbers) or 'none'}.{suggestion(name, numbers)}"
            raise BadDomain(f"means: '{name}' is no column of numbers; there are {known}")
    if len(set(given)) < len(given):
        raise BadDomain("means names a column twice; name each column once")
    return tuple(given)


def read_attributes(parts: Mapping[str, Any]) -> tuple[Attribute, ...]:
    """The columns, in the order of the file."""
    attributes = parts.get("attributes")
    if not isinstance(attributes, Mapping) or not attributes:
        raise BadDomain("the domain has no attributes; add `attributes:` with one line a column")
    codes = read_codes(parts.get("missing_values", ()), "missing_values")
    built = tuple(_attribute(_name(name), given, codes) for name, given in with_like(attributes).items())
    if len({a.name for a in built}) < len(built):
        raise BadDomain("two attributes have the same name; name each column once")
    return built


def read_unit(parts: Mapping[str, Any], names: Sequence[str]) -> Unit:
    """Who is protected: one row a person unless the domain says otherwise; `names` are those of the attributes."""
    unit = parts.get("unit", {})
    if not isinstance(unit, Mapping):
        raise BadDomain("unit is written {rows: 1}, at most this many rows per person, or {person: COLUMN, rows: 3}")
    check_settings(unit, ["person", "rows"], "unit")
    if unit.get("rows") in ("auto", "best", "max"):
        raise BadDomain(
            "unit rows is a number that you choose by what is publicly known; it is not looked for in the rows, which "
            "would tell of them"
        )
    rows = whole_number(unit.get("rows", 1), "unit rows")
    if rows < 1:
        raise BadDomain(f"unit rows must be at least 1, not {rows}")
    neighbours = parts.get("neighbours", "replace")
    if neighbours not in get_args(Neighbours):
        raise BadDomain(f"neighbours must be replace or add-remove, not {str(neighbours)[:40]!r}")
    return Unit(rows=rows, neighbours=cast(Neighbours, neighbours), person=_person(unit, names))


def _person(unit: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The column that tells people apart; it is private, so it is no attribute."""
    if "person" not in unit:
        return None
    person = unit["person"]
    if not isinstance(person, str) or not person.strip() or not person.isprintable():
        raise BadDomain(f"unit person is the name of the column that tells people apart, not {str(person)[:40]!r}")
    if "rows" not in unit:
        raise BadDomain(
            f"unit names {person} but not how many rows of each person are kept; write {{person: {person}, rows: 3}}"
        )
    if person in names:
        raise BadDomain(
            f"{person} tells people apart (unit person), so it cannot be an attribute too: leave it out of attributes"
        )
    return person


def _attribute(name: str, given: object, codes: tuple[str, ...]) -> Attribute:
    if not isinstance(given, Mapping) or "kind" not in given:
        raise BadDomain(f"{name}: write {{kind: ...}} with one of {', '.join(KINDS)}")
    kind = str(given["kind"])
    if kind not in KINDS:
        raise BadDomain(f"{name}: unknown kind '{kind}'; one of {', '.join(KINDS)}.{suggestion(kind, KINDS)}")
    check_settings(given, sorted(OPTIONS[kind] | {"kind"}), name)
    missing = str(given.get("missing", "category"))
    if missing not in ("category", "error"):
        raise BadDomain(f"{name}: missing must be category or error, not '{missing}'")
    other, how = _flag(given.get("other", False), name), cast(Missing, missing)
    if kind in ("open", "decision_list", "vertex"):
        return _uncoded(name, kind, given, how)
    if "missing_values" in given:
        codes = read_codes(given["missing_values"], f"{name}: missing_values")
    shared: dict[str, Any] = {"other": other, "missing": how, "missing_values": codes}
    if kind == "boolean":
        return Boolean(name=name, labels_of=read_labels(name, given, ("true", "false")), **shared)
    if kind == "category":
        return read_category(name, given, shared, lambda: _names(name, given, "values"))
    if kind in ("date", "time"):
        return read_date(name, given, shared) if kind == "date" else read_time(name, given, shared)
    return read_number(name, given, Integer if kind == "integer" else Number, shared)


def _uncoded(name: str, kind: str, given: Mapping[str, Any], how: Missing) -> Attribute:
    if kind == "open":
        return Open(name=name)
    if kind == "vertex":
        ends = read_bounds(name, given["between"]) if "between" in given else None
        return read_vertex(name, given, ends, lambda: _names(name, given, "values"))
    length = whole_number(given.get("length", 0), f"{name}: length")
    return DecisionList(name=name, missing=how, inputs=_names(name, given, "inputs"), length=length)


def _name(name: object) -> str:
    text = str(name)
    if not text.strip() or not text.isprintable():
        raise BadDomain(f"an attribute's name is printable text on one line, not {text[:40]!r}")
    return text


def _names(name: str, given: Mapping[str, Any], setting: str) -> tuple[str, ...]:
    values = given.get(setting)
    if not isinstance(values, (list, tuple)):
        raise BadDomain(f"{name}: a {given['kind']} needs `{setting}: [a, b, ...]`")
    texts = [canonical(v) for v in values if not isinstance(v, (Mapping, list))]
    if len(texts) < len(values) or None in texts:
        raise BadDomain(f"{name}: each of the {setting} is one word or number, and none is blank")
    return tuple(t for t in texts if t is not None)


def _flag(value: object, name: str) -> bool:
    text = (canonical(value) or "").lower()
    if text not in ("true", "false"):
        raise BadDomain(f"{name}: other is true or false, not {str(value)[:40]!r}")
    return text == "true"
