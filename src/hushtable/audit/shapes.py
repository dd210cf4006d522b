"""Shapes: the small domains that specimens have; small, so that all rows can be tried and releases are quick."""

from __future__ import annotations

from typing import Any

from ..budget import Neighbours
from ..domain import Domain

__all__ = [
    "BINARY",
    "CLOSED",
    "EDGES",
    "FINE",
    "LONG_RULES",
    "MIXED",
    "OPEN",
    "RANGES",
    "REAL",
    "RELATIONS",
    "RULES",
    "SIX_FACTS",
    "SMOOTH",
    "Attributes",
    "persons",
    "shape",
]

Attributes = dict[str, Any]
SIX_FACTS: Attributes = {
    name: {"kind": "boolean", "missing": "error"} for name in ("near", "cheap", "new", "old", "far", "red")
}
BINARY: Attributes = {name: {"kind": "boolean", "missing": "error"} for name in ("near", "cheap", "new")}
MIXED: Attributes = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18]},
    "sex": {"kind": "category", "values": ["f", "m"], "missing": "error"},
    "region": {"kind": "category", "values": ["north", "south"], "other": True, "missing": "error"},
}
# Every column takes values that are not declared, and missing ones: too many cells to try all pairs of rows often.
CLOSED: Attributes = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
    "sex": {"kind": "category", "values": ["female", "male"], "other": True},
    "smoker": {"kind": "boolean", "other": True},
}
OPEN: Attributes = {"url": {"kind": "open"}}
RULES: Attributes = {"choice": {"kind": "decision_list", "inputs": ["near", "cheap", "new"], "length": 2}}
# More rules than have a polynomial for every pattern of decisions.
LONG_RULES: Attributes = {
    "choice": {"kind": "decision_list", "inputs": ["near", "cheap", "new", "a", "b", "c", "d", "e", "f"], "length": 20}
}
EDGES: Attributes = {"caller": {"kind": "vertex", "between": [1, 5]}, "called": {"kind": "vertex", "like": "caller"}}
REAL: Attributes = {
    "age": {"kind": "integer", "between": [18, 98], "bins": 4},
    "bmi": {"kind": "number", "between": [14, 54], "bins": 4},
}
# Numbers of which only the range is declared.
RANGES: Attributes = {
    "pay": {"kind": "integer", "between": [0, 20_000], "missing": "error"},
    "bmi": {"kind": "number", "between": [14, 54], "step": "0.1", "atoms": [20]},
}
SMOOTH: Attributes = {
    "age": {"kind": "integer", "between": [0, 99], "bins": 4},
    "sex": {"kind": "category", "values": ["female", "male"], "other": True},
}
# Many values, so that among them are some whose rounding moves them far.
FINE: Attributes = {name: attribute | {"bins": 16} for name, attribute in REAL.items()}
RELATIONS: tuple[Neighbours, ...] = ("replace", "add-remove")


def shape(
    attributes: Attributes, neighbours: Neighbours = "replace", *, rows: int = 1, person: str | None = None
) -> Domain:
    """A domain of these attributes; with `person` people are told apart by that column."""
    unit = {"rows": rows} | ({"person": person} if person else {})
    return Domain.from_dict({"table": "t", "neighbours": neighbours, "unit": unit, "attributes": attributes})


def persons(rows: int, person: str | None = None) -> str:
    """The end of a case's name, where a person may have several rows, or any number up to so many."""
    if person:
        return f", 0 to {rows} rows a person"
    return f", {rows} rows a person" if rows > 1 else ""
