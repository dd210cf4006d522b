"""Impossible combinations: conditions that no row satisfies, declared in a domain and compiled to rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadDomain, HushError
from .conditions import read_condition
from .domain import Domain
from .predicate import Count, Event, Not, Predicate

__all__ = ["Rule", "checked", "rules_of"]

Map = NDArray[np.int64]
MOST_CONDITIONS, MOST_COMBINATIONS = 200, 1_000_000


@dataclass(frozen=True, eq=False)
class Rule:
    """Some attributes, a map from code to class for each, and the classes' combinations that cannot be."""

    members: tuple[int, ...]
    classes: tuple[Map, ...]
    banned: NDArray[np.bool_]

    def holds(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """For every row (a column of `codes`, as codes of the maps) whether it is impossible."""
        places = tuple(c[codes[m]] for m, c in zip(self.members, self.classes, strict=True))
        return np.asarray(self.banned[places])


def checked(given: Any, domain: Domain) -> tuple[str, ...]:
    """The conditions of a domain file, or BadDomain that says which one is wrong."""
    if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
        raise BadDomain('impossible is a list of conditions, such as ["age < 15 AND married"]')
    if len(given) > MOST_CONDITIONS:
        raise BadDomain(f"impossible has {len(given):,} conditions; at most {MOST_CONDITIONS} are allowed")
    for text in given:
        try:
            predicate = _predicate(text, domain)
        except HushError as error:
            raise BadDomain(f"impossible: {text[:60]!r}: {error}") from None
        classes = _classes(predicate)
        if prod(int(own.max()) + 1 for own in classes.values()) > MOST_COMBINATIONS:
            raise BadDomain(f"impossible: {text[:60]!r} is too wide; write it as several conditions on fewer columns")
        banned = _rule(predicate, classes, domain).banned
        if banned.all() or not banned.any():
            raise BadDomain(f"impossible: {text[:60]!r} is the same for all rows; name what cannot go together")
    return tuple(given)


def rules_of(domain: Domain) -> tuple[Rule, ...]:
    """The domain's impossible combinations, each attribute reduced to the classes its condition tells apart."""
    predicates = [_predicate(text, domain) for text in domain.impossible]
    return tuple(_rule(predicate, _classes(predicate), domain) for predicate in predicates)


def _predicate(text: str, domain: Domain) -> Predicate:
    predicate, notes = read_condition(text, domain)
    if notes:  # it names a value that no row can have, so it rules out nothing: surely not what was meant
        raise BadDomain(notes[0])
    return predicate


def _classes(predicate: Predicate) -> dict[int, Map]:
    """For each attribute of a predicate a map from code to class: codes that no part of it tells apart share one."""
    seen: dict[int, list[tuple[bool, ...]]] = {}
    for event in _events(predicate):
        seen.setdefault(event.position, []).extend((event.true, event.false))
    maps = {}
    for position in predicate.positions:
        _, classes = np.unique(np.array(seen[position]), axis=1, return_inverse=True)
        maps[position] = classes.ravel().astype(np.int64)
    return maps


def _events(predicate: Predicate) -> Iterator[Event]:
    if isinstance(predicate, Event):
        yield predicate
    elif isinstance(predicate, Not):
        yield from _events(predicate.part)
    elif isinstance(predicate, Count):
        for part in predicate.parts:
            yield from _events(part)


def _rule(predicate: Predicate, maps: dict[int, Map], domain: Domain) -> Rule:
    """A predicate over the classes of codes it tells apart, each tried by the first code that it has."""
    members, classes, first = [], [], []
    for position, own in sorted(maps.items()):
        members.append(position)
        classes.append(own)
        first.append(np.unique(own, return_index=True)[1])
    shape = [len(codes) for codes in first]
    grid = np.indices(shape).reshape(len(shape), -1)
    codes = np.zeros((len(domain.sizes), grid.shape[1]), dtype=np.int64)
    for position, places, line in zip(members, first, grid, strict=True):
        codes[position] = places[line]
    return Rule(tuple(members), tuple(classes), predicate.on_rows(codes)[0].reshape(shape))
