"""Impossible combinations: conditions that no row of a table satisfies, declared in its domain."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadDomain, HushError
from .predicate import Count, Event, Not, Predicate

if TYPE_CHECKING:
    from . import Domain

__all__ = ["checked", "classes_of", "conditions"]

MOST_CONDITIONS, MOST_COMBINATIONS = 200, 1_000_000


def checked(given: Any, domain: Domain) -> tuple[str, ...]:
    """The conditions of a domain file, or BadDomain that says which one is wrong."""
    from ..maths.weighted_rows.rules import rule_of

    if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
        raise BadDomain('impossible is a list of conditions, such as ["age < 15 AND married"]')
    if len(given) > MOST_CONDITIONS:
        raise BadDomain(f"impossible has {len(given):,} conditions; at most {MOST_CONDITIONS} are allowed")
    for text in given:
        try:
            predicate = _predicate(text, domain)
        except HushError as error:
            raise BadDomain(f"impossible: {text[:60]!r}: {error}") from None
        if prod(int(c.max()) + 1 for c in classes_of(predicate, domain).values()) > MOST_COMBINATIONS:
            raise BadDomain(f"impossible: {text[:60]!r} is too wide; write it as several conditions on fewer columns")
        banned = rule_of(predicate, domain).banned
        if banned.all() or not banned.any():
            raise BadDomain(f"impossible: {text[:60]!r} is the same for all rows; name what cannot go together")
    return tuple(given)


def conditions(domain: Domain) -> list[Predicate]:
    """The predicates of a domain's impossible combinations."""
    return [_predicate(text, domain) for text in domain.impossible]


def _predicate(text: str, domain: Domain) -> Predicate:
    from ..questions.parse import parse

    question = parse(text, domain)
    if question.where is None or text.lstrip()[:6].upper() == "SELECT":
        raise BadDomain("write a condition alone, without SELECT")
    if question.notes:  # a rule about a value that no row can have is a slip of the pen
        raise BadDomain(question.notes[0])
    return question.where


def classes_of(predicate: Predicate, domain: Domain) -> dict[int, NDArray[np.int64]]:
    """For each attribute of a predicate a map from code to class: codes that no part of it tells apart share one."""
    seen: dict[int, list[tuple[bool, ...]]] = {}
    for event in _events(predicate):
        seen.setdefault(event.position, []).extend((event.true, event.false))
    found = {}
    for position in predicate.positions:
        _, classes = np.unique(np.array(seen[position]), axis=1, return_inverse=True)
        found[position] = classes.ravel().astype(np.int64)
    return found


def _events(predicate: Predicate) -> Iterator[Event]:
    if isinstance(predicate, Event):
        yield predicate
    elif isinstance(predicate, Not):
        yield from _events(predicate.part)
    elif isinstance(predicate, Count):
        for part in predicate.parts:
            yield from _events(part)
