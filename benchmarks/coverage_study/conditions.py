"""Conditions: random questions about columns with codes, and their exact answers from DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np

from .asked import Asked, span_of
from .tables import Attributes, Table

__all__ = ["Truth", "averages", "cells", "fractions", "literal", "plain_averages", "wide"]

JOINS = ("{} AND {}", "{} OR {}", "{} AND NOT ({})")


class Truth:
    """Not private: the rows, asked in SQL."""

    def __init__(self, table: Table) -> None:
        self._base = duckdb.connect(config={"threads": 1})
        self._base.register("t", table.rows)
        self.rows = table.rows.num_rows

    def number(self, what: str, where: str = "true") -> float:
        """One number; nan where there is none."""
        found = self._base.execute(f"SELECT {what} FROM t WHERE {where}").fetchone()
        return float("nan") if found is None or found[0] is None else float(found[0])

    def groups(self, what: str, columns: list[str], where: str = "true") -> dict[tuple[str, ...], float]:
        """A number for every combination of labels that occurs, and has one."""
        names = ", ".join(columns)
        found = self._base.execute(f"SELECT {names}, {what} FROM t WHERE {where} GROUP BY {names}").fetchall()
        return {tuple(map(_label, line[:-1])): float(line[-1]) for line in found if line[-1] is not None}


def _label(value: Any) -> str:
    if value is None:
        return "missing"
    return str(value).lower() if isinstance(value, bool) else str(value)


def literal(name: str, attribute: dict[str, Any], source: np.random.Generator) -> str:
    """A condition on one column that its codes can answer."""
    kind = attribute["kind"]
    if kind == "boolean":
        return name if source.random() < 0.7 else f"NOT {name}"
    if kind == "category":
        values = source.permutation(attribute["values"])
        if len(values) > 3 and source.random() < 0.5:
            return f"{name} IN ('{values[0]}', '{values[1]}')"
        return f"{name} = '{values[0]}'"
    low, high = attribute["between"]
    if "edges" in attribute:
        return f"{name} >= {source.choice(attribute['edges'])}"
    cut = int(source.integers(low + 1, high + 1))
    return f"{name} {source.choice(['>=', '<', '='])} {cut}"


def fractions(table: Table, truth: Truth, source: np.random.Generator, *, many: int, width: int = 2) -> list[Asked]:
    """Conditions on `width` columns, each as a fraction and as a count."""
    found = []
    for _ in range(many):
        names = source.permutation(list(table.attributes))[:width]
        text = literal(names[0], table.attributes[names[0]], source)
        for name in names[1:]:
            text = source.choice(JOINS).format(text, literal(name, table.attributes[name], source))
            text = f"({text})"
        exact = truth.number("count(*)", text)
        found.append(Asked("fraction", text, exact / truth.rows, span=(0, 1)))
        found.append(Asked("count", text, exact, count=True, span=(0, truth.rows)))
    return found


def cells(table: Table, truth: Truth, source: np.random.Generator, *, many: int, width: int = 2) -> list[Asked]:
    """Whole tables of `width` columns that are not in bins, as fractions and as counts."""
    plain = [name for name, given in table.attributes.items() if "edges" not in given]
    found = []
    for _ in range(many):
        pair = list(source.permutation(plain)[:width])
        text = f"SELECT {', '.join(pair)}, count(*) FROM t GROUP BY {', '.join(pair)}"
        exact = truth.groups("count(*)", pair)
        shares = {labels: number / truth.rows for labels, number in exact.items()}
        found.append(Asked("cell", text, shares, span=(0, 1)))
        found.append(Asked("cell count", text, exact, count=True, span=(0, truth.rows)))
    return found


def averages(table: Table, truth: Truth, source: np.random.Generator, *, many: int) -> list[Asked]:
    """Averages of all rows that have a value, of those with a condition, and of groups."""
    found = []
    for name, given in _numbers(table.attributes).items():
        kind, span = ("average in bins" if "edges" in given else "average"), span_of(given)
        others = [other for other in table.attributes if other != name]
        for _ in range(many):
            first, second = source.permutation(others)[:2]
            where = literal(first, table.attributes[first], source)
            exact = truth.number(f"avg({name})", where)
            text = f"SELECT avg({name}) FROM t WHERE {where}"
            found.append(Asked(kind, text, exact, span=span, may_refuse=True))
            if "edges" in table.attributes[second]:
                continue
            text = f"SELECT {second}, avg({name}) FROM t GROUP BY {second}"
            groups = truth.groups(f"avg({name})", [second])
            found.append(Asked(f"{kind} of groups", text, groups, span=span, may_refuse=True))
    return found


def plain_averages(table: Table, truth: Truth) -> list[Asked]:
    """Averages of all rows that have a value."""
    found = []
    for name, given in _numbers(table.attributes).items():
        kind, exact = ("average in bins" if "edges" in given else "average"), truth.number(f"avg({name})")
        found.append(Asked(kind, f"SELECT avg({name}) FROM t", exact, span=span_of(given), may_refuse=True))
    return found


def _numbers(attributes: Attributes) -> dict[str, dict[str, Any]]:
    """The first column with single values, and the first in bins."""
    plain = [name for name, given in attributes.items() if given["kind"] == "integer" and "edges" not in given][:1]
    binned = [name for name, given in attributes.items() if "edges" in given][:1]
    return {name: attributes[name] for name in plain + binned}


def wide(table: Table, truth: Truth, source: np.random.Generator, *, many: int, width: int) -> list[Asked]:
    """Any, all and at least r of more columns than were measured together; the columns have no gaps."""
    found = []
    for _ in range(many):
        names = source.permutation(list(table.attributes))[:width]
        parts = [literal(name, table.attributes[name], source) for name in names]
        for least in (1, 2, width):
            text = f"at_least({least}, {', '.join(parts)})"
            sql = " + ".join(f"CAST(({part}) AS INTEGER)" for part in parts)
            exact = truth.number("count(*)", f"{sql} >= {least}")
            found.append(Asked("wide fraction", text, exact / truth.rows, span=(0, 1)))
            found.append(Asked("wide count", text, exact, count=True, span=(0, truth.rows)))
    return found
