"""Impossible combinations: the rules of a domain, compiled to tables of the classes of codes they tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadDomain
from ..words import shortened
from .column_pairs import check_comparable, surely
from .domain import Domain
from .predicate import Event, Predicate
from .rule_text import RuleText, read_rule_texts, rule_texts

__all__ = ["Rule", "checked_rules", "events_of", "rules_of"]

Map = NDArray[np.int64]
MOST_COMBINATIONS = 4_000_000


@dataclass(frozen=True, eq=False)
class Rule:
    """Some attributes, a map from code to class for each, and the classes' combinations that cannot be."""

    members: tuple[int, ...]
    classes: tuple[Map, ...]
    banned: NDArray[np.bool_]
    text: str = ""
    """As declared."""

    def holds(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """For every row (a column of `codes`, as codes of the maps) whether it is impossible."""
        places = tuple(c[codes[m]] for m, c in zip(self.members, self.classes, strict=True))
        return np.asarray(self.banned[places])


def checked_rules(parts: Mapping[str, Any], domain: Domain) -> Domain:
    """The domain with what `impossible` and `always` of its file say, or BadDomain that says which rule is wrong."""
    from .consistency import check_consistent

    found = read_rule_texts(parts, domain)
    ruled = replace(domain, impossible=found["impossible"], always=found["always"])
    for rule in rule_texts(ruled):
        classes = _classes(rule, ruled)
        if prod(int(own.max()) + 1 for own in classes.values()) > MOST_COMBINATIONS:
            text = shortened(rule.text, 60)
            raise BadDomain(f"rule {text!r} is too wide; write it as several conditions on fewer columns")
    check_consistent(rules_of(ruled), ruled)
    return ruled


def rules_of(domain: Domain) -> tuple[Rule, ...]:
    """The domain's rules as far as codes tell, each attribute reduced to the classes its condition tells apart."""
    kept = vars(domain)  # as cached_property keeps things: compiled once
    if "_rules" not in kept:
        kept["_rules"] = tuple(_rule(text, _classes(text, domain), domain) for text in rule_texts(domain))
    found: tuple[Rule, ...] = kept["_rules"]
    return found


def _classes(rule: RuleText, domain: Domain) -> dict[int, Map]:
    """For each attribute of a rule a map from code to class: codes that no part of it tells apart share one."""
    seen: dict[int, list[NDArray[np.bool_]]] = {}
    for event in events_of(rule.predicate):
        seen.setdefault(event.position, []).extend(np.array([event.true, event.false]))
    for test in rule.tests:
        left, right = check_comparable(domain.closed[test.left], domain.closed[test.right])
        true, false = surely(test.operator, left, right)
        for place, attribute, own in ((test.left, left, (true, false)), (test.right, right, (true.T, false.T))):
            padded = np.zeros((2 * own[0].shape[1] + 1, attribute.size), dtype=bool)
            padded[:-1, : len(attribute.values)] = np.concatenate([own[0].T, own[1].T])
            padded[-1, : len(attribute.values)] = True  # bins, and not what is missing
            seen.setdefault(place, []).extend(padded)
    maps = {}
    for position in sorted(seen.keys() & set(range(len(domain.sizes)))):
        _, classes = np.unique(np.array(seen[position]), axis=1, return_inverse=True)
        if classes.max() > 0:
            maps[position] = classes.ravel().astype(np.int64)
    return maps


def events_of(predicate: Predicate | None) -> Iterator[Event]:
    """The comparisons with values that a condition is made of."""
    if isinstance(predicate, Event):
        yield predicate
    for part in (*getattr(predicate, "parts", ()), *filter(None, [getattr(predicate, "part", None)])):
        yield from events_of(part)


def _rule(rule: RuleText, maps: dict[int, Map], domain: Domain) -> Rule:
    """A rule over the classes of codes it tells apart, each tried by the first code that it has."""
    members = sorted(maps)
    first = [np.unique(maps[position], return_index=True)[1] for position in members]
    shape = [len(codes) for codes in first]
    grid = np.indices(shape).reshape(len(shape), -1)
    codes = np.zeros((len(domain.sizes), grid.shape[1]), dtype=np.uint16)
    for position, places, line in zip(members, first, grid, strict=True):
        codes[position] = places[line]
    banned = rule.by_codes(codes, domain).reshape(shape)
    return Rule(tuple(members), tuple(maps[position] for position in members), banned, rule.text)
