"""Rule counts: how many rows break each rule, and rules that the rows would keep. Not private: owner only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute, Boolean, Category, Ordered
from ..domain.column_pairs import check_comparable
from ..domain.hints import quoted_name
from ..domain.rule_text import rule_texts
from ..errors import BadQuestion
from ..vault.sources import open_source
from .true_rows import TrueRows, read_rows

__all__ = ["PROPOSED", "RuleCount", "broken_rules", "contradictions", "proposals"]

PROPOSED = (
    "rules that all rows keep. They are PRIVATE KNOWLEDGE, seen in the data: declare one only if the meaning of the "
    "columns says it, and would say it without this table"
)
Floats = NDArray[np.float64]
NOTHING_ELSE: dict[str, Any] = {"impossible": (), "always": (), "followers": (), "levels": ()}
# A combination is proposed where so many rows would have it if columns were independent; columns have so many values.
LEAST_EXPECTED, MOST_VALUES, MOST_PROPOSED = 30.0, 60, 30


@dataclass(frozen=True)
class RuleCount:
    """How many rows break a rule. Not private."""

    rule: str
    broken: int


def broken_rules(rows: TrueRows) -> list[RuleCount]:
    """Every rule of the domain, by the values themselves. Not private."""
    return [
        RuleCount(rule.text, int(rule.by_values(rows.codes, rows.numbers).sum())) for rule in rule_texts(rows.domain)
    ]


def contradictions(data: Any, domain: Domain) -> list[RuleCount]:
    """For every column that follows another how many rows say otherwise; none where it is not there. Not private."""
    source, found = open_source(data, domain), []
    for follower in domain.followers:
        root = domain.closed[follower.root]
        if {follower.name, root.name} <= set(source.columns):
            both = replace(domain, attributes=(root, follower.attribute), **NOTHING_ELSE)
            rows = read_rows(data, both)
            wrong = int((np.array(follower.codes)[rows.codes[0]] != rows.codes[1]).sum())
            found.append(RuleCount(f"{follower.name} follows {follower.of}", wrong))
    return found


def proposals(rows: TrueRows) -> list[str]:
    """What the rows would keep: functions of a column, comparisons, and values that exclude others. Not private."""
    found: list[tuple[float, str]] = []
    for one, two in combinations(range(len(rows.domain.closed)), 2):
        found += _comparison(rows, one, two)
        small = prod(rows.domain.closed[j].size for j in (one, two)) <= MOST_VALUES**2
        found += [*_implied(rows, one, two), *_implied(rows, two, one)] if small else []
    return [text for _, text in sorted(found, key=lambda pair: -pair[0])[:MOST_PROPOSED]]


def _comparison(rows: TrueRows, one: int, two: int) -> list[tuple[float, str]]:
    """`a <= b` where no row has it otherwise, and their ranges would allow it."""
    first, second = rows.domain.closed[one], rows.domain.closed[two]
    try:
        left, right = check_comparable(first, second)
    except BadQuestion:
        return []
    if left.low > right.high or right.low > left.high:
        return []
    a, b = rows.numbers(one), rows.numbers(two)
    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < LEAST_EXPECTED:
        return []
    rank = float((np.searchsorted(np.sort(a[known]), b[known]) / known.sum()).mean())
    sides = ((a <= b, one, two, 1 - rank), (b <= a, two, one, rank))
    return [
        (float(known.sum() * by_chance), f"impossible: {_name(rows, low)} > {_name(rows, high)}")
        for holds, low, high, by_chance in sides
        if holds[known].all() and known.sum() * by_chance >= LEAST_EXPECTED
    ]


def _implied(rows: TrueRows, one: int, two: int) -> list[tuple[float, str]]:
    """Values of the first column beside which the second has few of its values."""
    given, other = rows.domain.closed[one], rows.domain.closed[two]
    if not isinstance(given, (Category, Boolean)):
        return []
    table = np.zeros((given.size, other.size))
    np.add.at(table, (rows.codes[one], rows.codes[two]), 1)
    table = table[: len(given.values), : len(other.values)]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / max(table.sum(), 1)
    if _is_function(table):
        return [(float(expected.sum()), f"follows: {_name(rows, two)} is the same for all rows of each {given.name}")]
    found = []
    for code, (seen, chance) in enumerate(zip(table, expected, strict=True)):
        lost = float(chance[seen == 0].sum())
        condition = _inside(other, seen > 0, _name(rows, two))
        if lost >= LEAST_EXPECTED and seen.any() and condition:
            found.append((lost, f"always: {_equals(given, code, _name(rows, one))} -> {condition}"))
    return found


def _is_function(table: Floats) -> bool:
    """Whether each value goes with one, and they differ."""
    used = table[table.any(axis=1)]
    return len(used) > 2 and bool(((used > 0).sum(axis=1) == 1).all()) and int((used > 0).any(axis=0).sum()) > 1


def _inside(attribute: Attribute, seen: NDArray[np.bool_], name: str) -> str:
    """A condition that holds for the values seen and says less than all; empty where there is no short one."""
    places = np.flatnonzero(seen)
    if isinstance(attribute, Ordered):
        low = f"{name} >= {_edge(attribute, int(places[0]))}" if places[0] > 0 else ""
        high = f"{name} < {_edge(attribute, int(places[-1]) + 1)}" if places[-1] + 1 < len(seen) else ""
        return " AND ".join(part for part in (low, high) if part)
    if len(places) == 1:
        return _equals(attribute, int(places[0]), name)
    absent = np.flatnonzero(~seen)
    if not 0 < len(absent) <= 3:
        return ""
    return " AND ".join(f"NOT ({_equals(attribute, int(code), name)})" for code in absent)


def _edge(attribute: Ordered, place: int) -> str:
    text = attribute.text(attribute.edges[place])
    return text if attribute.kind in ("integer", "number") else f"'{text}'"


def _equals(attribute: Attribute, code: int, name: str) -> str:
    if isinstance(attribute, Boolean):
        return name if code else f"NOT {name}"
    value = attribute.values[code].replace("'", "''")
    return f"{name} = '{value}'"


def _name(rows: TrueRows, position: int) -> str:
    return quoted_name(rows.domain.closed[position].name)
