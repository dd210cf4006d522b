"""Shapes: the small domains that audits are about; small, so that all rows can be tried and releases are quick."""

from __future__ import annotations

from typing import Any

from ..budget import Neighbours
from ..domain import Domain

__all__ = ["BINARY", "FINE", "LISTS", "MIXED", "OPEN", "REAL", "RELATIONS", "persons", "shape"]

BINARY: dict[str, Any] = {f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(3)}
MIXED: dict[str, Any] = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18]},
    "sex": {"kind": "category", "values": ["f", "m"], "missing": "error"},
    "region": {"kind": "category", "values": ["north", "south"], "other": True, "missing": "error"},
}
OPEN: dict[str, Any] = {"url": {"kind": "open"}}
LISTS: dict[str, Any] = {"rule": {"kind": "decision_list", "inputs": ["near", "cheap", "new"], "length": 2}}
REAL: dict[str, Any] = {
    "age": {"kind": "integer", "between": [18, 98], "bins": 4},
    "bmi": {"kind": "number", "between": [14, 54], "bins": 4},
}
# Many values, so that among them are some whose rounding moves them far.
FINE: dict[str, Any] = {name: attribute | {"bins": 16} for name, attribute in REAL.items()}
RELATIONS: tuple[Neighbours, ...] = ("replace", "add-remove")


def shape(attributes: dict[str, Any], neighbours: Neighbours = "replace", *, rows: int = 1) -> Domain:
    """A domain of these attributes."""
    return Domain.from_dict(
        {"table": "made_up", "neighbours": neighbours, "unit": {"rows": rows}, "attributes": attributes}
    )


def persons(rows: int) -> str:
    """The end of a case's name, where a person may have several rows."""
    return f", {rows} rows a person" if rows > 1 else ""
